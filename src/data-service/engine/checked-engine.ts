// The only wrapper of engines: checks each call against the comments of `engine.ts`, and reports it to a watch.

import type { Clock } from '../../foundation/telemetry/clock.js';
import type { RequestKind, Traffic } from '../../foundation/telemetry/traffic.js';
import type { ReadOutcome, ReadPlan } from '../query/read.js';
import { changesNothing, describeSchemaChange } from '../schema/describe-schema-change.js';
import type { Schema } from '../schema/keyspace.js';
import type { SchemaChange } from '../schema/schema-change.js';
import type { Table } from '../schema/table.js';
import {
  checkChangePlan,
  checkInsertPlan,
  checkReadOutcome,
  checkReadPlan,
  demand,
  type SliceWatch,
} from './check-calls.js';
import type { DocumentWrites, Engine, InsertOutcome } from './engine.js';
import { EngineError } from './engine-error.js';
import type { NativeResult } from './native-result.js';

const refusedAfterClose = 'after close everything is refused';

/** Counts the calls of engines: see `Traffic`. */
export type CallCounter = Pick<Traffic, 'beginCall' | 'suspendCall' | 'endCall'>;

/** Gets reports of the calls of an engine. No member waits for anything. */
export interface EngineWatch {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /**
   * Counts and times the reads and writes of tables. A read that returns its rows in slices lasts until its last row is
   * taken or its caller ends; until its first row is taken, it does nothing and is not counted.
   */
  readonly counter: CallCounter;
  /** Called before each write of rows or documents. */
  readonly onWrite?: () => void;
  /**
   * Called with a text for a write that the storage refused, and with undefined for one that succeeds. Other errors do
   * not count.
   */
  readonly onWritten?: (problem: string | undefined) => void;
  /** Called with a message for users and the new schema after each change. An error is a bug and fails the command. */
  readonly onSchemaChange?: (message: string, schema: Schema) => void;
}

/** An engine whose calls are checked and reported to a watch. */
export interface CheckedEngine extends Engine {
  /** A view of the engine for the calls of one request: members of the watch are replaced for them. */
  watchedBy(own: Partial<EngineWatch>): CheckedEngine;
}

const nobody: EngineWatch = {
  clock: { monotonicMs: () => 0 },
  counter: { beginCall: () => {}, suspendCall: () => {}, endCall: () => {} },
};

/** The engine with checks of every call, which reject with a ContractViolation. Without a watch nothing is reported. */
export function checkedEngine(engine: Engine, watch: EngineWatch = nobody): CheckedEngine {
  return wrapped(engine, watch, { isClosed: false });
}

/** The state that the views of one engine share. */
interface Lifetime {
  isClosed: boolean;
}

function wrapped(engine: Engine, watch: EngineWatch, lifetime: Lifetime): CheckedEngine {
  const { documents, maintain, runNative, estimateCount, readLatestSchema } = engine;
  const refused = <Result>(work: Promise<Result>) => (lifetime.isClosed ? expectRefusal(work) : work);
  const calls = new WatchedCalls(watch, lifetime);
  return {
    name: engine.name,
    readSchema: (afterChanges) => {
      const schema = engine.readSchema(afterChanges);
      if (schema instanceof Promise) return refused(schema);
      demand(!lifetime.isClosed, refusedAfterClose);
      return schema;
    },
    ...(readLatestSchema && { readLatestSchema: () => refused(readLatestSchema.call(engine)) }),
    changeSchema: (change) => calls.noted(refused(changeSchema(engine, change, watch.onSchemaChange))),
    insertRows: (plan) => {
      checkInsertPlan(plan);
      const startedMs = calls.beginWrite();
      return calls.write(plan.table, startedMs, engine.insertRows(plan), ({ rows }) => {
        demand(rows.length === plan.rows.length, 'insertRows gives one outcome per row');
        calls.noteRows(rows);
      });
    },
    readRows: (plan) => {
      checkReadPlan(plan);
      return calls.read(plan, watch.clock.monotonicMs(), engine.readRows(plan));
    },
    changeRow: (plan) => {
      checkChangePlan(plan);
      return calls.write(plan.table, calls.beginWrite(), engine.changeRow(plan));
    },
    deleteRows: (plan) => calls.write(plan.table, calls.beginWrite(), engine.deleteRows(plan)),
    ...(estimateCount && { estimateCount: (table) => refused(estimateCount.call(engine, table)) }),
    ...(documents && { documents: checkedDocuments(documents, calls) }),
    ...(maintain && { maintain: (task, signal) => refused(maintain.call(engine, task, signal)) }),
    ...(runNative && {
      runNative: (query) => {
        const run = () => refused(runNative.call(engine, query));
        return runChecked(engine, run, watch.onSchemaChange);
      },
    }),
    close: () => {
      const closing = engine.close();
      lifetime.isClosed = true;
      return closing;
    },
    watchedBy: (own) => wrapped(engine, { ...watch, ...own }, lifetime),
  };
}

