// Times every call of the engine that reads or writes rows.
import type { Engine } from '../data-service/engine/engine.js';
import type { ReadOutcome, ReadPlan, RowChunks } from '../data-service/query/read.js';
import type { Table } from '../data-service/schema/table.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import type { RequestKind, Traffic } from '../foundation/telemetry/traffic.js';

/** Counts the calls: see `Traffic`. */
export type CallCounter = Pick<Traffic, 'beginCall' | 'suspendCall' | 'endCall'>;

/**
 * The same engine, with one more promise per call. A read that returns its rows in slices lasts until its
 * last row is taken or it is cancelled; until its first row is taken, it does nothing and is not counted.
 */
export function measureEngine(engine: Engine, traffic: CallCounter, clock: Clock): Engine {
  const end = (kind: RequestKind, { keyspace, name }: Table, startedMs: number) =>
    traffic.endCall(kind, clock.monotonicMs() - startedMs, keyspace, name);

  const measureWrite = <Result>(table: Table, call: () => Promise<Result>): Promise<Result> => {
    const startedMs = clock.monotonicMs();
    const result = call();
    // Not before the call: one that throws has no end.
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

  return {
    ...engine,
    readRows,
    insertRows: (plan) => measureWrite(plan.table, () => engine.insertRows(plan)),
    changeRow: (plan) => measureWrite(plan.table, () => engine.changeRow(plan)),
    deleteRows: (plan) => measureWrite(plan.table, () => engine.deleteRows(plan)),
  };
}
