// All kinds of rules. A new kind is one more entry here.
import type { Rule, RuleKind } from '../rule.js';
import { agentIssue } from './agent-issue.js';
import { clusterBalance } from './cluster-balance.js';
import { nodeDown } from './node-down.js';
import { percentile } from './percentile.js';
import { rollingAverage } from './rolling-avg.js';

/** The kinds, in the order of the documentation. */
const kinds: readonly RuleKind[] = [rollingAverage, percentile, clusterBalance, nodeDown, agentIssue];

/** The kinds by the `type` of their rules. */
export const ruleKinds: ReadonlyMap<string, RuleKind> = new Map(kinds.map((kind) => [kind.type, kind]));

/** The kind of a rule. */
export function kindOf({ type }: Pick<Rule, 'type'>): RuleKind {
  const kind = ruleKinds.get(type);
  if (kind === undefined) throw new Error(`there is no kind of rule ${type}`);
  return kind;
}

/**
 * Whether a firing alert of a rule means that its node is down; false for an unknown type, which another version may
 * have written.
 */
export function marksNodeDown({ type }: Pick<Rule, 'type'>): boolean {
  return ruleKinds.get(type)?.marksNodeDown === true;
}
