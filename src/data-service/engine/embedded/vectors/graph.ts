// One graph in one memory: the typed interface of `graph/*.as.ts`, which the build compiles to WebAssembly.
import { readFileSync } from 'node:fs';
import type { VectorQuantization } from '../../../../foundation/config/engines/embedded.js';
import type { VectorMetric } from '../../../schema/vector-index.js';

/** The parameters of a graph. */
export interface GraphShape {
  /** 1 to 8192. */
  readonly dimension: number;
  readonly metric: VectorMetric;
  /**
   * What a walk through the graph compares. `codes` has 8 bits for each value in addition to the floats, so a quarter
   * of the bytes is read. Hits are ordered by the floats in both cases. `codesAlone` has no floats: hits are ordered by
   * the codes, so the caller reads more rows than it needs and ranks them.
   */
  readonly walksOn: 'codes' | 'codesAlone' | 'floats';
  /** The maximum number of rows, if there is memory. */
  readonly maxRows: number;
}

/** What walks should compare: in few dimensions, near rows differ by less than the precision of codes. */
export function bestToWalkOn(dimension: number, quantization: VectorQuantization): GraphShape['walksOn'] {
  if (dimension < 32) return 'floats';
  return quantization === 'int8' ? 'codesAlone' : 'codes';
}

/** A row that a search found: its label, and the exact key that hits are ordered by, smallest first. */
export interface Hit {
  readonly label: number;
  readonly key: number;
}

/**
 * How a search is done. `graph`: along the links, with a beam of this breadth. `steps`: the same, but steps over rows
 * that do not pass the filter. `codes`: by the codes of all rows, then exactly for the best `kept`. `exact`: by the
 * floats of all rows.
 */
export type SearchWay =
  | { readonly kind: 'graph' | 'steps'; readonly breadth: number }
  | { readonly kind: 'codes'; readonly kept: number }
  | { readonly kind: 'exact' };

/** The maximum number of labels in one call of `pass`. */
const labelsPerCall = 32_768;
/** The maximum number of hits of one search. */
export const mostHits = 4096;
const pageBytes = 65_536;
const mostPages = 65_536;
const mostSlots = 2 ** 22;
/** The address of the header, see `memory.as.ts`. */
export const headerAt = 1024;
/** The offsets of the header's fields that are used here, 4 bytes each. */
export const headerFields = {
  dimension: 0,
  floatsWide: 1,
  codesWide: 2,
  metric: 3,
  maxSlots: 4,
  slots: 5,
  live: 6,
  waiting: 7,
  dead: 8,
  freeCount: 11,
  pivotCount: 12,
  tableMask: 13,
  random: 18,
  linked: 22,
  apart: 26,
  isCodedAlone: 32,
} as const;
const headerLength = 64;
/** The address of the bitmaps of the slots, after the header and the data that follows it. */
export const bitmapsAt = 65_536;
/** The approximate memory of a graph without rows, in bytes. */
const emptyBytes = 48 * 1024;
/** A snapshot is written and read in pieces of this size in bytes, a multiple of 16. */
const partBytes = 2 ** 22;
const metrics: Readonly<Record<VectorMetric, number>> = { cosine: 0, dot_product: 1, euclidean: 2 };

/** The exports of the compiled module. */
interface GraphExports {
  attach(): number;
  inputAddress(): number;
  outputAddress(): number;
  put(label: number): number;
  has(label: number): number;
  remove(label: number): number;
  link(steps: number): number;
  sweep(steps: number): number;
  passNone(): void;
  pass(labels: number): number;
  walkGraph(wanted: number, breadth: number, isFiltered: number): number;
  stepThroughGraph(wanted: number, breadth: number): number;
  lookAtAll(wanted: number, kept: number, isFiltered: number): number;
  tableAddress(): number;
  recordsLength(): number;
  checksum(from: number, bytes: number): number;
}

export interface MemoryPart {
  readonly bytes: Uint8Array;
  /** The checksum of the present bytes. */
  checksum(): number;
}

let compiled: WebAssembly.Module | undefined;

/** The module, compiled once in each thread; the build puts it beside this file. */
function graphModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('graph.wasm', import.meta.url)));
  return compiled;
}

/**
 * A new memory whose header has the shape of the graph. It is a shared memory, although only one thread uses it, for
 * two reasons. Its buffer stays valid when the memory grows. And V8 does not count it as memory of its heap, so that
 * the scratch area, most of which is never written, does not cause collections.
 */
function makeGraphMemory({ dimension, metric, walksOn, maxRows }: GraphShape): WebAssembly.Memory {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: mostPages, shared: true });
  const fields = new Uint32Array(memory.buffer, headerAt, headerLength);
  // For the dot product each row gets an additional value, which gives all rows the same length.
  const width = metric === 'dot_product' ? dimension + 1 : dimension;
  fields[headerFields.dimension] = dimension;
  fields[headerFields.floatsWide] = roundUp(width, 4);
  fields[headerFields.codesWide] = walksOn === 'floats' ? 0 : roundUp(width, 16);
  fields[headerFields.isCodedAlone] = walksOn === 'codesAlone' ? 1 : 0;
  fields[headerFields.metric] = metrics[metric];
  const slots = 2 ** Math.ceil(Math.log2(Math.max(maxRows, 1024)));
  fields[headerFields.maxSlots] = Math.min(mostSlots, slots);
  fields[headerFields.random] = 0x2545f491; // the seed of the random numbers
  return memory;
}

