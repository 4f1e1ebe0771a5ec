// Every kind of rule. A new one is one more line here.
import type { Rule, RuleKind, RuleType } from '../rule.js';
import { agentIssue } from './agent-issue.js';
import { clusterBalance } from './cluster-balance.js';
import { nodeDown } from './node-down.js';
import { percentile } from './percentile.js';
import { rollingAverage } from './rolling-avg.js';

/** The kinds by the `type` of their rules, in the order of the documentation. */
export const ruleKinds: ReadonlyMap<string, RuleKind> = new Map<RuleType, RuleKind>([
  [rollingAverage.type, rollingAverage as RuleKind],
  [percentile.type, percentile as RuleKind],
  [clusterBalance.type, clusterBalance as RuleKind],
  [nodeDown.type, nodeDown as RuleKind],
  [agentIssue.type, agentIssue as RuleKind],
]);

/** The kind of a rule. */
export function kindOf(rule: Pick<Rule, 'type'>): RuleKind {
  const kind = ruleKinds.get(rule.type);
  if (kind === undefined) throw new Error(`no kind of rule is called ${rule.type}`);
  return kind;
}
