// Which way to search: along the links, or past every row that passes.
import type { GraphShape, SearchWay } from './graph.js';

/** What a search is about, in one graph. */
export interface SearchTask {
  readonly shape: Pick<GraphShape, 'dimension' | 'walksOn'>;
  /** Rows in the graph, and how many of them pass the filter. */
  readonly rows: number;
  readonly passing: number;
  readonly limit: number;
  readonly breadth: number;
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
export function chooseWay({ shape, rows, passing, limit, breadth }: SearchTask): SearchWay {
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
