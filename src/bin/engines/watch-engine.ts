// Watches an engine from outside: times its calls, and reports when the storage refuses writes.
import type { DocumentWrites, Engine } from '../../data-service/engine/engine.js';
import { EngineError } from '../../data-service/engine/engine-error.js';
import type { ReadOutcome, ReadPlan, RowChunks } from '../../data-service/query/read.js';
import type { Table } from '../../data-service/schema/table.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { RequestKind, Traffic } from '../../foundation/telemetry/traffic.js';

/** Counts the calls: see `Traffic`. */
export type CallCounter = Pick<Traffic, 'beginCall' | 'suspendCall' | 'endCall'>;

/**
 * The same engine, with one more promise per call. A read that returns its rows in slices lasts until its
 * last row is taken or it is cancelled; until its first row is taken, it does nothing and is not counted.
 */
export function measureEngine(engine: Engine, traffic: CallCounter, clock: Clock): Engine {
  const end = (kind: RequestKind, { keyspace, name }: Table, startedMs: number) =>
    traffic.endCall(kind, clock.monotonicMs() - startedMs, keyspace, name);

  // Called with the time before the call and its result: a call that throws has no end.
  const measureWrite = <Result>(
    table: Table,
    startedMs: number,
    result: Promise<Result>,
  ): Promise<Result> => {
    traffic.beginCall('write');
    const ended = () => end('write', table, startedMs);
    result.then(ended, ended);
    return result;
  };

  async function* measureChunks(chunks: RowChunks, table: Table, startedMs: number) {
    traffic.beginCall('read');
    try {
      yield* chunks;
    } finally {
      end('read', table, startedMs);
    }
  }

  const readRows = (plan: ReadPlan): Promise<ReadOutcome> => {
    const startedMs = clock.monotonicMs();
    const result = engine.readRows(plan);
    traffic.beginCall('read');
    return result.then(
      (outcome) => {
        const { chunks } = outcome;
        if (Array.isArray(chunks)) {
          end('read', plan.table, startedMs);
          return outcome;
        }
        traffic.suspendCall('read');
        return { ...outcome, chunks: measureChunks(chunks, plan.table, startedMs) };
      },
      (error) => {
        end('read', plan.table, startedMs);
        throw error;
      },
    );
  };

  const { documents } = engine;
  return {
    ...engine,
    ...(documents === undefined ? {} : { documents: measuredDocuments(documents, measureWrite, clock) }),
    readRows,
    insertRows: (plan) => measureWrite(plan.table, clock.monotonicMs(), engine.insertRows(plan)),
    changeRow: (plan) => measureWrite(plan.table, clock.monotonicMs(), engine.changeRow(plan)),
    deleteRows: (plan) => measureWrite(plan.table, clock.monotonicMs(), engine.deleteRows(plan)),
  };
}

/** Measures a write of a table: called with the time before the call and its result. */
type MeasureWrite = <Result>(table: Table, startedMs: number, result: Promise<Result>) => Promise<Result>;

function measuredDocuments(
  documents: DocumentWrites,
  measure: MeasureWrite,
  clock: Pick<Clock, 'monotonicMs'>,
): DocumentWrites {
  return {
    ...documents,
    insert: (plan) => measure(plan.collection, clock.monotonicMs(), documents.insert(plan)),
    change: (plan) => measure(plan.collection, clock.monotonicMs(), documents.change(plan)),
    deleteAll: (collection) => measure(collection, clock.monotonicMs(), documents.deleteAll(collection)),
  };
}

/** Wraps engines that write to one storage, and single writes. */
export interface WriteWatch {
  watchEngine(engine: Engine): Engine;
  /** Returns the same promise. */
  watchWrite<Result>(result: Promise<Result>): Promise<Result>;
}

/**
 * A watch of all writes. `onProblem` is called with a text for a write that the storage refused, and with undefined for
 * the next write that succeeds.
 */
export function watchWrites(onProblem: (problem: string | undefined) => void): WriteWatch {
  let known: string | undefined;
  const note = (problem: string | undefined) => {
    if (problem === known) return;
    known = problem;
    onProblem(problem);
  };
  const took = () => note(undefined);
  const failed = (error: unknown) => {
    if (error instanceof EngineError && error.kind === 'writeFailed')
      note(`rows cannot be written: ${error.message}`);
  };
  const watched = <Result>(result: Promise<Result>, ended: (result: Result) => void): Promise<Result> => {
    result.then(ended, failed);
    return result;
  };
  const watchDocuments = (documents: DocumentWrites): DocumentWrites => ({
    ...documents,
    insert: (plan) => watched(documents.insert(plan), took),
    change: (plan) => watched(documents.change(plan), took),
    deleteAll: (collection) => watched(documents.deleteAll(collection), took),
  });
  return {
    watchEngine: (engine) => ({
      ...engine,
      ...(engine.documents === undefined ? {} : { documents: watchDocuments(engine.documents) }),
      insertRows: (plan) =>
        watched(engine.insertRows(plan), ({ rows }) => {
          if (rows.includes(null)) took();
          else for (const error of rows) failed(error);
        }),
      changeRow: (plan) => watched(engine.changeRow(plan), took),
      deleteRows: (plan) => watched(engine.deleteRows(plan), took),
      changeSchema: (change) => watched(engine.changeSchema(change), took),
    }),
    watchWrite: (result) => watched(result, took),
  };
}
