// The rules of all clusters: in memory, changed over HTTP, stored on disk before a change is answered.
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import type { AppendEvent, Caller } from '../events/event.js';
import { Repository } from '../store/repository.js';
import type { Store } from '../store/store.js';
import { readChangedRule, readNewRule } from './read-rule.js';
import type { Rule } from './rule.js';
import { kindOf } from './rules/registry.js';

/** What the repository needs from outside. */
export interface RuleRepositoryParts {
  readonly store: Store;
  readonly appendEvent: AppendEvent;
  /** A new UUID. */
  readonly newId: () => string;
  /** Called when the change of a rule, or its deletion (`after` undefined), is on disk. */
  onChange(clusterId: string, before: Rule, after: Rule | undefined): Promise<void>;
}

/** The maximum number of rules of one cluster: each is evaluated for every node at every interval. */
const mostRules = 1000;

/** The rules of all clusters. */
export class RuleRepository {
  readonly #parts: RuleRepositoryParts;
  readonly #rules: Repository<Rule>;

  /** Reads the stored rules. */
  constructor(parts: RuleRepositoryParts) {
    this.#parts = parts;
    this.#rules = new Repository(parts.store, {
      table: 'rules',
      most: mostRules,
      tooMany: `a cluster has at most ${mostRules} alert rules: delete one first`,
      // The rule was checked when it was written.
      read: (id, _, body) => ({ id, ...(body as object) }) as Rule,
      bodyOf: ({ id: _, ...rest }) => rest,
      missing: (clusterId, id) =>
        new OpsError('NotFound', `the cluster ${clusterId} has no alert rule ${id}`),
    });
  }

  /** The rules of a cluster, oldest first. */
  list(clusterId: string): readonly Rule[] {
    return this.#rules.list(clusterId);
  }

  /** The rule, or undefined. */
  find(clusterId: string, id: string): Rule | undefined {
    return this.#rules.findOf(clusterId, id);
  }

  /** @throws OpsError `NotFound` */
  get(clusterId: string, id: string): Rule {
    return this.#rules.get(clusterId, id);
  }

  /** @throws OpsError `BadRequest` with all problems of the body, `Unavailable` when the disk is full */
  create(cluster: Cluster, body: unknown, caller: Caller): Rule {
    const rule = readNewRule(body, this.#parts.newId(), cluster);
    this.#rules.create(cluster.id, rule);
    this.#report(cluster.id, 'ruleCreated', rule, caller);
    return rule;
  }

  /**
   * Resolves when the alerts of the rule have been evaluated again.
   * @throws OpsError as `create`; `NotFound`; `Conflict` when `id` or `type` would change
   */
  change(cluster: Cluster, id: string, body: unknown, caller: Caller): Promise<void> {
    const before = this.get(cluster.id, id);
    const after = readChangedRule(before, body, cluster);
    this.#rules.replace(cluster.id, after);
    this.#report(cluster.id, 'ruleChanged', after, caller);
    return this.#parts.onChange(cluster.id, before, after);
  }

  /** Resolves when the alerts of the rule have cleared. @throws OpsError `NotFound`, `Unavailable` on a full disk */
  delete(clusterId: string, id: string, caller: Caller): Promise<void> {
    const before = this.get(clusterId, id);
    this.#rules.delete(clusterId, id);
    this.#report(clusterId, 'ruleDeleted', before, caller);
    return this.#parts.onChange(clusterId, before, undefined);
  }

  /** Deletes the rules of a removed cluster, whose alerts are already deleted. */
  forgetCluster(clusterId: string): void {
    this.#rules.forgetCluster(clusterId);
  }

  #report(clusterId: string, action: RuleAction, rule: Rule, caller: Caller): void {
    const message = messageOf(action, rule);
    this.#parts.appendEvent(clusterId, { action, level: 'INFO', message, caller, success: true });
  }
}

/** The events of rules, with the verb of their message. */
const verbs = { ruleCreated: 'created', ruleChanged: 'changed', ruleDeleted: 'deleted' } as const;

type RuleAction = keyof typeof verbs;

function messageOf(action: RuleAction, rule: Rule): string {
  const name = kindOf(rule).metric?.nameOf(rule);
  const metric = name === undefined ? '' : ` on ${name}`;
  const state = action !== 'ruleDeleted' && rule.enabled === 0 ? ' (disabled)' : '';
  return `alert rule ${rule.id} (${rule.type}${metric}) ${verbs[action]}${state}`;
}
