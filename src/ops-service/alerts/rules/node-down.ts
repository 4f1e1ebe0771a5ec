// The kind of rule that watches whether nodes answer.
import { type Fact, type JudgedCluster, type NodeDownRule, nodesOf, type RuleKind } from '../rule.js';
import { keyOf } from './metric-targets.js';

const wholeCluster = { node: '', dc: null, table: null, device: null };

/**
 * Fires for a node that the cluster calls down; the value is the minutes it has been down. When no node at all can be
 * reached there is one alert about the cluster instead of one per node.
 */
export const nodeDown: RuleKind<NodeDownRule> = {
  type: 'node-down',
  help: 'A node does not answer.',
  takes: [],
  needs: [],
  defaults: {},
  check: () => [],
  *observe(rule, cluster) {
    const nodes = nodesOf(rule, cluster);
    const isUnreachable = cluster.nodes.length > 1 && cluster.nodes.every(({ state }) => state === 'down');
    if (nodes.length > 0 && cluster.nodes.length > 1) {
      const sinceMs = Math.max(...cluster.nodes.map(({ downSinceMs = cluster.nowMs }) => downSinceMs));
      const observed = factOf(isUnreachable, sinceMs, cluster);
      yield { key: keyOf(wholeCluster), target: wholeCluster, observed };
    }
    for (const { address, target, state, downSinceMs } of nodes) {
      // While the alert about the cluster stands, those about nodes stay as they are.
      const isKnown = state !== 'unknown' && !isUnreachable;
      const observed = isKnown ? factOf(state === 'down', downSinceMs, cluster) : undefined;
      yield { key: address, target, observed };
    }
  },
  step: judgeFact,
};

/** The step of kinds that look at a fact. */
export function judgeFact(
  ...[, memory, observed]: Parameters<RuleKind['step']>
): ReturnType<RuleKind['step']> {
  if (observed === undefined || !('isTrue' in observed)) return { memory, verdict: undefined };
  const { value, isTrue } = observed;
  return { memory, verdict: { value, isBeyond: isTrue, isResolved: !isTrue } };
}

function factOf(isTrue: boolean, sinceMs: number | undefined, { atMs, nowMs }: JudgedCluster): Fact {
  return { atMs, value: isTrue ? Math.max(0, nowMs - (sinceMs ?? nowMs)) / 60_000 : 0, isTrue };
}
