// The gate between calls of an engine and changes of the schema, and the only place that registers calls: changes wait
// for those that they block, and a close waits for all.
import { setTimeout as pause } from 'node:timers/promises';
import { CallsUnderWay } from '../../../../foundation/calls-under-way.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import { EngineError, engineClosed } from '../../engine-error.js';
import type { ChangeHost, StatementKind, TableName } from '../change-host.js';
import { type ChangeOfTables, ChangesUnderWay, isOf } from './changes-under-way.js';
import type { SchemaHolder } from './schema-holder.js';

/**
 * How long a plan waits at most for changes of the schema, which may be those of other tables and take a minute where a
 * node hangs. A plan that is blocked by one waits again.
 */
const longestWaitMs = 1_000;
/**
 * How long a change that blocks statements waits behind another one. Otherwise the next of many changes of a keyspace
 * begins before the statements that waited for the one before can begin, and none of them begins until the last change
 * has ended.
 */
const betweenChangesMs = 10;
/** How long a question may be on its way to another thread. */
const onItsWayMs = 100;

/** What a call is about, if a change of the schema may block it. */
interface BlockedCall {
  readonly kind: StatementKind;
  readonly table: TableName;
}

/** The gate of the engines of all users. What it refuses is outdated, and planned again after the change. */
export class SchemaGate {
  readonly #holder: SchemaHolder;
  readonly #owner: ChangeHost | undefined;
  readonly #changes: ChangesUnderWay;
  readonly #calls = new CallsUnderWay<BlockedCall>();
  readonly #clock: Clock;
  #isClosed = false;
  /** When a change ended last that blocked statements; monotonic. */
  #blockedMs = Number.NEGATIVE_INFINITY;
  /** The generation of the owner's schema that was read here last. */
  #ownerGeneration = 0;
  #generation = 0;
  #counted: Schema | undefined;

  /** `owner`: the engine that makes the changes; undefined for that engine itself. */
  constructor(holder: SchemaHolder, clock: Clock, owner: ChangeHost | undefined) {
    this.#holder = holder;
    this.#owner = owner;
    this.#clock = clock;
    this.#changes = new ChangesUnderWay(clock);
  }

  /** Gives the schema to the engine of the thread for large requests, and admits its statements. */
  get host(): ChangeHost {
    const schemaGeneration: ChangeHost['schemaGeneration'] = async ({ afterChanges }) =>
      this.#generationOf(await this.readSchema(afterChanges));
    return {
      schemaGeneration,
      // What is blocked is asked first: the schema that is read next has what a change that has ended made.
      admit: async (kind, table, ended) => {
        this.#refuseBlocked(kind, table);
        void this.#calls.run(() => ended, { kind, table });
        return schemaGeneration({ afterChanges: false });
      },
      wasChanged: async (table, withinMs) => this.#changes.wasUnderWay(table, withinMs),
    };
  }

