// Maintenance of the data file: flush, compact, cleanup and repair, in steps between which writes continue.
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import type { Schema } from '../../../schema/keyspace.js';
import type { Table } from '../../../schema/table.js';
import type { MaintenanceReport, MaintenanceTask } from '../../maintenance.js';
import { removeDroppedValues } from '../schema/dropped-values.js';
import { type LeftoversParts, removeLeftovers } from '../schema/leftovers.js';
import type { SchemaHolder } from '../schema/schema-holder.js';
import type { Writer } from '../writes/writer.js';
import { type RepairParts, repairTables } from './repair.js';

/** The parts that maintenance uses. */
export interface MaintenanceParts extends RepairParts, LeftoversParts {
  readonly writer: Pick<Writer, 'runStep'>;
  readonly clock: Clock;
  /** Resolves after some time. */
  readonly pause: (ms: number) => Promise<void>;
  readonly schema: Pick<SchemaHolder, 'current' | 'changeState' | 'noteEmptied'>;
}

const cancelled: MaintenanceReport = { state: 'cancelled', detail: 'stopped between two steps' };

/** How long a flush waits for readers before it fails. */
const busyTimeoutMs = 30_000;
const busyPauseMs = 100;
/** Pages of 4 KiB: some milliseconds of writing. */
const pagesPerStep = 256;

/** Runs a task. Rejects with an EngineError; the report has the problems that the task found. */
export async function maintain(
  task: MaintenanceTask,
  parts: MaintenanceParts,
  signal: AbortSignal,
): Promise<MaintenanceReport> {
  const tables = tablesOf(task, parts.schema.current);
  if (typeof tables === 'string') return { state: 'error', detail: tables };
  switch (task.action) {
    case 'flush':
      return flush(parts, signal);
    case 'compact':
      return compact(parts, signal);
    case 'cleanup':
      return cleanUp(tables, parts, signal);
    case 'repair':
      return (await repairTables(tables, parts, signal)) ?? cancelled;
  }
}

/** The tables of a task, or a message about its names. */
function tablesOf({ keyspace, tables }: MaintenanceTask, schema: Schema): readonly Table[] | string {
  if (keyspace === '') return [...schema.keyspaces.values()].flatMap((one) => [...one.tables.values()]);
  const found = schema.keyspaces.get(keyspace);
  if (found === undefined) return `there is no keyspace ${keyspace}`;
  if (tables.length === 0) return [...found.tables.values()];
  const missing = tables.filter((name) => !found.tables.has(name));
  if (missing.length > 0) return `the keyspace ${keyspace} has no table ${missing.join(', ')}`;
  return tables.flatMap((name) => found.tables.get(name) ?? []);
}

async function flush(
  { writer, clock, pause }: MaintenanceParts,
  signal: AbortSignal,
): Promise<MaintenanceReport> {
  const startedMs = clock.monotonicMs();
  while (!signal.aborted) {
    const { isBusy } = await writer.runStep('checkpoint', null);
    if (!isBusy) return { state: 'success', detail: 'the write-ahead log is in the data file' };
    if (clock.monotonicMs() - startedMs >= busyTimeoutMs) {
      const seconds = busyTimeoutMs / 1000;
      return { state: 'error', detail: `a read kept the write-ahead log in use for ${seconds} seconds` };
    }
    await pause(busyPauseMs);
  }
  return cancelled;
}

async function compact(parts: MaintenanceParts, signal: AbortSignal): Promise<MaintenanceReport> {
  const { writer } = parts;
  // What is removed in the background is free afterwards.
  if ((await removeLeftovers(parts, signal)) === undefined) return cancelled;
  let { left } = await writer.runStep('freePages', { pages: pagesPerStep });
  let freed = 0;
  while (left > 0) {
    if (signal.aborted) return cancelled;
    const before = left;
    ({ left } = await writer.runStep('freePages', { pages: pagesPerStep }));
    // Writes may have used or freed pages meanwhile; the last step is the one that reduces their number no further.
    if (left >= before) break;
    freed += before - left;
  }
  if (signal.aborted) return cancelled;
  await writer.runStep('optimize', null);
  // The file becomes shorter when the log is moved into it; readers may delay that.
  await writer.runStep('checkpoint', null);
  return {
    state: 'success',
    detail: `${freed} pages and those of the first step were returned to the file system`,
  };
}

async function cleanUp(
  tables: readonly Table[],
  parts: MaintenanceParts,
  signal: AbortSignal,
): Promise<MaintenanceReport> {
  const { writer } = parts;
  const leftovers = await removeLeftovers(parts, signal);
  if (leftovers === undefined) return cancelled;
  const { lines } = await writer.runStep('dropStrayLines', null);
  let emptied = 0;
  for (const table of tables) {
    const count = await removeDroppedValues(table, parts, signal);
    if (count === undefined) return cancelled;
    emptied += count;
  }
  const found = [
    `${leftovers} leftover tables and ${lines} stray lines removed`,
    `values of dropped columns removed from ${emptied} rows`,
  ];
  return { state: 'success', detail: found.join('; ') };
}
