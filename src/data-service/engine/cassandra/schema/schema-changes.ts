// Carries changes of the schema out: in the order of the calls for each keyspace, each on all nodes before the next.
import type { ChangeText, CqlSession } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { apiError } from '../../../errors/api-error.js';
import type { CollectionSettings } from '../../../schema/collection-settings.js';
import { indexNamed } from '../../../schema/keyspace.js';
import type { SchemaChange } from '../../../schema/schema-change.js';
import { EngineError } from '../../engine-error.js';
import { collectionNamed, indexStatements, termsIndexName } from '../documents/collection-layout.js';
import { inCassandraWords, readFailure, writeFailure } from '../engine-failure.js';
import type { WriteTimes } from '../write-times.js';
import { readBehind, untilAgreed, untilBuilt } from './behind-changes.js';
import { blockedBy, isMadeOf, keyspaceOf } from './change-facts.js';
import type { ChangeOrder } from './change-order.js';
import type { ChangeOfTables } from './changes-under-way.js';
import {
  alterTypeStatements,
  type ChangeOf,
  createKeyspaceStatement,
  createTableStatement,
  createTypeStatement,
  dropKeyspaceStatement,
  dropTypeStatement,
  dropUnfinishedStatement,
  isOfSettingsAlone,
  settlesFirst,
  type TableChange,
  tableStatement,
} from './ddl-statements.js';
import { untilValuesCount } from './dropped-columns.js';
import { isBack, isHidden, isHiddenAlready, saysThatItExists, wouldBeHidden } from './hidden-tables.js';
import { schemaOf } from './known-schema.js';
import { refuseHeldVectors, refuseVectors } from './refuse-vectors.js';
import { untilRequestsEnded } from './requests-under-way.js';
import type { SchemaGate } from './schema-gate.js';
import type { SchemaHolder } from './schema-holder.js';
import { readIndexTables, readTableUuids } from './schema-rows.js';
import { SettingsChanges } from './settings-changes.js';
import { refuseOtherType, refuseOtherTypes, refuseTypeName, runInOrder } from './type-changes.js';

/** What changes are carried out with. */
export interface ChangeTools {
  /** Makes the changes, and reads the rows that they depend on. */
  readonly session: CqlSession;
  /** Sees what every user may know. */
  readonly observer: CqlSession;
  readonly holder: SchemaHolder;
  readonly order: ChangeOrder;
  /** The calls that changes wait for, and those that wait for changes. */
  readonly gate: SchemaGate;
  readonly clock: Clock;
  readonly times: WriteTimes;
}

/** The changes of the schema by one user. */
export class SchemaChanges {
  readonly #tools: ChangeTools;
  readonly #settings: SettingsChanges;
  /** What is made of the present change of each keyspace: `settings` have no effect without the rest of it. */
  readonly #made = new Map<string, 'part' | 'settings'>();

