// The kind of rule that checks whether nodes answer.
import { durationText, type JudgedCluster, nodesOf, type Rule, type RuleKind } from '../rule.js';
import { type Fact, factAboutNode, isNodeInScope, whyNodeGone } from './node-targets.js';

/** Addresses contain no blanks, so no node has this key. */
const wholeClusterKey = ' ';
const wholeCluster = { node: '', dc: null, table: null, device: null };

/**
 * Fires for a node that the cluster considers down; the value is the minutes since then. If no node can be reached,
 * there is one alert about the cluster instead of one for each node.
 */
export const nodeDown: RuleKind<Rule, Fact> = {
  ...factAboutNode,
  type: 'node-down',
  label: 'a node is down',
  help:
    'a node does not answer, or the storage of this server does not work; if none of several nodes answers, there ' +
    'is one alert about the cluster',
  condition: 'a node is down',
  marksNodeDown: true,
  *observe(rule, cluster) {
    const nodes = nodesOf(rule, cluster);
    const isUnreachable = cluster.nodes.length > 1 && cluster.nodes.every(({ state }) => state === 'down');
    if (hasAlertAboutCluster(rule, cluster)) {
      const sinceMs = Math.max(...cluster.nodes.map(({ downSinceMs = cluster.nowMs }) => downSinceMs));
      const observed = factOf(isUnreachable, sinceMs, cluster);
      yield { key: wholeClusterKey, target: wholeCluster, observed };
    }
    for (const { address, target, state, downSinceMs } of nodes) {
      const fact = state === 'unknown' ? undefined : factOf(state === 'down', downSinceMs, cluster);
      // While the alert about the cluster fires, those about nodes do not change.
      const observed = fact && { ...fact, isHeld: isUnreachable };
      yield { key: address, target, observed };
    }
  },
  whyGone(rule, target, cluster) {
    if (target.node !== '') return whyNodeGone(rule, target, cluster);
    return hasAlertAboutCluster(rule, cluster) ? undefined : 'nodes removed';
  },
  isInScope: (rule, target) => target.node === '' || isNodeInScope(rule, target),
  subjectOf: (_, { node }) => (node === '' ? 'the cluster' : `node ${node}`),
  conditionOf: (rule, { node }) => (node === '' ? 'no node can be reached' : `down${durationText(rule)}`),
};

/** A cluster of one node has the alert about this node instead. */
function hasAlertAboutCluster(rule: Rule, cluster: JudgedCluster): boolean {
  return cluster.nodes.length > 1 && nodesOf(rule, cluster).length > 0;
}

function factOf(isTrue: boolean, sinceMs: number | undefined, { atMs, nowMs }: JudgedCluster): Fact {
  return { atMs, value: isTrue ? Math.max(0, nowMs - (sinceMs ?? nowMs)) / 60_000 : 0, isTrue };
}
