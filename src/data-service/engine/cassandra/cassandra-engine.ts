// The engine on a Cassandra cluster: its schema, reads and writes over one session.
import type { CqlSession } from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { getOrMake } from '../../../foundation/get-or-make.js';
import { MemoryShare } from '../../../foundation/limits/memory-share.js';
import { SharedResult } from '../../../foundation/limits/shared-result.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import type { Dialect } from '../../column-types/dialect.js';
import { UnknownField } from '../../column-types/user-types.js';
import { matchAll } from '../../query/filter.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../query/read.js';
import type { ChangePlan, DeletePlan, InsertPlan } from '../../query/write.js';
import type { Schema } from '../../schema/keyspace.js';
import type { SchemaChange } from '../../schema/schema-change.js';
import type { Table } from '../../schema/table.js';
import type { DocumentWrites, Engine, InsertOutcome } from '../engine.js';
import { EngineError, type EngineErrorKind } from '../engine-error.js';
import type { NativeResult } from '../native-result.js';
import { ReadTimeLimit } from '../read-time-limit.js';
import type { ChangeHost } from './change-host.js';
import { DocumentWriter, type LeftRow } from './documents/document-writer.js';
import { KeyTurns } from './documents/key-turns.js';
import { RowSizes } from './known-rows.js';
import { NativeStatements } from './native-statements.js';
import { type ReadTools, readRows } from './reads.js';
import { ChangeOrder } from './schema/change-order.js';
import type { KnownKeyspace } from './schema/known-schema.js';
import { SchemaChanges } from './schema/schema-changes.js';
import { SchemaGate } from './schema/schema-gate.js';
import { SchemaHolder } from './schema/schema-holder.js';
import { UnfinishedCollections } from './schema/unfinished-collections.js';
import { WriteTimes } from './write-times.js';
import { Writes } from './writes.js';

/** After which a write is given up; official clients wait 10 to 15 s for a reply. */
const writeTimeoutMs = 9_000;
/** A collection whose creation does not end is finished after so long: its server may only be slow. */
const finishAfterMs = 10_000;
/** The schema is not read more often than this because statements failed. */
const leastBetweenLoadsMs = 100;

/** What the engine is opened with. */
export interface CassandraEngineOptions {
  /** What columns and types become. Default: `strict`. */
  readonly dialect?: Dialect;
  /** The session of the server. It reads the schema; closed with the engine. */
  readonly session: CqlSession;
  readonly clock: Clock;
  /** A read that takes longer fails. */
  readonly readTimeoutMs: number;
  /** For the rows of all reads that are on their way. */
  readonly readMemoryBytes: number;
  /** The maximum size of the rows of one read on this thread, in bytes. Default: unlimited. */
  readonly mostBytesOfRead?: number;
  /** What `sharedWriteTime` made; all engines of the process share it. */
  readonly writeTime: SharedArrayBuffer;
  /** A random UUID. */
  readonly newId: () => string;
  /** The engine whose schema this one must know, and which makes the changes; undefined for that engine itself. */
  readonly changeHost?: ChangeHost;
  /** After which a collection is finished whose creation another server began. Default: 10 s. */
  readonly finishAfterMs?: number;
  /** Called for failures that make the schema late, but nothing wrong. */
  readonly onWarning: (error: Error) => void;
}

/** Gives the schema to the engine of the thread for large requests, and admits its statements. */
export type HostingCassandraEngine = Engine & { readonly host: ChangeHost };

/** An engine with the rights of the server, and the same engine with the rights of others. */
export interface CassandraEngines {
  readonly engine: HostingCassandraEngine;
  /** Everything that reads or changes something is run in the session. Closing it closes nothing. */
  withSession(session: CqlSession): Engine;
}

/** An engine that works as soon as the cluster can be reached; until then it refuses everything as `unavailable`. */
export function openCassandraEngine(options: CassandraEngineOptions): HostingCassandraEngine {
  return openCassandraEngines(options).engine;
}

/** Opens engines that share the schema, the order of its changes, and the order of writes. */
export function openCassandraEngines(options: CassandraEngineOptions): CassandraEngines {
  const { session, clock, onWarning, readMemoryBytes, changeHost } = options;
  const holder = new SchemaHolder(session, onWarning, options.dialect);
  const shared: Shared = {
    ...options,
    holder,
    order: new ChangeOrder(),
    gate: new SchemaGate(holder, clock, changeHost),
    times: new WriteTimes(clock, options.writeTime),
    sizes: new RowSizes(),
    turns: new KeyTurns(),
    memory: new MemoryShare(readMemoryBytes),
    loads: new Map(),
    readLimits: new WeakMap(),
    unfinished: undefined,
    closing: undefined,
  };
  const engine = new CassandraEngine(shared, session);
  if (changeHost === undefined) engine.finishCollections();
  return {
    engine,
    withSession: (other) => new CassandraEngine(shared, other),
  };
}