  constructor(tools: ChangeTools) {
    this.#tools = tools;
    this.#settings = new SettingsChanges({
      session: tools.session,
      observer: tools.observer,
      run: (keyspace, statement) => this.#run(keyspace, statement),
      onStored: (keyspace) => {
        if (!this.#made.has(keyspace)) this.#made.set(keyspace, 'settings');
      },
    });
  }

  /** @throws EngineError `schemaChanged` where the change no longer fits the schema, and others */
  async change(change: SchemaChange): Promise<void> {
    const keyspace = keyspaceOf(change);
    await this.#tools.order.run(keyspace, async () => {
      await this.#carryOut(change, keyspace);
      // Nodes have no text indexes.
      if (change.kind === 'dropIndex' && change.index.kind !== 'text') await this.#untilReadsEnded();
    });
    // The next change of the keyspace does not wait for this.
    if (change.kind === 'createIndex') await untilBuilt(change, this.#tools);
    if (change.kind === 'createTable') await this.#untilCollectionBuilt(change);
  }

  /** Finishes a collection whose creation a server began; does nothing where it is finished or gone. */
  finishCollection(keyspace: string, name: string): Promise<void> {
    const finish = async () => {
      const table = this.#tools.holder.keyspace(keyspace)?.unfinished.get(name)?.table;
      const taken = table?.collection && (await this.#takenIndex(keyspace, name, table.collection));
      if (taken) throw new EngineError('refused', `another table has an index named ${taken}`);
      return this.#apply({ keyspace, name }, () => this.#makeIndexes(keyspace, name));
    };
    return this.#tools.order.run(keyspace, finish);
  }

  /** Runs a change as text, behind all others, and reads the schema afterwards. Rejects as `run` does. */
  changeByText(run: () => Promise<void>, changed: ChangeOfTables): Promise<void> {
    const { order, holder } = this.#tools;
    const change = async () => {
      await run();
      await readBehind(holder.load(undefined));
    };
    return order.runBehindAll(async () => {
      await this.#make(change, changed);
      if (changed.blocks === 'reads') await this.#untilReadsEnded();
    });
  }

  /**
   * Reads of other clients that were under way when an index was dropped delete files by its name when they end, and so
   * those of the next index of this name.
   */
  #untilReadsEnded(): Promise<void> {
    return untilRequestsEnded(this.#tools.observer, this.#tools.clock);
  }

  async #carryOut(change: SchemaChange, keyspace: string): Promise<void> {
    const { holder } = this.#tools;
    await holder.read();
    switch (change.kind) {
      case 'createKeyspace':
        if (!(await this.#isThere(keyspace, true)))
          await this.#apply({ keyspace }, () => this.#run(keyspace, createKeyspaceStatement(change)));
        return undefined;
      case 'dropKeyspace':
        if (await this.#isThere(keyspace, false))
          await this.#apply({ keyspace, blocks: 'writes' }, () =>
            this.#run(keyspace, dropKeyspaceStatement(change)),
          );
        return undefined;
      case 'createTable':
        await this.#createTable(change);
        return undefined;
      case 'createIndex':
        return this.#createIndex(change);
      case 'createType':
        if (holder.keyspace(keyspace)?.userTypes.has(change.type.name) !== false)
          throw changed(`the keyspace ${keyspace} is gone, or the type ${change.type.name} exists`);
        refuseTypeName(change.type.name);
        await this.#apply({ keyspace }, () => this.#run(keyspace, createTypeStatement(change)));
        return undefined;
      case 'alterType': {
        refuseOtherType(holder.keyspace(keyspace), change.before);
        const statements = alterTypeStatements(change);
        // A node may not know a field yet that a write behind the change has.
        await this.#apply({ keyspace, blocks: 'writes' }, () =>
          runInOrder(statements, (statement) => this.#run(keyspace, statement)),
        );
        return undefined;
      }
      case 'dropType':
        refuseOtherType(holder.keyspace(keyspace), change.type);
        await this.#apply({ keyspace }, () => this.#run(keyspace, dropTypeStatement(change)));
        return undefined;
      case 'changeEmbeddingServices':
        return this.#changeTable(change, () => refuseHeldVectors(change, this.#tools));
      case 'dropTable':
        return this.#dropTable(change);
      case 'addColumns':
        await untilValuesCount(change, this.#tools.observer, this.#tools.clock).catch((error: unknown) => {
          throw readFailure(error);
        });
        return this.#changeTable(change);
      case 'dropColumns':
      case 'dropIndex':
        return this.#changeTable(change);
    }
  }

  /** Whether there is a keyspace. Most nodes are asked for the `ending` answer, with which nothing is to be done. */
  async #isThere(keyspace: string, ending: boolean): Promise<boolean> {
    const { holder } = this.#tools;
    const isKnown = () => holder.keyspace(keyspace) !== undefined;
    if (isKnown() === ending) await holder.loadLatest(keyspace);
    return isKnown();
  }

  /**
   * Makes a table, or a collection with its indexes. If two servers make it at the same time, only one of them reports
   * that it was made. A collection that a server began to make and did not finish is finished here.
   */
  async #createTable(change: ChangeOf<'createTable'>): Promise<void> {
    const { holder } = this.#tools;
    const { keyspace, definition } = change;
    const { name, collection } = definition;
    const known = holder.keyspace(keyspace);
    if (known === undefined) throw changed(`the keyspace ${keyspace} is gone`);
    if (known.tables.has(name)) throw changed(`the table ${name} exists`);
    refuseOtherTypes(known, definition.columns);
    const taken = collection && (await this.#takenIndex(keyspace, name, collection));
    if (taken)
      throw apiError('schema', 'EXISTING_INDEX_FOR_COLLECTION', { keyspace, table: name, index: taken });
    const isBegun = known.unfinished.has(name);
    let uuids: ReadonlySet<string> = new Set();
    const make = async () => {
      if (isBegun) return this.#makeIndexes(keyspace, name);
      uuids = await this.#makeTable(change);
      const [uuid, another] = uuids;
      if (collection !== undefined && uuid !== undefined && another === undefined)
        await this.#makeIndexesOfNew(keyspace, name, uuid);
    };
    await this.#apply({ keyspace, name }, make, collection !== undefined);
    if (uuids.size > 1) {
      const problem = `the nodes have two tables ${name}, because they could not agree on a schema; restart the nodes`;
      throw new EngineError('writeFailed', problem);
    }
    const made = holder.keyspace(keyspace)?.tables.get(name)?.table;
    if (made === undefined || !isMadeOf(made, definition))
      throw changed(`another server made the table ${name}`);
  }

  /** Resolves to the UUIDs that the nodes have for the new table: more than one where they made it twice. */
  async #makeTable(change: ChangeOf<'createTable'>): Promise<ReadonlySet<string>> {
    const { session, clock } = this.#tools;
    const table = { keyspace: change.keyspace, name: change.definition.name };
    try {
      await this.#run(table.keyspace, createTableStatement(change, clock.nowMs()));
    } catch (error) {
      if (!saysThatItExists(error)) throw error;
      if (await isHidden(session, table)) throw isHiddenAlready(table);
      await untilAgreed(table.keyspace, this.#tools); // some nodes may not have it yet
      throw error;
    }
    const uuids = await readTableUuids(session, table);
    if (uuids.size > 0) return uuids;
    // No client can have used a table that no schema shows.
    await this.#run(table.keyspace, dropUnfinishedStatement(table));
    throw wouldBeHidden(table);
  }

  /**
   * The name of an index which a collection needs and another table has. The schema does not show all of them, and
   * the statement for an index of a name that is taken does nothing.
   */
  async #takenIndex(
    keyspace: string,
    name: string,
    settings: CollectionSettings,
  ): Promise<string | undefined> {
    const present = await readIndexTables(this.#tools.session, keyspace).catch((error: unknown) => {
      throw readFailure(error);
    });
    const isTaken = (index: string) => present.has(index) && present.get(index) !== name;
    return [...indexStatements(collectionNamed({ id: 0, version: 0, keyspace }, name, settings)).keys()].find(
      isTaken,
    );
  }

  /** Makes the indexes that a collection lacks. Another server may do the same at the same time. */
  async #makeIndexes(keyspace: string, name: string): Promise<void> {
    const { holder } = this.#tools;
    await holder.load(keyspace);
    const lacking = holder.keyspace(keyspace)?.unfinished.get(name)?.lacking ?? [];
    for (const statement of lacking) await this.#run(keyspace, statement);
  }

  /**
   * Makes the indexes of a table that was just made; where a node refuses one, the table is dropped again, unless the
   * name is by now that of a table of another client.
   */
  async #makeIndexesOfNew(keyspace: string, name: string, uuid: string): Promise<void> {
    try {
      await this.#makeIndexes(keyspace, name);
    } catch (error) {
      // The first failure says more than those of the drop.
      if (error instanceof CassandraFailure && error.isRefused)
        await this.#dropUnfinished({ keyspace, name }, uuid).catch(() => undefined);
      throw error;
    }
  }

  async #dropUnfinished(
    table: { readonly keyspace: string; readonly name: string },
    uuid: string,
  ): Promise<void> {
    const uuids = await readTableUuids(this.#tools.session, table);
    if (uuids.size === 1 && uuids.has(uuid)) await this.#run(table.keyspace, dropUnfinishedStatement(table));
  }

  async #untilCollectionBuilt({ keyspace, definition }: ChangeOf<'createTable'>): Promise<void> {
    const table = this.#tools.holder.keyspace(keyspace)?.tables.get(definition.name)?.table;
    if (definition.collection === undefined || table === undefined) return;
    const terms = { name: termsIndexName(table.name), kind: 'regular' } as const;
    for (const index of [...table.indexes, terms]) await untilBuilt({ table, index }, this.#tools);
  }

  /** `check`: made while the change blocks statements. */
  async #changeTable(change: TableChange, check?: () => Promise<void>): Promise<void> {
    this.#tools.holder.present(change.table);
    const statement = tableStatement(change, this.#tools.times);
    const { keyspace, name } = change.table;
    const work = async () => {
      this.#tools.holder.present(change.table); // statements may have taken their time
      if (change.kind === 'addColumns')
        refuseOtherTypes(this.#tools.holder.keyspace(keyspace), change.columns);
      await check?.();
      if (settlesFirst(change)) await this.#settings.store(change);
      if (statement !== undefined) await this.#run(keyspace, statement);
      if (!settlesFirst(change)) await this.#settings.store(change);
      // It counts as the part that was made: what follows only shows it to others.
      if (isOfSettingsAlone(change)) this.#made.set(keyspace, 'part');
      await this.#settings.confirm(change);
      await this.#settings.announce(change);
    };
    await this.#apply({ keyspace, name, blocks: blockedBy(change) }, work);
  }

  async #dropTable(change: ChangeOf<'dropTable'>): Promise<void> {
    const { holder } = this.#tools;
    const known = holder.present(change.table);
    await this.#changeTable(change);
    const { keyspace, name, id } = change.table;
    if (holder.keyspace(keyspace)?.tables.get(name)?.table.id === id) throw isBack(change.table);
    await this.#settings.forget(change.table, known);
  }

  async #createIndex(change: ChangeOf<'createIndex'>): Promise<void> {
    const { table, index } = change;
    const { holder } = this.#tools;
    holder.present(table);
    const known = holder.keyspace(table.keyspace);
    const keyspace = known === undefined ? undefined : schemaOf([known]).keyspaces.get(table.keyspace);
    const taken = keyspace === undefined ? undefined : indexNamed(keyspace, index.name);
    if (taken !== undefined) throw changed(`the index ${index.name} exists`);
    await refuseVectors(change, this.#tools);
    return this.#changeTable(change).catch((error: unknown) => {
      // A node refuses, for example, a column whose name cannot be a part of the names of files.
      const isRefused =
        error instanceof EngineError && error.kind === 'refused' && error.cause instanceof CassandraFailure;
      if (isRefused && saysThatItExists(error.cause)) throw error; // on a table that no command sees
      throw isRefused ? new EngineError('unindexable', error.message, error) : error;
    });
  }

  async #run(keyspace: string, statement: ChangeText): Promise<void> {
    await this.#tools.session.changeSchema(statement);
    this.#made.set(keyspace, 'part');
  }

  /**
   * Makes a change of a keyspace; then the schema is read, whether that could be done or not. `isContinued`: a change
   * that was made in part is continued by its next plan.
   */
  #apply(
    change: ChangeOfTables & { readonly keyspace: string },
    work: () => Promise<void>,
    isContinued = false,
  ): Promise<void> {
    return this.#make(() => this.#attempt(change.keyspace, work, isContinued), change);
  }

  #make(work: () => Promise<void>, change: ChangeOfTables): Promise<void> {
    return this.#tools.gate.change(change, work, () => untilAgreed(change.keyspace, this.#tools));
  }

  async #attempt(keyspace: string, work: () => Promise<void>, isContinued: boolean): Promise<void> {
    const { holder } = this.#tools;
    const before = holder.keyspace(keyspace);
    this.#made.delete(keyspace);
    try {
      await work();
    } catch (error) {
      const made = this.#made.get(keyspace);
      await holder.load(keyspace).catch(() => undefined); // the first failure says more
      const failure = writeFailure(error);
      if (!(failure instanceof EngineError) || !(error instanceof CassandraFailure)) throw failure;
      if (made === 'part' && !isContinued) throw partly(failure, error);
      // The node refuses what no longer fits its schema: the plan is made again, if it can be another one.
      if (error.kind === 'refused' && holder.keyspace(keyspace) !== before)
        throw new EngineError('schemaChanged', error.message, error);
      const isRefused = error.kind === 'refused' && failure.kind !== 'tooLarge' && made === undefined;
      if (isRefused) throw new EngineError('refused', inCassandraWords(error), error);
      throw failure.kind === 'schemaChanged' ? new EngineError('writeFailed', error.message, error) : failure;
    }
    await readBehind(holder.load(keyspace));
  }
}

/** The error of a change of which a part was made, and whose plan must not be made again. */
function partly(failure: EngineError, { isRefused, message }: CassandraFailure): EngineError {
  if (failure.kind === 'writeTimeout') return failure;
  const problem = `only a part of the change was made: ${message}`;
  return new EngineError(isRefused ? 'writeFailed' : 'writeTimeout', problem, failure);
}

function changed(problem: string): EngineError {
  return new EngineError('schemaChanged', problem);
}
