// A vector index of any size: graphs of up to 4 GiB each, which are searched one after another.
import { memoryOutside } from '../../../../foundation/memory-outside.js';
import { Graph, type GraphShape, type Hit, mostHits, type SearchWay } from './graph.js';

/** The parameters of a search. */
export interface Wanted {
  /** The maximum number of rows, 1 to 1000. */
  readonly limit: number;
  /** The beam of a walk through the graph: a broader one finds more of the nearest rows and takes longer. */
  readonly breadth: number;
}

/**
 * An index of vectors by label, an integer. A stored row is found by the next search, whether it is linked or not.
 * Vectors are float32 with the dimension of the shape.
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

  /** The number of rows that can be found. */
  get rowCount(): number {
    return sumOf(this.#segments, ({ rowCount }) => rowCount);
  }

  /** The number of rows that are not linked yet: each search measures all of them. */
  get waitingCount(): number {
    return sumOf(this.#segments, ({ waitingCount }) => waitingCount);
  }

  /** The index is not used any more: the memory of its graphs is freed by the garbage collector. */
  release(): void {
    for (const segment of this.#segments) memoryOutside.release(segment, segment.usedBytes);
  }

  /** A new segment without rows, which a snapshot fills. */
  addSegment(): Graph {
    const segment = new Graph(this.#shape);
    this.#segments.push(segment);
    return segment;
  }

  /** Stores a row, and replaces the one with the same label. */
  put(label: number, vector: Float32Array): void {
    const holder = this.#segments.find((segment) => segment.has(label));
    if (holder?.put(label, vector)) return;
    const others = this.#segments.filter((segment) => segment !== holder).reverse();
    if (!others.some((segment) => segment.put(label, vector))) this.addSegment().put(label, vector);
    holder?.remove(label);
  }

  /** Returns whether the row existed. */
  remove(label: number): boolean {
    return this.#segments.some((segment) => segment.remove(label));
  }

  /** Links waiting rows and removes deleted ones, in about `steps` steps. Returns whether there is more to do. */
  work(steps: number): boolean {
    return this.#segments.filter((segment) => segment.work(steps)).length > 0;
  }

  /**
   * Sets a filter that only rows with these labels pass, for searches until the next call. Whether later rows pass is
   * not defined: the caller checks the hits against its rows.
   */
  setFilter(labels: Float64Array): VectorFilter {
    return { passing: this.#segments.map((segment) => segment.setFilter(labels)) };
  }

  /** The nearest rows, nearest first; if a filter is given, which must be the last one set, only rows that pass it. */
  search(vector: Float32Array, { limit, breadth }: Wanted, filter?: VectorFilter): readonly Hit[] {
    if (limit > mostHits) throw new RangeError(`${limit} hits are too many`);
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

/** A filter that was set: the number of rows that pass in each segment. */
export interface VectorFilter {
  readonly passing: readonly number[];
}

/** A search in one graph. */
interface SearchTask extends Wanted {
  readonly shape: GraphShape;
  /** The number of rows in the graph, and of those that pass the filter. */
  readonly rows: number;
  readonly passing: number;
}

/** Records that a walk measures for each place in its beam. */
const measuredPerPlace = 20;
/** The number for a walk that steps over rows, including the cost of the steps. */
const measuredPerStep = 100;
/**
 * The shares of passing rows for which walks step over the others: with lower shares, too few links remain between
 * passing rows.
 */
const steppedShares = { from: 0.09, to: 0.16 } as const;
/**
 * A comparison of all passing rows is preferred to a walk unless it costs so many times as much: it reads rows in
 * order, and also finds them where the filter has to do with the vectors, which makes walks long or incomplete.
 */
const costsOfAll = { steps: 8, graph: 3 } as const;
/** Up to this number of rows, all are measured exactly. */
const fewRows = 256;

/** The cheapest way to search that finds enough rows. Costs are in nanoseconds, measured on one machine. */
function chooseWay({ shape, rows, passing, limit, breadth }: SearchTask): SearchWay {
  if (passing <= fewRows || passing < limit * 2) return { kind: 'exact' };
  const isCoded = shape.walksOn !== 'floats';
  const floatCost = 40 + shape.dimension * 0.27;
  const codeCost = isCoded ? 50 + shape.dimension * 0.12 : floatCost;
  const kept = Math.max(2 * limit + 16, 32);
  const all = isCoded ? passing * codeCost + kept * floatCost : passing * floatCost;
  const share = passing / rows;
  const places = placesFor(limit, breadth, share);
  const steps = Math.max(Math.ceil(limit * 1.2), Math.ceil(breadth / 5));
  const mayStep = share >= steppedShares.from && share <= steppedShares.to;
  if (mayStep && steps * measuredPerStep * codeCost * costsOfAll.steps < all)
    return { kind: 'steps', breadth: steps };
  const walked = (places / share) * measuredPerPlace * codeCost;
  if (walked * (share < 1 ? costsOfAll.graph : 1) < all) return { kind: 'graph', breadth: places };
  return isCoded ? { kind: 'codes', kept } : { kind: 'exact' };
}

/** The beam width for a filter: `breadth * share` passing rows correspond to `breadth` rows without a filter. */
function placesFor(limit: number, breadth: number, share: number): number {
  if (share === 1) return Math.max(breadth, limit);
  return Math.max(Math.ceil(limit * 1.2), Math.ceil(breadth * share));
}

function sumOf(segments: readonly Graph[], count: (segment: Graph) => number): number {
  return segments.reduce((sum, segment) => sum + count(segment), 0);
}
