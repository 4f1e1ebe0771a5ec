// The newest value of every metric of a cluster, in memory, for the evaluation of rules.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { LatencyCounts } from '../../foundation/telemetry/latency-counts.js';
import type { HistogramPart, Reading } from '../clusters/cluster.js';

/** The newest reading of a key in one place. Owned by `LatestSamples`, which updates it at the next reading. */
export interface Sample {
  /** The time of the reading, on the monotonic clock. */
  readonly atMs: number;
  /** The value is in the unit of the key. */
  readonly value: number;
  /** The distribution: samples of percentile keys have it if the cluster provides whole distributions. */
  readonly histogram?: LatencyCounts;
  /** The parts of the distribution: samples of percentile keys have them if the cluster provides parts. */
  readonly parts?: Readonly<Partial<Record<HistogramPart, number>>>;
}

/** The samples of one key on one node, by table or device; the key is the empty text for keys of the whole node. */
export type SamplesOfNode = ReadonlyMap<string, Sample>;

interface Cell {
  atMs: number;
  value: number;
  histogram?: LatencyCounts;
  parts?: Partial<Record<HistogramPart, number>>;
}

/** After this time without a reading a sample is removed: its table, device or node no longer exists. */
const keptMs = 15 * 60_000;

/** The samples of one cluster. */
export class LatestSamples {
  readonly #byKey = new Map<string, Map<string, Map<string, Cell>>>();
  /** The time of the last reading of each node. */
  readonly #lastReadMs = new Map<string, number>();
  #atMs = Number.NEGATIVE_INFINITY;
  #prunedMs = Number.NEGATIVE_INFINITY;

  /** The time of the newest readings, on the monotonic clock. */
  get atMs(): number {
    return this.#atMs;
  }

  /** Accepts the readings of one moment, which is not before the last one. */
  accept(readings: readonly Reading[], atMs: number): void {
    this.#atMs = atMs;
    for (const reading of readings) this.#take(reading, atMs);
    if (atMs - this.#prunedMs < keptMs) return;
    this.#prunedMs = atMs;
    this.#prune(atMs - keptMs);
  }

  /** The samples of a key by node, including old ones. */
  of(key: string): ReadonlyMap<string, SamplesOfNode> {
    return this.#byKey.get(key) ?? noSamples;
  }

  /** When a node last provided any reading; undefined if not recently. */
  lastReadMs(node: string): number | undefined {
    return this.#lastReadMs.get(node);
  }

  #take(reading: Reading, atMs: number): void {
    const { node, key } = reading;
    this.#lastReadMs.set(node, atMs);
    const cell = this.#cellOf(key, node, reading.table ?? reading.device ?? '');
    const isNew = cell.atMs !== atMs;
    cell.atMs = atMs;
    if ('histogram' in reading) {
      cell.histogram = reading.histogram;
    } else if (reading.part === undefined) {
      cell.value = reading.value;
    } else {
      if (isNew || cell.parts === undefined) cell.parts = {};
      cell.parts[reading.part] = reading.value;
    }
  }

  #cellOf(key: string, node: string, subject: string): Cell {
    const bySubject = getOrMake(getOrMake(this.#byKey, key, newNodes), node, newSubjects);
    return getOrMake(bySubject, subject, newCell);
  }

  #prune(beforeMs: number): void {
    for (const [key, byNode] of this.#byKey) {
      for (const [node, bySubject] of byNode) {
        for (const [subject, { atMs }] of bySubject) if (atMs < beforeMs) bySubject.delete(subject);
        if (bySubject.size === 0) byNode.delete(node);
      }
      if (byNode.size === 0) this.#byKey.delete(key);
    }
    for (const [node, atMs] of this.#lastReadMs) if (atMs < beforeMs) this.#lastReadMs.delete(node);
  }
}

const noSamples: ReadonlyMap<string, SamplesOfNode> = new Map();

// A constant, because it is used for every reading.
const newNodes = () => new Map<string, Map<string, Cell>>();
const newSubjects = () => new Map<string, Cell>();
const newCell = (): Cell => ({ atMs: Number.NEGATIVE_INFINITY, value: 0 });
