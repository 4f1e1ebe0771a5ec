// Readings of the cluster `local` from the counts of its process.
import type { Collections } from '../../foundation/telemetry/collections.js';
import { noLatencies } from '../../foundation/telemetry/latency-counts.js';
import type {
  RequestFigures,
  RequestKind,
  TableRequestFigures,
  TrafficFigures,
} from '../../foundation/telemetry/traffic.js';
import type { Reading } from './cluster.js';

/** The counts of the data service's process since the last call. Plain data. */
export interface ProcessFigures {
  /** The time since the last call, or since the start of the process. */
  readonly elapsedMs: number;
  readonly traffic: TrafficFigures;
  readonly heap: { readonly usedBytes: number; readonly committedBytes: number; readonly maxBytes: number };
  /** Resident memory of the process. */
  readonly residentBytes: number;
  /** Since the start of the process. */
  readonly collections: Collections;
}

/** A value with its key, without the node, which is added later: `local` has only one. */
export type LocalReading = Reading extends infer Each
  ? Each extends Reading
    ? Omit<Each, 'node'>
    : never
  : never;

/** The readings of the process; those that need earlier figures are omitted without them. */
export function readingsOfProcess(
  figures: ProcessFigures,
  before: ProcessFigures | undefined,
  tables: readonly string[],
): readonly LocalReading[] {
  const seconds = figures.elapsedMs / 1000;
  if (seconds <= 0) return [];
  const { heap, residentBytes, traffic } = figures;
  return [
    ...readingsOfKind('read', traffic.kinds.read, seconds),
    ...readingsOfKind('write', traffic.kinds.write, seconds),
    { key: 'pending-read-stage', value: traffic.pending.read },
    { key: 'pending-mutation-stage', value: traffic.pending.write },
    { key: 'heap-used', value: heap.usedBytes },
    { key: 'heap-committed', value: heap.committedBytes },
    { key: 'heap-max', value: heap.maxBytes },
    { key: 'nonheap-used', value: Math.max(0, residentBytes - heap.committedBytes) },
    ...(before === undefined ? [] : readingsOfCollections(figures.collections, before.collections, seconds)),
    ...readingsOfTables(traffic, tables, seconds),
  ];
}

function readingsOfKind(
  kind: RequestKind,
  figures: RequestFigures,
  seconds: number,
): readonly LocalReading[] {
  const { finished, failed, timedOut, totalMs, latencies } = figures;
  return [
    { key: `${kind}-ops`, value: finished / seconds },
    { key: `${kind}-failures`, value: failed / seconds },
    { key: `${kind}-timeouts`, value: timedOut / seconds },
    // Without a request there is no mean, and 0 would be wrong.
    ...(finished === 0 ? [] : [{ key: `${kind}-latency-op`, value: totalMs / finished }]),
    { key: `${kind}-histogram`, histogram: latencies },
  ];
}

function readingsOfCollections(
  now: Collections,
  before: Collections,
  seconds: number,
): readonly LocalReading[] {
  const sorts = [
    ['par-new', now.minor, before.minor],
    ['g1-old', now.major, before.major],
  ] as const;
  return sorts.flatMap(([name, { count, totalMs }, earlier]) => [
    { key: `${name}-collection-count`, value: (count - earlier.count) / seconds },
    { key: `${name}-collection-time`, value: (totalMs - earlier.totalMs) / seconds },
  ]);
}

function readingsOfTables(
  traffic: TrafficFigures,
  tables: readonly string[],
  seconds: number,
): readonly LocalReading[] {
  const busy = new Map(traffic.tables);
  return tables.flatMap((table) => {
    const { read, write } = busy.get(table) ?? { read: quiet, write: quiet };
    return [
      ...readingsOfTable(table, 'read', read, seconds),
      ...readingsOfTable(table, 'write', write, seconds),
    ];
  });
}

function readingsOfTable(
  table: string,
  kind: RequestKind,
  { calls, engineLatencies, finished, totalMs }: TableRequestFigures,
  seconds: number,
): readonly LocalReading[] {
  return [
    { key: `cf-${kind}-ops`, table, value: calls / seconds },
    { key: `cf-local-${kind}-latency`, table, histogram: engineLatencies },
    ...(finished === 0 ? [] : [{ key: `cf-${kind}-latency-op`, table, value: totalMs / finished }]),
  ];
}

const quiet: TableRequestFigures = { calls: 0, engineLatencies: noLatencies, finished: 0, totalMs: 0 };
