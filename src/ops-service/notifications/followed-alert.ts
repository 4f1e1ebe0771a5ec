// What the pipeline remembers of an alert: its last state, and who has been told what.
import type { Alert, AlertChange, RuleSummary } from '../alerts/alert.js';
import type { Event } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { AttemptOutcome } from './dispatcher.js';
import type { ChannelHistory } from './stages.js';

/** What one channel knows of the alert, beside what its queue holds. */
export interface Told extends Omit<ChannelHistory, 'queued'> {
  /** Why the next notice is held, as it stands in the delivery log. */
  readonly heldReason: string | undefined;
}

/** An alert that fires, or that a channel still has to be told the end of. */
export interface FollowedAlert {
  readonly clusterId: string;
  alert: Alert;
  rule: RuleSummary;
  /** Of the last change. */
  event: Event;
  reason: string;
  isFiring: boolean;
  /** By the id of the channel. */
  told: Map<string, Told>;
}

/** The alerts, on disk. */
export class FollowedAlerts {
  readonly #store: Store;
  readonly #alerts = new Map<string, FollowedAlert>();
  /** The node-down alerts that fire, by cluster and node. */
  readonly #nodesDown = new Map<string, Set<string>>();

  constructor(store: Store) {
    this.#store = store;
    const rows = store.read((database) => database.statement('SELECT body FROM followed_alerts').all());
    for (const row of rows) {
      // Written by `keep`.
      const stored = JSON.parse(String(row['body'])) as StoredAlert;
      this.#put({ ...stored, told: new Map(stored.told) });
    }
  }

  /** All of them, in no order that matters. */
  all(): readonly FollowedAlert[] {
    return [...this.#alerts.values()];
  }

  /** Undefined when it is not followed. */
  find(clusterId: string, alertId: string): FollowedAlert | undefined {
    return this.#alerts.get(keyOf(clusterId, alertId));
  }

  /** Whether an alert says that the node is down. */
  isNodeDown(clusterId: string, node: string): boolean {
    return (this.#nodesDown.get(keyOf(clusterId, node))?.size ?? 0) > 0;
  }

  /** Takes a new alert in, or writes what has changed. */
  keep(followed: FollowedAlert): void {
    const { clusterId, alert } = followed;
    const isNew = this.find(clusterId, alert.id) === undefined;
    this.#put(followed);
    const body = JSON.stringify({ ...followed, told: [...followed.told] } satisfies StoredAlert);
    this.#store.record(
      (database) =>
        void database
          .statement('INSERT OR REPLACE INTO followed_alerts VALUES (?, ?, ?)')
          .run([clusterId, alert.id, body]),
      {
        key: `followed_alerts ${keyOf(clusterId, alert.id)}`,
        sizeBytes: 400 + body.length,
        ...(isNew ? { change: 'new' } : {}),
      },
    );
  }

  /** Nobody has to be told anything of it any more. */
  forget({ clusterId, alert }: FollowedAlert): void {
    this.#alerts.delete(keyOf(clusterId, alert.id));
    this.#nodesDown.get(keyOf(clusterId, alert.node))?.delete(alert.id);
    this.#store.record(
      (database) =>
        void database
          .statement('DELETE FROM followed_alerts WHERE cluster_id = ? AND alert_id = ?')
          .run([clusterId, alert.id]),
      { key: `followed_alerts ${keyOf(clusterId, alert.id)}`, change: 'gone' },
    );
  }

  #put(followed: FollowedAlert): void {
    const { clusterId, alert, rule, isFiring } = followed;
    this.#alerts.set(keyOf(clusterId, alert.id), followed);
    if (rule.type !== 'node-down') return;
    const node = keyOf(clusterId, alert.node);
    const alerts = this.#nodesDown.get(node) ?? new Set();
    if (isFiring) alerts.add(alert.id);
    else alerts.delete(alert.id);
    if (alerts.size > 0) this.#nodesDown.set(node, alerts);
    else this.#nodesDown.delete(node);
  }
}

type StoredAlert = Omit<FollowedAlert, 'told'> & { readonly told: readonly (readonly [string, Told])[] };

/** What is to be followed after a change of what is known; undefined when there is nothing to follow. */
export function follow(known: FollowedAlert | undefined, change: AlertChange): FollowedAlert | undefined {
  const { clusterId, kind, alert, rule, event, reason } = change;
  switch (kind) {
    case 'fired': {
      const isSame = known?.isFiring === true && known.alert.first_fired === alert.first_fired;
      const told = isSame ? withoutFailures(known.told) : new Map<string, Told>();
      return { clusterId, alert, rule, event, reason, isFiring: true, told };
    }
    case 'cleared':
      return known === undefined ? undefined : { ...known, alert, rule, event, reason, isFiring: false };
    case 'acknowledged':
    case 'unacknowledged':
      return known === undefined ? undefined : { ...known, alert, rule };
  }
}

/** Channels that refused what an alert said before may take what it says now. */
export function withoutFailures(told: ReadonlyMap<string, Told>): Map<string, Told> {
  return new Map([...told].map(([id, one]) => [id, { ...one, hasFailed: false }]));
}

/** What a channel knows after an attempt that ended at a time of the lasting clock. */
export function afterAttempt(
  told: Told,
  {
    kind,
    mayHaveArrived,
    hasReachedSome,
  }: Pick<AttemptOutcome, 'kind' | 'mayHaveArrived' | 'hasReachedSome'>,
  atMs: number,
): Told {
  if (kind === 'sent' || hasReachedSome) return { ...told, lastAtMs: atMs, told: 'yes', hasFailed: false };
  if (kind === 'failed') return { ...told, lastAtMs: atMs, hasFailed: true };
  return mayHaveArrived && told.told === 'no' ? { ...told, told: 'maybe' } : told;
}

/** For a channel that has not been told anything. */
export const untold: Told = {
  told: 'no',
  hasFailed: false,
  lastAtMs: undefined,
  heldReason: undefined,
};

function keyOf(clusterId: string, name: string): string {
  return `${clusterId}\n${name}`;
}
