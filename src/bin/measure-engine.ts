// Times every call of the engine that reads or writes rows.
import type { Engine } from '../data-service/engine/engine.js';
import type { Table } from '../data-service/schema/table.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import type { RequestKind, Traffic } from '../foundation/telemetry/traffic.js';

/** The same engine; its promises are handed on as they are, so that nothing gets slower. */
export function measureEngine(engine: Engine, traffic: Traffic, clock: Clock): Engine {
  const measured = <Result>(
    kind: RequestKind,
    table: Table,
    call: () => Promise<Result>,
  ): Promise<Result> => {
    const startedMs = clock.monotonicMs();
    traffic.beginCall(kind);
    const end = () => traffic.endCall(kind, clock.monotonicMs() - startedMs, table.keyspace, table.name);
    const result = call();
    result.then(end, end);
    return result;
  };
  return {
    ...engine,
    readRows: (plan) => measured('read', plan.table, () => engine.readRows(plan)),
    insertRows: (plan) => measured('write', plan.table, () => engine.insertRows(plan)),
    changeRow: (plan) => measured('write', plan.table, () => engine.changeRow(plan)),
    deleteRows: (plan) => measured('write', plan.table, () => engine.deleteRows(plan)),
  };
}
