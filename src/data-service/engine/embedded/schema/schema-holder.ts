// The present schema and its changes, which are made one after another; each is durable before it is visible.
import { indexNamed, type Keyspace, type Schema } from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import {
  type IndexDefinition,
  makeTable,
  type Table,
  type TableIndex,
  withEmbeddingServices,
  withIndexes,
  withoutColumns,
} from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { heldVectors, unindexableRows } from '../../refused-changes.js';
import { filledColumns, hasRoomFor, maxSlots, withColumns, withEmptied } from '../file/column-slots.js';
import { decodeRows } from '../file/stored-rows.js';
import {
  addColumnsStatements,
  builtIndexStatements,
  changeEmbeddingServicesStatements,
  createIndexStatements,
  createKeyspaceStatements,
  createTableStatements,
  dropColumnsStatements,
  dropIndexStatements,
  dropKeyspaceStatements,
  dropTableStatements,
  emptiedColumnsStatements,
} from '../statements/table-statements.js';
import { FailedCheck } from '../writes/write-errors.js';
import type { WriteRequest, Writer } from '../writes/writer.js';

/** A planned change: what to write, and the schema afterwards. */
interface WorkedOut {
  readonly request: WriteRequest;
  readonly next: Schema;
}

/** Holds the present schema and makes all changes of it. */
export class SchemaHolder {
  readonly #writer: Writer;
  #current: Schema;
  #generation = 0;
  #nextTableId: number;
  /** Settles with the last change: each change is planned on the schema that the one before left. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(schema: Schema, nextTableId: number, writer: Writer) {
    this.#current = schema;
    this.#nextTableId = nextTableId;
    this.#writer = writer;
  }

  get current(): Schema {
    return this.#current;
  }

  /** The number of changes since the file was opened. */
  get generation(): number {
    return this.#generation;
  }

  /** A table of the present schema. */
  tableWithId(id: number): Table | undefined {
    for (const { tables } of this.#current.keyspaces.values())
      for (const table of tables.values()) if (table.id === id) return table;
    return undefined;
  }

  /** Resolves when all changes requested before have been made or have failed. */
  async settled(): Promise<void> {
    await this.#previous;
  }

  /** @throws EngineError `schemaChanged` when the change no longer applies to the schema */
  change(change: SchemaChange): Promise<void> {
    const toRefusal = (error: Error) => refusalOf(change, error);
    return this.#inTurn(() => this.#carryOut(this.#workOut(change), toRefusal));
  }

  /** Records as empty those of the columns that are still dropped and filled. */
  noteEmptied(tableId: number, columnIds: ReadonlySet<number>): Promise<void> {
    return this.#inTurn(() => this.#carryOut(this.#workOutEmptied(tableId, columnIds), (error) => error));
  }

  /** Records that a text index has all rows. @throws EngineError `schemaChanged` when it is gone */
  noteBuilt(tableId: number, indexName: string): Promise<void> {
    return this.#inTurn(() => this.#carryOut(this.#workOutBuilt(tableId, indexName), (error) => error));
  }

  #inTurn(carryOut: () => Promise<void>): Promise<void> {
    const done = this.#previous.then(carryOut);
    this.#previous = done.catch(() => undefined); // the caller of `done` gets the failure
    return done;
  }

