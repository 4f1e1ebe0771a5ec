// The kind of rule that checks whether nodes that are up provide metrics.
import { durationText, nodesOf, type Rule, type RuleKind } from '../rule.js';
import { type Fact, factAboutNode } from './node-targets.js';

/**
 * Fires for a node that is up while none of its metric sources provides a sample; the value is the minutes since the
 * last.
 */
export const agentIssue: RuleKind<Rule, Fact> = {
  ...factAboutNode,
  type: 'agent-issue',
  label: 'a node gives no metrics',
  help: 'a node is up but provides no metrics',
  condition: 'a node gives no metrics',
  marksNodeDown: false,
  *observe(rule, cluster) {
    for (const { address, target, state } of nodesOf(rule, cluster)) {
      const lastReadMs = cluster.samples.lastReadMs(address);
      const isSilent = state === 'up' && lastReadMs !== cluster.atMs;
      const value = isSilent && lastReadMs !== undefined ? (cluster.atMs - lastReadMs) / 60_000 : 0;
      const observed = { atMs: cluster.atMs, value, isTrue: isSilent };
      yield { key: address, target, observed };
    }
  },
  subjectOf: (_, { node }) => `the metrics of node ${node}`,
  conditionOf: (rule) => `no metrics${durationText(rule)}`,
};