/** What the engines of all users have in common. */
interface Shared extends CassandraEngineOptions {
  readonly holder: SchemaHolder;
  readonly order: ChangeOrder;
  readonly gate: SchemaGate;
  readonly times: WriteTimes;
  readonly sizes: RowSizes;
  readonly turns: KeyTurns<LeftRow>;
  readonly memory: MemoryShare;
  /** By keyspace: loads because of statements that failed. */
  readonly loads: Map<string, SharedResult<void>>;
  /** By command: a read that is planned again, behind each of many changes, has no more time than another one. */
  readonly readLimits: WeakMap<object, ReadTimeLimit>;
  /** Set for the engine that makes the changes of the schema. */
  unfinished: UnfinishedCollections | undefined;
  /** Set when the server's engine closes. */
  closing: Promise<void> | undefined;
}

/** What was there before a statement. */
interface Before {
  readonly keyspace: KnownKeyspace | undefined;
  readonly beganMs: number;
}

class CassandraEngine implements Engine {
  readonly name = 'cassandra';
  readonly #shared: Shared;
  readonly #session: CqlSession;
  readonly #changes: SchemaChanges;
  readonly #writes: Writes;
  readonly #readTools: ReadTools;
  readonly #native: NativeStatements;
  readonly documents: DocumentWrites;