function checkedDocuments(documents: DocumentWrites, calls: WatchedCalls): DocumentWrites {
  return {
    insert: (plan) => {
      demand(plan.documents.length > 0, 'an insert has documents');
      const startedMs = calls.beginWrite();
      return calls.write(plan.collection, startedMs, documents.insert(plan), (states) => {
        const isWhole = states.length === plan.documents.length;
        demand(isWhole, 'an insert of documents gives one state per document');
        calls.noteDone();
      });
    },
    change: (plan) => {
      const startedMs = calls.beginWrite();
      return calls.write(plan.collection, startedMs, documents.change(plan), ({ states, failure }) => {
        const isWhole = states.length === plan.keys.length || failure !== undefined;
        demand(isWhole, 'a change of documents gives one state per key');
        calls.noteDone();
      });
    },
    deleteAll: (collection) => calls.write(collection, calls.beginWrite(), documents.deleteAll(collection)),
    ...(documents.canMiss && { canMiss: documents.canMiss.bind(documents) }),
  };
}

/** Counts, times and notes the calls of an engine. After its end it must refuse them. */
class WatchedCalls {
  readonly #watch: EngineWatch;
  readonly #lifetime: Lifetime;

  constructor(watch: EngineWatch, lifetime: Lifetime) {
    this.#watch = watch;
    this.#lifetime = lifetime;
  }

  /** Called before a write; returns the time at which it begins. */
  beginWrite(): number {
    this.#watch.onWrite?.();
    return this.#watch.clock.monotonicMs();
  }

  /** Watches a write, whose call did not throw. `onResult` checks and notes its result; absent: there is none. */
  write<Result>(
    table: Table,
    startedMs: number,
    work: Promise<Result>,
    onResult?: (result: Result) => void,
  ): Promise<Result> {
    const { isClosed } = this.#lifetime;
    this.#watch.counter.beginCall('write');
    return work.then(
      (result) => {
        this.#end('write', table, startedMs);
        demand(!isClosed, refusedAfterClose);
        if (onResult === undefined) this.noteDone();
        else onResult(result);
        return result;
      },
      (error) => {
        this.#end('write', table, startedMs);
        this.#noteError(error);
        throw error;
      },
    );
  }

  /** Watches a read, whose call did not throw, and checks its outcome. */
  read(plan: ReadPlan, startedMs: number, reading: Promise<ReadOutcome>): Promise<ReadOutcome> {
    const { counter } = this.#watch;
    const { isClosed } = this.#lifetime;
    counter.beginCall('read');
    return reading.then(
      (outcome) => {
        const isInSlices = !Array.isArray(outcome.chunks);
        if (isInSlices) counter.suspendCall('read');
        else this.#end('read', plan.table, startedMs);
        demand(!isClosed, refusedAfterClose);
        return checkReadOutcome(plan, outcome, isInSlices ? this.#sliceWatch(plan, startedMs) : undefined);
      },
      (error) => {
        this.#end('read', plan.table, startedMs);
        throw error;
      },
    );
  }

  #sliceWatch({ table }: ReadPlan, startedMs: number): SliceWatch {
    return {
      begin: () => this.#watch.counter.beginCall('read'),
      end: () => this.#end('read', table, startedMs),
    };
  }

  #end(kind: RequestKind, { keyspace, name }: Table, startedMs: number): void {
    const { clock, counter } = this.#watch;
    counter.endCall(kind, clock.monotonicMs() - startedMs, keyspace, name);
  }

  noteDone(): void {
    this.#watch.onWritten?.(undefined);
  }

  noteRows(rows: InsertOutcome['rows']): void {
    if (rows.includes(null)) this.noteDone();
    else for (const error of rows) this.#noteError(error);
  }

  #noteError(error: unknown): void {
    if (error instanceof EngineError && error.kind === 'writeFailed')
      this.#watch.onWritten?.(`rows cannot be written: ${error.message}`);
  }

  /** Notes the end of a change of the schema, which is not counted. */
  noted(work: Promise<void>): Promise<void> {
    return work.then(
      () => this.noteDone(),
      (error) => {
        this.#noteError(error);
        throw error;
      },
    );
  }
}

async function changeSchema(
  engine: Engine,
  change: SchemaChange,
  onChange: EngineWatch['onSchemaChange'],
): Promise<void> {
  if (onChange === undefined) return engine.changeSchema(change);
  const before = await engine.readSchema();
  await engine.changeSchema(change);
  if (!changesNothing(change, before)) onChange(describeSchemaChange(change), await engine.readSchema());
}

/** Runs a native statement. An engine with a language of its own changes its schema by statements, too. */
async function runChecked(
  engine: Engine,
  run: () => Promise<NativeResult>,
  onChange: EngineWatch['onSchemaChange'],
): Promise<NativeResult> {
  const before = onChange && (await engine.readSchema());
  const result = await run();
  const isAligned = result.rows.every((row) => row.length === result.columns.length);
  demand(isAligned, 'runNative gives one value per column');
  const isRead = result.columns.length > 0;
  if (onChange === undefined || before === undefined || isRead) return result;
  const after = await engine.readSchema();
  if (!hasSameTables(before, after)) onChange('changed the schema by a native query', after);
  return result;
}

/** A table that has changed is another object. */
function hasSameTables(before: Schema, after: Schema): boolean {
  const present = [...after.keyspaces.values()];
  return (
    before.keyspaces.size === present.length &&
    present.every(({ name, tables }) => {
      const known = before.keyspaces.get(name)?.tables;
      return known?.size === tables.size && [...tables].every(([table, one]) => known.get(table) === one);
    })
  );
}

async function expectRefusal<Result>(work: Promise<Result>): Promise<Result> {
  const result = await work;
  demand(false, refusedAfterClose);
  return result;
}
