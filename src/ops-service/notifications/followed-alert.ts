// What the pipeline remembers of an alert: its last state, and who has been told what.

import { marksNodeDown } from '../alerts/rules/registry.js';
import type { Alert, AlertChange, Event, RuleSummary } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { AttemptOutcome } from './dispatcher.js';
import type { Notice } from './notice.js';
import type { ChannelHistory } from './stages.js';

/** What one channel knows of the alert, beside what its queue holds. */
export interface Told extends Omit<ChannelHistory, 'queued'> {
  /** Why the next notice is held, as it stands in the delivery log. */
  readonly heldReason: string | undefined;
  /** The incident of the receiver that the alert went into. */
  readonly incident?: string | undefined;
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

/** How many alerts are followed at most. */
export interface FollowLimits {
  readonly ofCluster: number;
  readonly inAll: number;
}

/** One cluster leaves room for the others. */
const followLimits: FollowLimits = { ofCluster: 5000, inAll: 10_000 };

/** The alerts, on disk. */
export class FollowedAlerts {
  readonly #store: Store;
  readonly #alerts = new Map<string, FollowedAlert>();
  /** The firing alerts that say that a node is down, by cluster and node. */
  readonly #nodesDown = new Map<string, Set<string>>();
  /** The keys of alerts by channel and incident. */
  readonly #byIncident = new Map<string, Set<string>>();
  /** Where an alert is in `#byIncident`, by its key. */
  readonly #incidentsOf = new Map<string, readonly string[]>();
  readonly #limits: FollowLimits;
  /** How many there are, by cluster. */
  readonly #counts = new Map<string, number>();

  constructor(store: Store, limits: FollowLimits = followLimits) {
    this.#store = store;
    this.#limits = limits;
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

  /** Of all of them, as `keyOfAlert` gives them. */
  keys(): Iterable<string> {
    return this.#alerts.keys();
  }

  /** Whether another alert of the cluster can be followed. */
  hasRoom(clusterId: string): boolean {
    const ofCluster = this.#counts.get(clusterId) ?? 0;
    return this.#alerts.size < this.#limits.inAll && ofCluster < this.#limits.ofCluster;
  }

  /** Undefined when it is not followed. */
  withKey(alertKey: string): FollowedAlert | undefined {
    return this.#alerts.get(alertKey);
  }

  /** Undefined when it is not followed. */
  find(clusterId: string, alertId: string): FollowedAlert | undefined {
    return this.#alerts.get(keyOf(clusterId, alertId));
  }

  /** The alert that a notice is about, unless the notice is about an earlier firing of it. */
  about({ clusterId, alert }: Pick<Notice, 'clusterId' | 'alert'>): FollowedAlert | undefined {
    if (alert === null) return undefined;
    const followed = this.find(clusterId, alert.id);
    return followed?.alert.first_fired === alert.first_fired ? followed : undefined;
  }

  /** The alerts in an incident whose end the channel has not been told. */
  ofIncident(channelId: string, incident: string): readonly FollowedAlert[] {
    return [...(this.#byIncident.get(keyOf(channelId, incident)) ?? [])].flatMap(
      (key) => this.#alerts.get(key) ?? [],
    );
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
    this.#store.record(
      (database) => {
        // Once for all that changed in a turn: with many channels it is long.
        const body = JSON.stringify({ ...followed, told: [...followed.told] } satisfies StoredAlert);
        database
          .statement('INSERT OR REPLACE INTO followed_alerts VALUES (?, ?, ?)')
          .run([clusterId, alert.id, body]);
      },
      { key: `followed_alerts ${keyOf(clusterId, alert.id)}`, ...(isNew ? { change: 'new' } : {}) },
    );
  }

  /** Nobody has to be told anything of it any more. */
  forget({ clusterId, alert }: FollowedAlert): void {
    if (this.#alerts.delete(keyOf(clusterId, alert.id))) this.#count(clusterId, -1);
    this.#setIncidents(keyOf(clusterId, alert.id), []);
    this.#nodesDown.get(keyOf(clusterId, alert.node))?.delete(alert.id);
    this.#store.record(
      (database) =>
        void database
          .statement('DELETE FROM followed_alerts WHERE cluster_id = ? AND alert_id = ?')
          .run([clusterId, alert.id]),
      { key: `followed_alerts ${keyOf(clusterId, alert.id)}`, change: 'gone' },
    );
  }

  /** Deletes the alerts of a cluster from the file; in memory `forget` does it, one by one. */
  deleteStored(clusterId: string): void {
    this.#store.record(
      (database) =>
        void database.statement('DELETE FROM followed_alerts WHERE cluster_id = ?').run([clusterId]),
    );
  }