  #carryOut(workedOut: WorkedOut | undefined, toRefusal: (error: Error) => Error): Promise<void> {
    if (workedOut === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#writer.writeThen(workedOut.request, (error) => {
        if (error !== null) return reject(toRefusal(error));
        // Set before the caller is notified: a write that was refused as outdated needs the new schema when it is
        // planned again.
        this.#current = workedOut.next;
        this.#generation += 1;
        resolve();
      });
    });
  }

  #workOut(change: SchemaChange): WorkedOut | undefined {
    switch (change.kind) {
      case 'createKeyspace': {
        if (this.#current.keyspaces.has(change.name)) return undefined;
        const keyspace: Keyspace = { name: change.name, replication: change.replication, tables: new Map() };
        const statements = createKeyspaceStatements(keyspace);
        return { request: { statements, tableVersions: [] }, next: this.#with(keyspace) };
      }
      case 'dropKeyspace': {
        const keyspace = this.#current.keyspaces.get(change.name);
        if (keyspace === undefined) return undefined;
        const tableVersions = [...keyspace.tables.values()].map(({ id }) => [id, null] as const);
        const rest = [...this.#current.keyspaces].filter(([name]) => name !== change.name);
        return {
          request: { statements: dropKeyspaceStatements(keyspace), tableVersions },
          next: { keyspaces: new Map(rest) },
        };
      }
      case 'createTable':
        return this.#workOutCreateTable(change);
      case 'dropTable': {
        const { table } = change;
        const keyspace = this.#keyspaceOf(table);
        const rest = [...keyspace.tables].filter(([name]) => name !== table.name);
        return {
          request: { statements: dropTableStatements(table), tableVersions: [[table.id, null]] },
          next: this.#with({ ...keyspace, tables: new Map(rest) }),
        };
      }
      case 'addColumns': {
        this.#keyspaceOf(change.table);
        if (!hasRoomFor(change.table, change.columns)) throw withoutRoom();
        const after = withColumns(change.table, change.columns);
        return this.#workOutChange(change.table, after, addColumnsStatements(change.table, after));
      }
      case 'createIndex': {
        // Another table may have got an index with that name since this change was planned.
        const taken = indexNamed(this.#keyspaceOf(change.table), change.index.name);
        if (taken !== undefined) throw changed(`the index ${taken.index.name} exists`);
        const index: TableIndex = { ...change.index, id: newIndexId(change.table) };
        const after = withIndexes(change.table, [...change.table.indexes, index]);
        return this.#workOutChange(change.table, after, createIndexStatements(after, index));
      }
      case 'dropIndex': {
        const rest = change.table.indexes.filter((index) => index !== change.index);
        const after = withIndexes(change.table, rest);
        return this.#workOutChange(change.table, after, dropIndexStatements(after, change.index));
      }
      case 'changeEmbeddingServices': {
        const after = withEmbeddingServices(change.table, change.services);
        return this.#workOutChange(change.table, after, changeEmbeddingServicesStatements(change, after));
      }
      case 'dropColumns': {
        const after = withoutColumns(change.table, change.columns);
        return this.#workOutChange(change.table, after, dropColumnsStatements(after, change.columns));
      }
    }
  }

  #workOutEmptied(tableId: number, columnIds: ReadonlySet<number>): WorkedOut | undefined {
    for (const keyspace of this.#current.keyspaces.values()) {
      for (const table of keyspace.tables.values()) {
        const emptied = filledColumns(table).filter(({ id }) => table.id === tableId && columnIds.has(id));
        if (emptied.length === 0) continue;
        const after = withEmptied(table, emptied);
        return {
          // Plans that were made before remain valid.
          request: { statements: emptiedColumnsStatements(table, emptied), tableVersions: [] },
          next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, [after.name, after]]) }),
        };
      }
    }
    return undefined;
  }

  #workOutBuilt(tableId: number, indexName: string): WorkedOut {
    const table = this.tableWithId(tableId);
    const index = table?.indexes.find(({ name }) => name === indexName);
    if (table === undefined || index?.kind !== 'text') throw changed(`the index ${indexName} is gone`);
    const { isBuilding: _, ...built } = index;
    const after = withIndexes(
      table,
      table.indexes.map((each) => (each === index ? built : each)),
    );
    return this.#workOutChange(table, after, builtIndexStatements(after, built));
  }

  #workOutChange(before: Table, after: Table, statements: WriteRequest['statements']): WorkedOut {
    const keyspace = this.#keyspaceOf(before);
    return {
      request: { statements, tableVersions: [[after.id, after.version]] },
      next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, [after.name, after]]) }),
    };
  }

  /** The keyspace of a table that is still in the present schema. */
  #keyspaceOf(table: Table): Keyspace {
    const keyspace = this.#current.keyspaces.get(table.keyspace);
    if (keyspace?.tables.get(table.name) === table) return keyspace;
    throw changed(`the table ${table.name} is gone or changed`);
  }

  #workOutCreateTable({
    keyspace: name,
    definition,
  }: Extract<SchemaChange, { kind: 'createTable' }>): WorkedOut {
    const keyspace = this.#current.keyspaces.get(name);
    if (keyspace === undefined) throw changed(`the keyspace ${name} is gone`);
    if (keyspace.tables.has(definition.name)) throw changed(`the table ${definition.name} exists`);
    // The id is used up even if the change fails: ids are never used twice.
    const id = this.#nextTableId;
    this.#nextTableId += 1;
    const table: Table = makeTable({ id, version: 1, keyspace: name }, definition);
    const countUp = { sql: "UPDATE next_ids SET id = ? WHERE kind = 'table'", valueSets: [[id + 1]] };
    return {
      request: {
        statements: [...createTableStatements(table), countUp],
        tableVersions: [[id, table.version]],
      },
      next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, [definition.name, table]]) }),
    };
  }

  /** The present schema with one new or changed keyspace. */
  #with(keyspace: Keyspace): Schema {
    return { keyspaces: new Map([...this.#current.keyspaces, [keyspace.name, keyspace]]) };
  }
}

/**
 * Each change of indexes creates a new version, so no id is used twice and no data of an old index can be taken for
 * that of a new one.
 */
function newIndexId({ version, indexes }: Table): number {
  return Math.max(version, ...indexes.map(({ id }) => id)) + 1;
}

/** The error of a failed change for the engine's callers. */
function refusalOf(change: SchemaChange, error: Error): Error {
  if (!(error instanceof FailedCheck)) return error;
  if (change.kind === 'createIndex') return refusedIndex(change.table, change.index, error);
  if (change.kind !== 'changeEmbeddingServices') return error;
  const column = change.withoutVectors.find(({ id }) => id === Number(error.rows[0]?.[0]));
  return column === undefined ? error : heldVectors(change.table, column);
}

function refusedIndex(table: Table, index: IndexDefinition, { rows }: FailedCheck): EngineError {
  const keys = decodeRows(rows, table.keyColumns);
  if (index.kind !== 'text') return unindexableRows(table, index, keys);
  const held = `texts of more than ${index.analyzer.mostCharacters} characters`;
  return unindexableRows(table, index, keys, held);
}

function withoutRoom(): EngineError {
  return new EngineError(
    'noRoom',
    `rows have ${maxSlots} slots, and too few are free for columns of these types: the slot of a dropped column ` +
      'can be used only for columns of the same storage class: numbers, texts or bytes. Create a new table',
  );
}

function changed(problem: string): EngineError {
  return new EngineError('schemaChanged', problem);
}
