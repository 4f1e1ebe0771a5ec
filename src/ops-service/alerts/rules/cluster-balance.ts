// The kind of rule that watches how evenly data is spread over the nodes of a data center.
import {
  type BalanceRule,
  checkBoundary,
  compare,
  nodesOf,
  type Observation,
  type RuleKind,
} from '../rule.js';
import { keyOf } from './metric-targets.js';

/** Fires when (fullest − emptiest) / mean of `data-load` within a data center is above `spread` percent. */
export const clusterBalance: RuleKind<BalanceRule> = {
  type: 'cluster-balance',
  help: 'The data of a data center is spread unevenly over its nodes.',
  takes: ['spread', 'resolve_threshold'],
  needs: [],
  defaults: { spread: 25 },
  check: (rule) => checkBoundary(boundaryOf(rule)),
  *observe(rule, cluster) {
    const loads = cluster.samples.of('data-load');
    const byDc = new Map<string | null, { node: string; load: number }[]>();
    for (const { address, dc } of nodesOf(rule, cluster)) {
      const ofDc = byDc.get(dc) ?? [];
      byDc.set(dc, ofDc);
      const sample = loads.get(address)?.get('');
      if (sample?.atMs === cluster.atMs) ofDc.push({ node: address, load: sample.value });
    }
    for (const [dc, ofDc] of byDc) yield observeDc(dc, ofDc, cluster.atMs);
  },
  step: (rule, memory, observed) => ({
    memory,
    verdict: observed === undefined ? undefined : compare(observed.value, boundaryOf(rule)),
  }),
};

function boundaryOf({ spread, resolve_threshold }: BalanceRule) {
  const resolve = resolve_threshold === undefined ? {} : { resolve_threshold };
  return { threshold: spread, comparator: '>', ...resolve } as const;
}

/** The alert is about the data center; the node it names is the fullest one and may change. */
function observeDc(
  dc: string | null,
  nodes: readonly { readonly node: string; readonly load: number }[],
  atMs: number,
): Observation {
  const [first] = nodes;
  const place = { dc, table: null, device: null };
  const key = keyOf({ node: '', ...place });
  if (first === undefined) return { key, target: { node: '', ...place }, observed: undefined };
  const fullest = nodes.reduce((found, next) => (next.load > found.load ? next : found), first);
  const emptiest = nodes.reduce((found, next) => (next.load < found.load ? next : found), first);
  const mean = nodes.reduce((sum, { load }) => sum + load, 0) / nodes.length;
  const value = mean === 0 ? 0 : ((fullest.load - emptiest.load) / mean) * 100;
  return { key, target: { node: fullest.node, ...place }, observed: { atMs, value } };
}