  #count(clusterId: string, change: number): void {
    const count = (this.#counts.get(clusterId) ?? 0) + change;
    if (count > 0) this.#counts.set(clusterId, count);
    else this.#counts.delete(clusterId);
  }

  #put(followed: FollowedAlert): void {
    const { clusterId, alert, rule, isFiring } = followed;
    if (!this.#alerts.has(keyOf(clusterId, alert.id))) this.#count(clusterId, 1);
    this.#alerts.set(keyOf(clusterId, alert.id), followed);
    const incidents = [...followed.told].flatMap(([channelId, { incident }]) =>
      incident === undefined ? [] : [keyOf(channelId, incident)],
    );
    this.#setIncidents(keyOf(clusterId, alert.id), incidents);
    if (!marksNodeDown(rule)) return;
    const node = keyOf(clusterId, alert.node);
    const alerts = this.#nodesDown.get(node) ?? new Set();
    if (isFiring) alerts.add(alert.id);
    else alerts.delete(alert.id);
    if (alerts.size > 0) this.#nodesDown.set(node, alerts);
    else this.#nodesDown.delete(node);
  }

  #setIncidents(alertKey: string, incidents: readonly string[]): void {
    for (const incident of this.#incidentsOf.get(alertKey) ?? []) {
      const inside = this.#byIncident.get(incident);
      inside?.delete(alertKey);
      if (inside?.size === 0) this.#byIncident.delete(incident);
    }
    for (const incident of incidents) {
      this.#byIncident.set(incident, (this.#byIncident.get(incident) ?? new Set()).add(alertKey));
    }
    if (incidents.length === 0) this.#incidentsOf.delete(alertKey);
    else this.#incidentsOf.set(alertKey, incidents);
  }
}

type StoredAlert = Omit<FollowedAlert, 'told'> & { readonly told: readonly (readonly [string, Told])[] };

/** What is to be followed after a change of what is known; undefined when there is nothing to follow. */
export function follow(
  known: FollowedAlert | undefined,
  clusterId: string,
  event: Event,
  { kind, alert, rule, reason }: AlertChange,
): FollowedAlert | undefined {
  switch (kind) {
    case 'fired': {
      const isSame = known?.isFiring === true && known.alert.first_fired === alert.first_fired;
      const told = isSame ? withoutFailures(known.told) : withIncidents(known?.told);
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

/** For the next firing of an alert: the incidents that are not closed yet go on with it. */
function withIncidents(told: ReadonlyMap<string, Told> = new Map()): Map<string, Told> {
  const open = [...told].filter(([, { incident }]) => incident !== undefined);
  return new Map(open.map(([id, { incident }]) => [id, { ...untold, told: 'maybe', incident }]));
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
  // What has not arrived can be joined with other notices next time.
  const known = told.told === 'no' && !mayHaveArrived ? { ...told, incident: undefined } : told;
  if (kind === 'failed') return { ...known, lastAtMs: atMs, hasFailed: true };
  return mayHaveArrived && told.told === 'no' ? { ...told, told: 'maybe' } : known;
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
