// The common parts of the kinds of rules about whole nodes: facts about a node, and whether it still exists.
import {
  isInDc,
  type JudgedCluster,
  type Judgement,
  type Observed,
  type Rule,
  type RuleKind,
  type Target,
} from '../rule.js';

/** A condition that is true or not, with the value of the alert. */
export interface Fact extends Observed {
  readonly isTrue: boolean;
  /** Another alert is about the fact. */
  readonly isHeld?: boolean;
}

/** The members that are the same for kinds that check a fact about a node. */
export const factAboutNode = {
  fields: {},
  needs: [],
  defaults: {},
  check: () => [],
  step: judgeFact,
  measureOf: ({ type }) => type,
  isLooser: () => true,
  isStillBeyond: () => true,
  isInScope: isNodeInScope,
  whyGone: whyNodeGone,
} satisfies Partial<RuleKind<Rule, Fact>>;

/** Whether a target is a node of the rule's data center. */
export function isNodeInScope(rule: Rule, target: Target): boolean {
  return isInDc(rule, target) && target.table === null && target.device === null;
}

/** The reason `node removed` for an alert about a node that is gone; undefined for others. */
export function whyNodeGone(_: Rule, { node }: Target, { nodes }: JudgedCluster): string | undefined {
  return node === '' || nodes.some(({ address }) => address === node) ? undefined : 'node removed';
}

function judgeFact(_: Rule, memory: unknown, observed: Fact | undefined): Judgement {
  if (observed === undefined) return { memory, verdict: undefined };
  const { value, isTrue, isHeld = false } = observed;
  return { memory, verdict: { value, isBeyond: isTrue, isResolved: !isTrue, isHeld } };
}
