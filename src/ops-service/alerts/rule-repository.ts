// The rules of all clusters: kept in memory, changed over the API, on disk before a change is answered.
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import type { ActionName, AppendEvent, Caller } from '../events/event.js';
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
}

/**
 * Hears of a rule that is new (`before` undefined), changed, or deleted (`after` undefined), once it is on disk. The
 * next listener hears of it when this one has done what it does about it.
 */
export type RuleListener = (
  clusterId: string,
  before: Rule | undefined,
  after: Rule | undefined,
) => void | Promise<void>;

/** Rules of one cluster at most: each is judged for every node at every interval. */
const mostRules = 1000;

/** The rules. */
export class RuleRepository {
  readonly #parts: RuleRepositoryParts;
  readonly #rules: Repository<Rule>;
  readonly #listeners = new Set<RuleListener>();

  /** Reads the rules that the store has. */
  constructor(parts: RuleRepositoryParts) {
    this.#parts = parts;
    this.#rules = new Repository(parts.store, {
      table: 'rules',
      columns: { owner: 'cluster_id', body: 'body' },
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
    void this.#notify(cluster.id, 'ruleCreated', undefined, rule, caller); // nobody has to do anything about it
    return rule;
  }

  /**
   * Resolves when the alerts of the rule have been judged again.
   * @throws OpsError as `create`; `NotFound`; `Conflict` when `id` or `type` would change
   */
  change(cluster: Cluster, id: string, body: unknown, caller: Caller): Promise<void> {
    const before = this.get(cluster.id, id);
    const after = readChangedRule(before, body, cluster);
    this.#rules.replace(cluster.id, after);
    return this.#notify(cluster.id, 'ruleChanged', before, after, caller);
  }

  /** Resolves when the alerts of the rule have cleared. @throws OpsError `NotFound`, `Unavailable` on a full disk */
  delete(clusterId: string, id: string, caller: Caller): Promise<void> {
    const before = this.get(clusterId, id);
    this.#rules.delete(clusterId, id);
    return this.#notify(clusterId, 'ruleDeleted', before, undefined, caller);
  }

  /** Forgets the rules of a cluster that is not watched any more. */
  forgetCluster(clusterId: string): void {
    for (const rule of this.#rules.forgetCluster(clusterId)) {
      for (const listener of this.#listeners) void listener(clusterId, rule, undefined);
    }
  }

  /** Returns what ends the subscription. */
  subscribe(listener: RuleListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #notify(
    clusterId: string,
    action: ActionName,
    before: Rule | undefined,
    after: Rule | undefined,
    caller: Caller,
  ): Promise<void> {
    const message = messageOf(before, after);
    this.#parts.appendEvent(clusterId, { action, level: 'INFO', message, caller, success: true });
    for (const listener of this.#listeners) await listener(clusterId, before, after);
  }
}

function messageOf(before: Rule | undefined, after: Rule | undefined): string {
  const rule = after ?? before;
  const name = rule === undefined ? undefined : kindOf(rule).metric?.nameOf(rule);
  const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  const metric = name === undefined ? '' : ` on ${name}`;
  const state = after?.enabled === 0 ? ' (disabled)' : '';
  return `alert rule ${rule?.id} (${rule?.type}${metric}) ${verb}${state}`;
}
