// The nearest rows to a vector, of as many rows as there are: graphs of up to 4 GiB each, searched one after another.
import { memoryOutside } from '../../../../foundation/memory-outside.js';
import { type Find, Graph, type GraphShape, mostFinds, type SearchWay } from './graph.js';

/** What a search wants. */
export interface Wanted {
  /** Rows at most, 1 to 1000. */
  readonly limit: number;
  /** Beam of a walk through the graph: the wider, the more sure the finds and the slower. */
  readonly breadth: number;
}

/**
 * An index of vectors by label, a whole number. What was put is found by the next search, whether it is linked or not.
 * Vectors are float32; the dimension is the shape's.
 */
export class GraphIndex {
  readonly #shape: GraphShape;
  readonly #segments: Graph[] = [];

  constructor(shape: GraphShape) {
    this.#shape = shape;
  }

  /** The graphs, for snapshots. */
  get segments(): readonly Graph[] {
    return this.#segments;
  }

  /** Rows that can be found. */
  get rowCount(): number {
    return sumOf(this.#segments, ({ rowCount }) => rowCount);
  }

  /** Rows that are not linked yet: every search looks at all of them. */
  get waitingCount(): number {
    return sumOf(this.#segments, ({ waitingCount }) => waitingCount);
  }

  /** Nobody uses the index any more: the memories of its graphs wait for the garbage collector. */
  release(): void {
    for (const segment of this.#segments) memoryOutside.release(segment, segment.usedBytes);
  }

  /** A new segment without rows, to be filled from a snapshot. */
  addSegment(): Graph {
    const segment = new Graph(this.#shape);
    this.#segments.push(segment);
    return segment;
  }

  /** Stores a row, in place of the one that has its label. */
  put(label: number, vector: Float32Array): void {
    const holder = this.#segments.find((segment) => segment.has(label));
    if (holder?.put(label, vector)) return;
    const others = this.#segments.filter((segment) => segment !== holder).reverse();
    if (!others.some((segment) => segment.put(label, vector))) this.addSegment().put(label, vector);
    holder?.remove(label);
  }

  /** Whether there was such a row. */
  remove(label: number): boolean {
    return this.#segments.some((segment) => segment.remove(label));
  }

  /** Links rows that wait, and lets go of removed ones, in about `steps` steps. Whether there is more to do. */
  work(steps: number): boolean {
    return this.#segments.filter((segment) => segment.work(steps)).length > 0;
  }

  /**
   * A filter that only rows with these labels pass, for searches until it is called again. Whether a row that is put
   * later passes is not defined: the caller compares the finds with its rows.
   */
  setFilter(labels: Float64Array): VectorFilter {
    return { passing: this.#segments.map((segment) => segment.setFilter(labels)) };
  }

  /** The nearest rows, nearest first; of those that pass the filter, if it is given, which is the last one made. */
  search(vector: Float32Array, { limit, breadth }: Wanted, filter?: VectorFilter): readonly Find[] {
    if (limit > mostFinds) throw new RangeError(`${limit} finds are too many`);
    const found = this.#segments.map((segment, at) => {
      const passing = filter?.passing[at] ?? (filter === undefined ? segment.rowCount : 0);
      const way = chooseWay({ shape: this.#shape, rows: segment.rowCount, passing, limit, breadth });
      return segment.search(vector, limit, way, filter !== undefined);
    });
    if (found.length === 1) return found[0] ?? [];
    return found
      .flat()
      .sort((left, right) => left.key - right.key)
      .slice(0, limit);
  }
}

/** A filter that is set: how many rows pass in each segment. */
export interface VectorFilter {
  readonly passing: readonly number[];
}

/** What a search is about, in one graph. */
interface SearchTask extends Wanted {
  readonly shape: GraphShape;
  /** Rows in the graph, and how many of them pass the filter. */
  readonly rows: number;
  readonly passing: number;
}

/** Records measured on a walk for each place in its beam. */
const measuredPerPlace = 20;
/** The same, what it takes to step over others counted in, where a walk steps. */
const measuredPerStep = 100;
/** The share of rows that pass for which walks step over the others: with fewer, the rows left hang together badly. */
const steppedShares = { from: 0.09, to: 0.16 } as const;
/** With fewer rows than this all of them are looked at, exactly. */
const fewRows = 256;

/** The cheapest way that finds what is wanted. Costs are in nanoseconds of the machine that they were measured on. */
function chooseWay({ shape, rows, passing, limit, breadth }: SearchTask): SearchWay {
  if (passing <= fewRows || passing < limit * 2) return { kind: 'exact' };
  const isCoded = shape.walksOn === 'codes';
  const floatCost = 40 + shape.dimension * 0.27;
  const codeCost = isCoded ? 50 + shape.dimension * 0.12 : floatCost;
  const kept = Math.max(2 * limit + 16, 32);
  const all = isCoded ? passing * codeCost + kept * floatCost : passing * floatCost;
  const share = passing / rows;
  const places = placesFor(limit, breadth, share);
  const steps = Math.max(Math.ceil(limit * 1.2), Math.ceil(breadth / 5));
  const mayStep = share >= steppedShares.from && share <= steppedShares.to;
  if (mayStep && steps * measuredPerStep * codeCost < all) return { kind: 'steps', breadth: steps };
  if ((places / share) * measuredPerPlace * codeCost < all) return { kind: 'graph', breadth: places };
  return isCoded ? { kind: 'codes', kept } : { kind: 'exact' };
}

/** A beam of rows that pass stands for one as many times as broad of all rows, so that fewer places do. */
function placesFor(limit: number, breadth: number, share: number): number {
  if (share === 1) return Math.max(breadth, limit);
  return Math.max(Math.ceil(limit * 1.2), Math.ceil(breadth * share));
}

function sumOf(segments: readonly Graph[], count: (segment: Graph) => number): number {
  return segments.reduce((sum, segment) => sum + count(segment), 0);
}