  constructor(shared: Shared, session: CqlSession) {
    const { holder, clock, order, gate, times, sizes, memory, turns, newId } = shared;
    const mostBytes = shared.mostBytesOfRead ?? Number.POSITIVE_INFINITY;
    this.#shared = shared;
    this.#session = session;
    const { session: observer } = shared;
    this.#changes = new SchemaChanges({ session, observer, holder, order, gate, clock, times });
    this.#writes = new Writes({
      session,
      refuseOutdated: (table) => gate.refuse('writes', table),
      clock,
      times,
      timeoutMs: writeTimeoutMs,
    });
    this.#readTools = {
      session,
      refuseOutdated: (table) => void holder.present(table),
      runAdmitted: (table, read) => gate.runRead(table, read),
      limitOf: (plan) => this.#limitOf(plan),
      sizes,
      memory,
      mostBytes,
    };
    this.documents = this.#documentWrites(
      new DocumentWriter({
        session,
        refuseOutdated: (table) => gate.refuse('writes', table),
        clock,
        turns,
        newId,
        mostBytes,
        timeoutMs: writeTimeoutMs,
        deleteAll: (collection) => this.#writes.deleteRows({ table: collection, filter: matchAll }),
      }),
    );
    this.#native = new NativeStatements({ session, changes: this.#changes, clock });
  }

  /** From now on, collections whose creation does not end are finished with the rights of this engine. */
  finishCollections(): void {
    const { holder, gate, onWarning, finishAfterMs: afterMs = finishAfterMs } = this.#shared;
    const finish = (keyspace: string, name: string) =>
      gate.run(() => this.#changes.finishCollection(keyspace, name));
    const unfinished = new UnfinishedCollections({ finish, afterMs, onWarning });
    this.#shared.unfinished = unfinished;
    holder.onLoad((keyspaces) => unfinished.note(keyspaces));
  }

  get host(): ChangeHost {
    return this.#shared.gate.host;
  }

  readSchema(afterChanges = false): Promise<Schema> {
    return this.#shared.gate.readSchema(afterChanges);
  }

  readLatestSchema(): Promise<Schema> {
    return this.#shared.gate.readLatestSchema();
  }

  changeSchema(change: SchemaChange): Promise<void> {
    return this.#shared.gate.run(() => this.#changes.change(change));
  }

  insertRows(plan: InsertPlan): Promise<InsertOutcome> {
    return this.#writing(plan.table, () => this.#writes.insertRows(plan));
  }

  changeRow(plan: ChangePlan): Promise<void> {
    return this.#writing(plan.table, () => this.#writes.changeRow(plan));
  }

  deleteRows(plan: DeletePlan): Promise<void> {
    return this.#writing(plan.table, () => this.#writes.deleteRows(plan));
  }

  #documentWrites(writer: DocumentWriter): DocumentWrites {
    return {
      insert: (plan) => this.#writing(plan.collection, () => writer.insert(plan)),
      change: (plan) => this.#writing(plan.collection, () => writer.change(plan)),
      deleteAll: (collection) => this.#writing(collection, () => writer.deleteAll(collection)),
    };
  }

  readRows(plan: ReadPlan): Promise<ReadOutcome> {
    const read = async () => {
      const outcome = await readRows(plan, this.#readTools);
      const { chunks } = outcome;
      if (!(Symbol.asyncIterator in chunks)) return outcome;
      return { ...outcome, chunks: this.#settlingChunks(plan.table, chunks) };
    };
    const before = this.#before(plan.table);
    return this.#settling(this.#shared.gate.run(read), 'readFailed', plan.table, before);
  }

  /** Further pages fail as the first one does. */
  async *#settlingChunks(
    table: Table,
    chunks: AsyncIterable<readonly RowValues[]>,
  ): AsyncIterable<readonly RowValues[]> {
    const before = this.#before(table);
    try {
      yield* chunks;
    } catch (error) {
      if (!(error instanceof EngineError && mayLackTable(error.cause))) throw error;
      throw await this.#settled(error, 'readFailed', table, before);
    }
  }

  #limitOf({ command }: ReadPlan): ReadTimeLimit {
    const { clock, readTimeoutMs, readLimits } = this.#shared;
    const limit = command === undefined ? undefined : readLimits.get(command);
    if (limit !== undefined) return limit;
    const made = new ReadTimeLimit(clock, readTimeoutMs);
    if (command !== undefined) readLimits.set(command, made);
    return made;
  }

  runNative(query: string): Promise<NativeResult> {
    return this.#shared.gate.run(() => this.#native.run(query));
  }

  async close(): Promise<void> {
    // The sessions of others are not its own.
    if (this.#session !== this.#shared.session) return;
    this.#shared.closing ??= this.#close();
    await this.#shared.closing;
  }

  async #close(): Promise<void> {
    const finished = this.#shared.unfinished?.close();
    await this.#shared.gate.close();
    await finished;
    await this.#shared.holder.close();
    await this.#session.close();
  }

  #writing<Result>(table: Table, write: () => Promise<Result>): Promise<Result> {
    const before = this.#before(table);
    return this.#settling(this.#shared.gate.runWrite(table, write), 'writeFailed', table, before);
  }

  async #settling<Result>(
    work: Promise<Result>,
    kind: EngineErrorKind,
    table: Table,
    before: Before,
  ): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof EngineError && mayLackTable(error.cause))) throw error;
      throw await this.#settled(error, kind, table, before);
    }
  }

  #before(table: Table): Before {
    const { holder, clock } = this.#shared;
    return { keyspace: holder.keyspace(table.keyspace), beganMs: clock.monotonicMs() };
  }

  /**
   * A node that refuses or fails may lack what the plan needs, as an index: the plan is then outdated. Otherwise it
   * would be the same if it were made again: a failure of this kind.
   */
  async #settled(
    error: EngineError,
    kind: EngineErrorKind,
    table: Table,
    before: Before,
  ): Promise<EngineError> {
    const final = error.kind === 'schemaChanged' ? new EngineError(kind, error.message, error) : error;
    // A node may fail reads of a table that it is changing, also those planned for the table as it will be, and refuse
    // writes: it shows a new column in its schema a moment before it knows it.
    const { gate, clock } = this.#shared;
    const tookMs = clock.monotonicMs() - before.beganMs;
    const isUndone = error.kind === 'readFailed' || error.kind === 'schemaChanged';
    const isBetween = isUndone && (await gate.wasChanged(table, tookMs));
    const isLoaded = await gate
      .changesEnded(table)
      .then(() => gate.follow(true)) // behind the changes of the host
      .then(() => this.#loadAfterFailure(table.keyspace))
      .then(
        () => true,
        () => false, // the first failure says more
      );
    if (!isLoaded) return final;
    const after = this.#shared.holder.keyspace(table.keyspace);
    const present = after?.tables.get(table.name)?.table;
    // A read is made again with any other table, a write only where nothing was written.
    const isOutdated = error.kind === 'readFailed' ? present !== table : present?.id !== table.id;
    const isChanged = error.kind === 'schemaChanged' && after !== before.keyspace;
    return isOutdated || isChanged || isBetween
      ? new EngineError('schemaChanged', error.message, error)
      : final;
  }

  /** Statements that fail at the same time share a load. */
  #loadAfterFailure(keyspace: string): Promise<void> {
    const { holder, loads, clock } = this.#shared;
    const load = getOrMake(
      loads,
      keyspace,
      () => new SharedResult(() => holder.reload(keyspace), leastBetweenLoadsMs, clock),
    );
    return load.get();
  }
}

function mayLackTable(cause: unknown): boolean {
  if (cause instanceof UnknownField) return true;
  return cause instanceof CassandraFailure && (cause.kind === 'refused' || cause.kind === 'failed');
}
