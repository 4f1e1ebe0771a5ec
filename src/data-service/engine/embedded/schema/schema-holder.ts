// The present schema and its changes, which are made one after another; each is durable before it is visible.
import { type Dialect, inDialect } from '../../../column-types/dialect.js';
import { userTypesIn } from '../../../column-types/replace-user-type.js';
import { userDefinedOf } from '../../../column-types/user-types.js';
import {
  indexNamed,
  inOrderOfNames,
  type Keyspace,
  type Schema,
  tablesWithUserType,
} from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import {
  type ColumnDefinition,
  makeTable,
  type Table,
  type TableIndex,
  withEmbeddingServices,
  withId,
  withIndexes,
  withoutColumns,
} from '../../../schema/table.js';
import { withUserType } from '../../../schema/with-user-type.js';
import { EngineError } from '../../engine-error.js';
import { filledColumns, hasRoomFor, withColumns, withEmptied } from '../file/column-slots.js';
import { createIndexStatements, dropIndexStatements } from '../statements/index-statements.js';
import { countUp } from '../statements/schema-lines.js';
import {
  addColumnsStatements,
  changeEmbeddingServicesStatements,
  createKeyspaceStatements,
  createTableStatements,
  dropColumnsStatements,
  dropKeyspaceStatements,
  dropTableStatements,
  emptiedColumnsStatements,
  replaceTableStatements,
} from '../statements/table-statements.js';
import {
  alterTypeStatements,
  createTypeStatements,
  dropTypeStatements,
} from '../statements/user-type-statements.js';
import type { WriteRequest, Writer } from '../writes/writer.js';
import { newIndexId, type StateChange } from './index-states.js';
import { refusalOf, withoutRoom } from './refused-change.js';

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
  readonly #dialect: Dialect;
  #nextTableId: number;
  #onChanged: () => void = () => {};
  /** Settles with the last change: each change is planned on the schema that the one before left. */
  #previous: Promise<unknown> = Promise.resolve();

  /** New columns get their types in the dialect. */
  constructor(schema: Schema, nextTableId: number, writer: Writer, dialect: Dialect) {
    this.#dialect = dialect;
    this.#current = schema;
    this.#nextTableId = nextTableId;
    this.#writer = writer;
  }

  /** `onChanged` is called after each change of the present schema, before the caller of the change is answered. */
  onChanged(onChanged: () => void): void {
    this.#onChanged = onChanged;
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

  /** Changes the state of an index of a table. @throws EngineError as `state` */
  changeState(tableId: number, state: StateChange): Promise<void> {
    return this.#inTurn(() => this.#carryOut(this.#workOutState(tableId, state), (error) => error));
  }

  /** Replaces a table by an empty one with another id. @throws EngineError `schemaChanged` for another version */
  replaceTable(table: Pick<Table, 'id' | 'version'>): Promise<void> {
    return this.#inTurn(() => this.#carryOut(this.#workOutReplaced(table), (error) => error));
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
        // A change that took too long is in the file, and perhaps not in the archive.
        const isStored = error === null || (error instanceof EngineError && error.kind === 'writeTimeout');
        // Set before the caller is notified: a write that was refused as outdated needs the new schema when it is
        // planned again.
        if (isStored) {
          this.#current = workedOut.next;
          this.#generation += 1;
          this.#onChanged();
        }
        if (error === null) resolve();
        else reject(toRefusal(error));
      });
    });
  }

  #workOut(change: SchemaChange): WorkedOut | undefined {
    switch (change.kind) {
      case 'createKeyspace':
      case 'dropKeyspace':
        return this.#workOutKeyspace(change);
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
        refuseOtherTypes(this.#keyspaceOf(change.table), change.columns);
        const added = this.#inDialect(change.columns);
        if (!hasRoomFor(change.table, added)) throw withoutRoom();
        const after = withColumns(change.table, added);
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
      case 'createType':
      case 'alterType':
      case 'dropType':
        return this.#workOutType(change);
      case 'dropColumns': {
        const after = withoutColumns(change.table, change.columns);
        return this.#workOutChange(change.table, after, dropColumnsStatements(after, change.columns));
      }
    }
  }

  #workOutKeyspace(
    change: Extract<SchemaChange, { kind: 'createKeyspace' | 'dropKeyspace' }>,
  ): WorkedOut | undefined {
    switch (change.kind) {
      case 'createKeyspace': {
        if (this.#current.keyspaces.has(change.name)) return undefined;
        const keyspace: Keyspace = {
          name: change.name,
          replication: change.replication,
          tables: new Map(),
          userTypes: new Map(),
        };
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
    }
  }

  #workOutType(change: ChangeOfType): WorkedOut {
    const before = change.kind === 'alterType' ? change.before : change.type;
    const keyspace = this.#current.keyspaces.get(before.keyspace);
    const present = keyspace?.userTypes.get(before.name);
    if (keyspace === undefined || present !== (change.kind === 'createType' ? undefined : before))
      throw changed(`the type ${before.name} is gone or changed`);
    const others = [...keyspace.userTypes.values()].filter((type) => type !== before);
    const using = tablesWithUserType(keyspace, before.name);
    switch (change.kind) {
      case 'createType': {
        const next = { ...keyspace, userTypes: inOrderOfNames([...others, change.type]) };
        return this.#withTypes(next, [], createTypeStatements(change.type));
      }
      case 'alterType': {
        const { after } = change;
        const tables = using.map((table) => withUserType(table, before, after));
        const next = { ...keyspace, userTypes: inOrderOfNames([...others, after]) };
        return this.#withTypes(next, tables, alterTypeStatements(after, tables));
      }
      case 'dropType': {
        const [user] = using;
        if (user !== undefined) throw changed(`the table ${user.name} uses the type ${before.name}`);
        const next = { ...keyspace, userTypes: inOrderOfNames(others) };
        return this.#withTypes(next, [], dropTypeStatements(before));
      }
    }
  }

  #withTypes(
    keyspace: Keyspace,
    tables: readonly Table[],
    statements: WriteRequest['statements'],
  ): WorkedOut {
    const changedTables = tables.map((table) => [table.name, table] as const);
    return {
      request: { statements, tableVersions: tables.map(({ id, version }) => [id, version]) },
      next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, ...changedTables]) }),
    };
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

  #workOutState(tableId: number, stateOf: StateChange): WorkedOut | undefined {
    const table = this.tableWithId(tableId);
    const change = stateOf(table, () => this.#takeTableId());
    if (table === undefined || change === undefined) return undefined;
    return this.#workOutChange(table, change.after, change.statements);
  }

  #workOutReplaced(planned: Pick<Table, 'id' | 'version'>): WorkedOut {
    const before = this.tableWithId(planned.id);
    if (before?.version !== planned.version) throw changed('the table is gone or changed');
    const id = this.#takeTableId();
    const after = withId(before, id);
    const keyspace = this.#keyspaceOf(before);
    return {
      request: {
        statements: [...replaceTableStatements(before, after), countUp(id)],
        tableVersions: [
          [before.id, null],
          [id, after.version],
        ],
      },
      next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, [after.name, after]]) }),
    };
  }

  /** The id is used up even if the change fails: ids are never used twice. */
  #takeTableId(): number {
    this.#nextTableId += 1;
    return this.#nextTableId - 1;
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
    for (const { name: index } of definition.indexes ?? [])
      if (indexNamed(keyspace, index) !== undefined) throw changed(`the index ${index} exists`);
    refuseOtherTypes(keyspace, definition.columns);
    const id = this.#takeTableId();
    const columns = this.#inDialect(definition.columns);
    const table: Table = makeTable({ id, version: 1, keyspace: name }, { ...definition, columns });
    return {
      request: {
        statements: [...createTableStatements(table), countUp(id)],
        tableVersions: [[id, table.version]],
      },
      next: this.#with({ ...keyspace, tables: new Map([...keyspace.tables, [definition.name, table]]) }),
    };
  }

  #inDialect(columns: readonly ColumnDefinition[]): readonly ColumnDefinition[] {
    return columns.map((column) => ({ ...column, type: inDialect(column.type, this.#dialect) }));
  }

  /** The present schema with one new or changed keyspace. */
  #with(keyspace: Keyspace): Schema {
    return { keyspaces: new Map([...this.#current.keyspaces, [keyspace.name, keyspace]]) };
  }
}

type ChangeOfType = Extract<SchemaChange, { kind: 'createType' | 'alterType' | 'dropType' }>;

/** Refuses columns of user-defined types that were changed or dropped since the change was planned. */
function refuseOtherTypes({ userTypes }: Keyspace, columns: readonly ColumnDefinition[]): void {
  for (const used of columns.flatMap(({ type }) => userTypesIn(type))) {
    const present = userTypes.get(used.name);
    if (present === undefined || userDefinedOf(present).name !== userDefinedOf(used).name)
      throw changed(`the type ${used.name} is gone or changed`);
  }
}

function changed(problem: string): EngineError {
  return new EngineError('schemaChanged', problem);
}
