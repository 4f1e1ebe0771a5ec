// Adds up the figures of several processes, for the operations service, which shows one server.
import type { Collections } from '../../foundation/telemetry/collections.js';
import { mergeLatencies } from '../../foundation/telemetry/latency-counts.js';
import type {
  RequestFigures,
  RequestKind,
  TableRequestFigures,
  TrafficFigures,
} from '../../foundation/telemetry/traffic.js';
import type { ProcessFigures } from './process-readings.js';

/** The sum for the time of the first process; `first` is the one that asks the others. */
export function sumProcessFigures(first: ProcessFigures, others: readonly ProcessFigures[]): ProcessFigures {
  const all = [first, ...others];
  return {
    elapsedMs: first.elapsedMs,
    traffic: sumTraffic(all.map(({ traffic }) => traffic)),
    heap: {
      usedBytes: sumOf(all, ({ heap }) => heap.usedBytes),
      committedBytes: sumOf(all, ({ heap }) => heap.committedBytes),
      maxBytes: sumOf(all, ({ heap }) => heap.maxBytes),
    },
    residentBytes: sumOf(all, ({ residentBytes }) => residentBytes),
    collections: sumCollections(all.map(({ collections }) => collections)),
  };
}

/** The sum of the collections of several processes. */
export function sumCollections(all: readonly Collections[]): Collections {
  const sumOfKind = (kind: keyof Collections) => ({
    count: sumOf(all, (each) => each[kind].count),
    totalMs: sumOf(all, (each) => each[kind].totalMs),
  });
  return { minor: sumOfKind('minor'), major: sumOfKind('major') };
}

function sumTraffic(all: readonly TrafficFigures[]): TrafficFigures {
  const tables = new Map<string, TrafficFigures['tables'][number][1][]>();
  for (const [name, figures] of all.flatMap((each) => each.tables))
    tables.set(name, [...(tables.get(name) ?? []), figures]);
  return {
    kinds: ofBothKinds((kind) => sumRequests(all.map(({ kinds }) => kinds[kind]))),
    pending: ofBothKinds((kind) => sumOf(all, ({ pending }) => pending[kind])),
    tables: [...tables].map(([name, parts]) => [
      name,
      ofBothKinds((kind) => sumTableRequests(parts.map((each) => each[kind]))),
    ]),
  };
}

function sumRequests(all: readonly RequestFigures[]): RequestFigures {
  return {
    finished: sumOf(all, ({ finished }) => finished),
    failed: sumOf(all, ({ failed }) => failed),
    timedOut: sumOf(all, ({ timedOut }) => timedOut),
    totalMs: sumOf(all, ({ totalMs }) => totalMs),
    latencies: mergeLatencies(all.map(({ latencies }) => latencies)),
  };
}

function sumTableRequests(all: readonly TableRequestFigures[]): TableRequestFigures {
  return {
    calls: sumOf(all, ({ calls }) => calls),
    engineLatencies: mergeLatencies(all.map(({ engineLatencies }) => engineLatencies)),
    finished: sumOf(all, ({ finished }) => finished),
    totalMs: sumOf(all, ({ totalMs }) => totalMs),
  };
}

function ofBothKinds<Value>(partOf: (kind: RequestKind) => Value): Readonly<Record<RequestKind, Value>> {
  return { read: partOf('read'), write: partOf('write') };
}

function sumOf<Each>(all: readonly Each[], numberOf: (each: Each) => number): number {
  return all.reduce((sum, each) => sum + numberOf(each), 0);
}