  /** The schema, with all that the owner has acknowledged: see `Engine`. */
  async readSchema(afterChanges: boolean): Promise<Schema> {
    if (this.#isClosed) throw engineClosed();
    if (afterChanges) {
      await this.#changesEndedInTime();
      await this.#holder.settled();
    }
    await this.follow(afterChanges);
    return this.#holder.read();
  }

  /** The schema with all that any server has acknowledged: see `Engine`. */
  async readLatestSchema(): Promise<Schema> {
    if (this.#isClosed) throw engineClosed();
    await this.#calls.run(() => this.#holder.loadLatest(undefined));
    return this.#holder.read();
  }

  /** Resolves when what the owner has acknowledged is known here. Rejects as a load of the schema does. */
  async follow(afterChanges: boolean): Promise<void> {
    if (this.#owner !== undefined) await this.#followTo(await this.#owner.schemaGeneration({ afterChanges }));
  }

  /** Runs a call that no change waits for. @throws EngineError `closed`, and as the call does */
  run<Result>(call: () => Promise<Result>): Promise<Result> {
    return this.#isClosed ? Promise.reject(engineClosed()) : this.#calls.run(call);
  }

  /** Runs a write, which calls `refuse` before its statements. @throws EngineError, and as the write does */
  runWrite<Result>(table: Table, write: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(engineClosed());
    return this.#calls.run(this.#admitted('writes', table, write), { kind: 'writes', table });
  }

  /**
   * Runs a statement of a read that an index may serve. Rows may be missing where another server has dropped the index
   * meanwhile. @throws EngineError `schemaChanged`, and as the statement does
   */
  async runRead<Result>(table: Table, read: () => Promise<Result>): Promise<Result> {
    const refusing = async () => {
      this.refuse('reads', table);
      return read();
    };
    const result = await this.#calls.run(this.#admitted('reads', table, refusing), { kind: 'reads', table });
    this.#holder.present(table);
    return result;
  }

  /** Makes a change after the statements that it blocks have ended; see `ChangesUnderWay` for `untilKnown`. */
  async change(
    change: ChangeOfTables,
    make: () => Promise<void>,
    untilKnown: () => Promise<void>,
  ): Promise<void> {
    const isBlocking = change.blocks !== undefined;
    if (isBlocking && this.#clock.monotonicMs() - this.#blockedMs < betweenChangesMs)
      await pause(betweenChangesMs);
    const makeAlone = async () => {
      await this.#calls.ended(
        (call) => call !== undefined && call.kind === change.blocks && isOf(change, call.table),
      );
      await make();
    };
    try {
      await this.#changes.run(makeAlone, change, untilKnown);
    } finally {
      if (isBlocking) this.#blockedMs = this.#clock.monotonicMs();
    }
  }

  async #changesEndedInTime(): Promise<void> {
    const waiting = new AbortController();
    const inTime = pause(longestWaitMs, undefined, { signal: waiting.signal });
    await Promise.race([this.changesEnded(), inTime]).finally(() => waiting.abort());
  }

  /** Resolves when the changes that nodes are making now, of a table or of any, have ended. */
  changesEnded(table?: TableName): Promise<void> {
    return this.#changes.ended(table);
  }

  /** Whether a change of the table was under way within the last milliseconds, or somewhat before. */
  async wasChanged(table: Table, withinMs: number): Promise<boolean> {
    // The milliseconds were counted some time ago: before this question, or before it arrives at the owner.
    const asked = withinMs + onItsWayMs;
    return this.#owner?.wasChanged(nameOf(table), asked) ?? this.#changes.wasUnderWay(table, asked);
  }

  /** @throws EngineError `schemaChanged` for a table that is gone or changed, or whose statements are blocked here */
  refuse(kind: StatementKind, table: Table): void {
    this.#holder.present(table);
    this.#refuseBlocked(kind, table);
  }

  /** Refuses all further calls, and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#calls.ended();
  }

  /** The call, after the owner has admitted it. The owner refuses a table that is outdated in its schema. */
  #admitted<Result>(kind: StatementKind, table: Table, call: () => Promise<Result>): () => Promise<Result> {
    const owner = this.#owner;
    if (owner === undefined) return call;
    return async () => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      try {
        await this.#followTo(await owner.admit(kind, nameOf(table), ended));
        return await call();
      } finally {
        end();
      }
    };
  }

  #refuseBlocked(kind: StatementKind, table: TableName): void {
    if (!this.#changes.blocks(kind, table)) return;
    const problem =
      kind === 'reads'
        ? `an index of the table ${table.name} is being dropped`
        : `the columns of the table ${table.name} are being changed`;
    throw new EngineError('schemaChanged', problem);
  }

  /** The number of a state of the own schema, the present one. */
  #generationOf(schema: Schema): number {
    if (schema !== this.#counted) this.#generation += 1;
    this.#counted = schema;
    return this.#generation;
  }

  async #followTo(generation: number): Promise<void> {
    if (generation === this.#ownerGeneration) return;
    await this.#holder.load(undefined);
    this.#ownerGeneration = generation;
  }
}

function nameOf({ keyspace, name }: Table): TableName {
  return { keyspace, name };
}
