// The kind of rule that checks how evenly data is distributed over the nodes of a data center.
import * as v from 'valibot';
import { getOrMake } from '../../../foundation/get-or-make.js';
import { labelled } from '../../errors/describe-field.js';
import { durationText, nodesOf, type Observation, type Rule, type RuleKind } from '../rule.js';
import { finiteNumber } from '../shared-fields.js';
import { checkBoundary, compare, isLooserBoundary, shownValue } from './boundary.js';
import { isNodeInScope } from './node-targets.js';

interface BalanceRule extends Rule {
  /** The difference between the fullest and the emptiest node, in percent of the mean. */
  readonly spread: number;
  readonly resolve_threshold?: number;
}

/** Fires when (fullest − emptiest) / mean of `data-load` within a data center is above `spread` percent. */
export const clusterBalance: RuleKind<BalanceRule> = {
  type: 'cluster-balance',
  label: 'the balance of data',
  help: '(fullest − emptiest node) / mean of `data-load` in a data center is above `spread` percent',
  condition: 'data unbalanced by more than {spread} %',
  fields: {
    spread: labelled(v.pipe(finiteNumber, v.minValue(0, 'must not be negative')), 'Spread', {
      help: 'the difference that fires, in percent of the mean',
      remark: 'in percent',
      group: 'boundary',
    }),
    resolve_threshold: labelled(finiteNumber, 'Clears below', {
      help: 'an alert clears only below this value',
      group: 'boundary',
    }),
  },
  needs: [],
  defaults: { spread: 25 },
  marksNodeDown: false,
  stored: () => ({ key: 'data-load', part: '', windowMs: 0 }),
  check: (rule) => checkBoundary(boundaryOf(rule)),
  *observe(rule, cluster) {
    const loads = cluster.samples.of('data-load');
    const byDc = new Map<string | null, { node: string; load: number }[]>();
    for (const { address, dc } of nodesOf(rule, cluster)) {
      const ofDc = getOrMake(byDc, dc, () => []);
      const sample = loads.get(address)?.get('');
      if (sample?.atMs === cluster.atMs) ofDc.push({ node: address, load: sample.value });
    }
    for (const [dc, ofDc] of byDc) yield observeDc(dc, ofDc, cluster.atMs);
  },
  step: (rule, memory, observed) => ({
    memory,
    verdict: observed === undefined ? undefined : compare(observed.value, boundaryOf(rule)),
  }),
  measureOf: ({ type }) => type,
  isLooser: (before, after) => isLooserBoundary(boundaryOf(before), boundaryOf(after)),
  // The spread that fired is an old one: it counts until there is a new one.
  isStillBeyond: () => true,
  isInScope: isNodeInScope,
  whyGone: (_, target, { nodes }) =>
    nodes.some(({ dc }) => dc === target.dc) ? undefined : 'data center removed',
  subjectOf: (_, { dc }) => `the balance of data in ${dc === null || dc === '' ? 'the cluster' : dc}`,
  conditionOf(rule, _, value) {
    const { spread } = rule;
    return `spread of ${shownValue(value, spread)} % above ${spread} %${durationText(rule)}`;
  },
};

function boundaryOf({ spread, resolve_threshold }: BalanceRule) {
  const resolve = resolve_threshold === undefined ? {} : { resolve_threshold };
  return { threshold: spread, comparator: '>', ...resolve } as const;
}

/** The alert is about the data center; its node is the fullest one, which may change. */
function observeDc(
  dc: string | null,
  nodes: readonly { readonly node: string; readonly load: number }[],
  atMs: number,
): Observation {
  const [first] = nodes;
  const place = { dc, table: null, device: null };
  // No node has this key, because addresses contain no blanks.
  const key = ` ${dc ?? ''}`;
  if (first === undefined) return { key, target: { node: '', ...place }, observed: undefined };
  const fullest = nodes.reduce((found, next) => (next.load > found.load ? next : found), first);
  const emptiest = nodes.reduce((found, next) => (next.load < found.load ? next : found), first);
  const mean = nodes.reduce((sum, { load }) => sum + load, 0) / nodes.length;
  const value = mean === 0 ? 0 : ((fullest.load - emptiest.load) / mean) * 100;
  return { key, target: { node: fullest.node, ...place }, observed: { atMs, value } };
}
