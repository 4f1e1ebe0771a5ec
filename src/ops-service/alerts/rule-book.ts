// The rules of all clusters: kept in memory, changed over the API, on disk before a change is answered.
import type { Cluster } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import type { AppendEvent } from '../events/append-event.js';
import type { ActionName, Caller } from '../events/event.js';
import type { Store } from '../store/store.js';
import { readChangedRule, readNewRule } from './read-rule.js';
import type { Rule } from './rule.js';
import { kindOf } from './rules/registry.js';

/** What the book needs from outside. */
export interface RuleBookParts {
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
export class RuleBook {
  readonly #parts: RuleBookParts;
  /** By cluster, then by id in the order of creation. */
  readonly #rules = new Map<string, Map<string, Rule>>();
  readonly #listeners = new Set<RuleListener>();

  /** Reads the rules that the store has. */
  constructor(parts: RuleBookParts) {
    this.#parts = parts;
    const rows = parts.store.read((database) =>
      database.statement('SELECT cluster_id, id, body FROM rules ORDER BY position').all(),
    );
    for (const { cluster_id, id, body } of rows) {
      // The rule was checked when it was written.
      const rule = { id: String(id), ...JSON.parse(String(body)) } as Rule;
      this.#rulesOf(String(cluster_id)).set(rule.id, rule);
    }
  }

  /** The rules of a cluster, oldest first. */
  list(clusterId: string): readonly Rule[] {
    return [...(this.#rules.get(clusterId)?.values() ?? [])];
  }

  /** The rule, or undefined. */
  find(clusterId: string, id: string): Rule | undefined {
    return this.#rules.get(clusterId)?.get(id);
  }

  /** @throws OpsError `NotFound` */
  get(clusterId: string, id: string): Rule {
    const rule = this.find(clusterId, id);
    if (rule !== undefined) return rule;
    throw new OpsError('NotFound', `the cluster ${clusterId} has no alert rule ${id}`);
  }

  /** @throws OpsError `BadRequest` with all problems of the body, `Unavailable` when the disk is full */
  create(cluster: Cluster, body: unknown, caller: Caller): Rule {
    const rules = this.#rulesOf(cluster.id);
    const rule = readNewRule(body, this.#parts.newId(), cluster);
    if (rules.size >= mostRules) {
      throw new OpsError('Conflict', `a cluster has at most ${mostRules} alert rules: delete one first`);
    }
    this.#parts.store.change((database) => {
      const insert = database.statement('INSERT INTO rules (cluster_id, id, body) VALUES (?, ?, ?)');
      insert.run([cluster.id, rule.id, bodyOf(rule)]);
    });
    rules.set(rule.id, rule);
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
    this.#parts.store.change((database) => {
      database.statement('UPDATE rules SET body = ? WHERE id = ?').run([bodyOf(after), id]);
    });
    this.#rulesOf(cluster.id).set(id, after);
    return this.#notify(cluster.id, 'ruleChanged', before, after, caller);
  }

  /** Resolves when the alerts of the rule have cleared. @throws OpsError `NotFound`, `Unavailable` on a full disk */
  delete(clusterId: string, id: string, caller: Caller): Promise<void> {
    const before = this.get(clusterId, id);
    this.#parts.store.change((database) => {
      database.statement('DELETE FROM rules WHERE id = ?').run([id]);
    });
    this.#rulesOf(clusterId).delete(id);
    return this.#notify(clusterId, 'ruleDeleted', before, undefined, caller);
  }

  /** Forgets the rules of a cluster that is not watched any more. */
  removeCluster(clusterId: string): void {
    const rules = this.list(clusterId);
    this.#rules.delete(clusterId);
    this.#parts.store.record((database) => {
      database.statement('DELETE FROM rules WHERE cluster_id = ?').run([clusterId]);
    });
    for (const rule of rules)
      for (const listener of this.#listeners) void listener(clusterId, rule, undefined);
  }

  /** Returns what ends the subscription. */
  subscribe(listener: RuleListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #rulesOf(clusterId: string): Map<string, Rule> {
    const known = this.#rules.get(clusterId);
    if (known !== undefined) return known;
    const rules = new Map<string, Rule>();
    this.#rules.set(clusterId, rules);
    return rules;
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

function bodyOf({ id: _, ...rest }: Rule): string {
  return JSON.stringify(rest);
}

function messageOf(before: Rule | undefined, after: Rule | undefined): string {
  const rule = after ?? before;
  const name = rule === undefined ? undefined : kindOf(rule).metric?.nameOf(rule);
  const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  const metric = name === undefined ? '' : ` on ${name}`;
  const state = after?.enabled === 0 ? ' (disabled)' : '';
  return `alert rule ${rule?.id} (${rule?.type}${metric}) ${verb}${state}`;
}
