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
/** With fewer rows than this, or a smaller share of them, looking at the floats is cheap enough not to be spared. */
const fewRows = 2048;
const smallShare = 0.02;

/** The cheapest way that finds what is wanted. Costs are in nanoseconds of the machine that they were measured on. */
export function chooseWay({ shape, rows, passing, limit, breadth }: SearchTask): SearchWay {
  if (passing <= fewRows || passing < limit * 2) return { kind: 'exact' };
  const codeCost = 20 + shape.dimension * 0.12;
  const floatCost = 20 + shape.dimension * 0.35;
  const walkCost = 1.5 * (shape.walksOn === 'codes' ? codeCost : floatCost);
  const share = passing / rows;
  const walked = Math.min(rows, (Math.max(breadth, limit) * measuredPerPlace) / share);
  const graph = walked * walkCost;
  const exact = passing * floatCost;
  if (share < smallShare && exact < 4 * graph) return { kind: 'exact' };
  const kept = Math.max(4 * limit, 64);
  const codes = shape.walksOn === 'codes' ? passing * codeCost + kept * floatCost : exact;
  if (graph < codes) return { kind: 'graph', breadth };
  return shape.walksOn === 'codes' ? { kind: 'codes', kept } : { kind: 'exact' };
}