/** A graph without rows, in a memory of its own. */
export class Graph {
  readonly memory: WebAssembly.Memory;
  /** The address of the records; all parts before them have a fixed size. */
  readonly recordsAt: number;
  readonly #exports: GraphExports;
  readonly #header: Uint32Array;
  readonly #dimension: number;
  readonly #input: Float32Array;
  readonly #output: Float64Array;

  constructor(shape: GraphShape) {
    const memory = makeGraphMemory(shape);
    this.memory = memory;
    const instance = new WebAssembly.Instance(graphModule(), { env: { memory } });
    // `graph.as.ts` defines the exports.
    this.#exports = instance.exports as typeof instance.exports & GraphExports;
    this.recordsAt = this.#exports.attach() >>> 0;
    const missing = Math.ceil((this.recordsAt - memory.buffer.byteLength) / pageBytes);
    if (missing > 0) memory.grow(missing);
    this.#header = new Uint32Array(memory.buffer, headerAt, headerLength);
    this.#dimension = shape.dimension;
    this.#input = new Float32Array(memory.buffer, this.#exports.inputAddress() >>> 0, this.#dimension);
    this.#output = new Float64Array(memory.buffer, this.#exports.outputAddress() >>> 0, labelsPerCall);
  }

  /** The number of rows that can be found. */
  get rowCount(): number {
    return this.#field('live');
  }

  /** The number of rows that wait to be linked: each search measures all of them. */
  get waitingCount(): number {
    return this.#field('waiting');
  }

  /** The number of records in the graph, including those whose row was removed. */
  get linkedCount(): number {
    return this.#field('linked');
  }

  /** The approximate number of bytes that were written. The rest of the memory's length takes no physical memory. */
  get usedBytes(): number {
    return emptyBytes + (this.#exports.recordsLength() >>> 0);
  }

  /** Stores a row, and replaces the one with the same label. False if the memory is full: then nothing is changed. */
  put(label: number, vector: Float32Array): boolean {
    checkLabel(label);
    this.#enter(vector);
    return this.#exports.put(label) !== 0;
  }

  has(label: number): boolean {
    return this.#exports.has(label) !== 0;
  }

  /** Returns whether the row existed. */
  remove(label: number): boolean {
    return this.#exports.remove(label) !== 0;
  }

  /** Links up to `steps` waiting rows, and removes deleted ones. Returns whether there is more to do. */
  work(steps: number): boolean {
    // Removed rows first: otherwise new links to them would be replaced at once.
    const hasMoreToSweep = this.#exports.sweep(steps * 4) !== 0;
    return this.#exports.link(steps) !== 0 || hasMoreToSweep;
  }

  /** Sets the filter to rows with these labels. Returns their number. */
  setFilter(labels: Float64Array): number {
    this.#exports.passNone();
    let found = 0;
    for (let from = 0; from < labels.length; from += labelsPerCall) {
      const some = labels.subarray(from, from + labelsPerCall);
      this.#output.set(some);
      found += this.#exports.pass(some.length);
    }
    return found;
  }

  /** The nearest rows to a vector, at most `wanted` (≤ `mostHits`), nearest first. */
  search(vector: Float32Array, wanted: number, way: SearchWay, isFiltered: boolean): readonly Hit[] {
    this.#enter(vector);
    const found = this.#run(wanted, way, isFiltered ? 1 : 0);
    const hits: Hit[] = [];
    for (let at = 0; at < found; at += 1) {
      hits.push({ label: this.#output[2 * at] ?? 0, key: this.#output[2 * at + 1] ?? 0 });
    }
    return hits;
  }

  /** Writes the hits to the output; returns their number. */
  #run(wanted: number, way: SearchWay, isFiltered: number): number {
    switch (way.kind) {
      case 'graph':
        return this.#exports.walkGraph(wanted, Math.max(way.breadth, wanted), isFiltered);
      case 'steps':
        return this.#exports.stepThroughGraph(wanted, Math.max(way.breadth, wanted));
      case 'codes':
        return this.#exports.lookAtAll(wanted, Math.max(way.kept, wanted), isFiltered);
      case 'exact':
        return this.#exports.lookAtAll(wanted, 0, isFiltered);
    }
  }

  /**
   * The parts of the memory that a snapshot contains, in order. The first part determines the sizes of the others: to
   * restore a graph, fill each part before the next is requested.
   */
  *parts(): Iterable<MemoryPart> {
    yield this.#part(0, bitmapsAt);
    const tableAt = this.#exports.tableAddress() >>> 0;
    yield this.#part(bitmapsAt, tableAt - bitmapsAt);
    const tableMask = this.#field('tableMask');
    const tableEntries = tableMask === 0 ? 0 : tableMask + 1;
    yield this.#part(tableAt, tableEntries * 4);
    const recordBytes = this.#exports.recordsLength() >>> 0;
    const missing = Math.ceil((this.recordsAt + recordBytes - this.memory.buffer.byteLength) / pageBytes);
    if (missing > 0) this.memory.grow(missing);
    for (let at = 0; at < recordBytes; at += partBytes) {
      yield this.#part(this.recordsAt + at, Math.min(partBytes, recordBytes - at));
    }
  }

  #part(from: number, bytes: number): MemoryPart {
    return {
      bytes: new Uint8Array(this.memory.buffer, from, bytes),
      checksum: () => this.#exports.checksum(from, bytes) >>> 0,
    };
  }

  #enter(vector: Float32Array): void {
    if (vector.length !== this.#dimension) throw new RangeError(`a vector of ${vector.length} values`);
    this.#input.set(vector);
  }

  #field(name: keyof typeof headerFields): number {
    return this.#header[headerFields[name]] ?? 0;
  }
}

function checkLabel(label: number): void {
  if (!Number.isSafeInteger(label)) throw new RangeError(`${label} is not a label`);
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
