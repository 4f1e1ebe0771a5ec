// What the pipeline remembers of an alert: its last state, and what each channel knows of it.

import { getOrMake } from '../../foundation/get-or-make.js';
import { marksNodeDown } from '../alerts/rules/registry.js';
import type { Alert, AlertChange, Event, RuleSummary } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { Delivery } from './channel.js';
import type { Notice } from './notice.js';
import type { ChannelHistory } from './stages.js';

/** What one channel knows of the alert, without what its queue holds. */
export interface ChannelState extends Omit<ChannelHistory, 'queued'> {
  /** Why the next notice is held, as it stands in the delivery log. */
  readonly heldReason: string | undefined;
  /** The incident of the receiver that the alert went into. */
  readonly incident?: string | undefined;
}

/** An alert that fires, or of whose end a channel still has to be notified. */
export interface FollowedAlert {
  readonly clusterId: string;
  alert: Alert;
  rule: RuleSummary;
  /** Of the last change. */
  event: Event;
  reason: string;
  isFiring: boolean;
  /** By the id of the channel. */
  channels: Map<string, ChannelState>;
}

/** How an attempt ended for a notice. */
export interface AttemptResult {
  readonly kind: Delivery['kind'];
  /** It is not known whether it arrived, or it arrived at some addressees. */
  readonly mayHaveArrived: boolean;
  /** It arrived at addressees that did not have it before, and others are to be tried again. */
  readonly hasReachedSome: boolean;
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
      this.#put(readStored(String(row['body'])));
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

  /** The alerts in an incident of whose end the channel has not been notified. */
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
        const body = writeStored(followed);
        database
          .statement('INSERT OR REPLACE INTO followed_alerts VALUES (?, ?, ?)')
          .run([clusterId, alert.id, body]);
      },
      { key: `followed_alerts ${keyOf(clusterId, alert.id)}`, ...(isNew ? { change: 'new' } : {}) },
    );
  }

  /** No channel has to be notified of it any more. */
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
    const incidents = [...followed.channels].flatMap(([channelId, { incident }]) =>
      incident === undefined ? [] : [keyOf(channelId, incident)],
    );
    this.#setIncidents(keyOf(clusterId, alert.id), incidents);
    if (!marksNodeDown(rule)) return;
    const node = keyOf(clusterId, alert.node);
    const alerts = getOrMake(this.#nodesDown, node, () => new Set<string>());
    if (isFiring) alerts.add(alert.id);
    else alerts.delete(alert.id);
    if (alerts.size === 0) this.#nodesDown.delete(node);
  }

  #setIncidents(alertKey: string, incidents: readonly string[]): void {
    for (const incident of this.#incidentsOf.get(alertKey) ?? []) {
      const inside = this.#byIncident.get(incident);
      inside?.delete(alertKey);
      if (inside?.size === 0) this.#byIncident.delete(incident);
    }
    for (const incident of incidents) {
      getOrMake(this.#byIncident, incident, () => new Set<string>()).add(alertKey);
    }
    if (incidents.length === 0) this.#incidentsOf.delete(alertKey);
    else this.#incidentsOf.set(alertKey, incidents);
  }
}

/** The form on disk. Two names in it are older than those of the code; they stay, so that every file can be read. */
interface StoredAlert extends Omit<FollowedAlert, 'channels'> {
  readonly told: readonly (readonly [channelId: string, state: StoredChannelState])[];
}

interface StoredChannelState extends Omit<ChannelState, 'notified'> {
  readonly told: ChannelState['notified'];
}

function writeStored({ channels, ...rest }: FollowedAlert): string {
  const states = [...channels].map(([id, { notified, ...state }]): [string, StoredChannelState] => [
    id,
    { told: notified, ...state },
  ]);
  return JSON.stringify({ ...rest, told: states } satisfies StoredAlert);
}

/** The text was made by `writeStored`. */
function readStored(text: string): FollowedAlert {
  const { told: states, ...rest }: StoredAlert = JSON.parse(text);
  const channels = states.map(([id, { told: notified, ...state }]): [string, ChannelState] => [
    id,
    { notified, ...state },
  ]);
  return { ...rest, channels: new Map(channels) };
}

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
      const channels = isSame ? withoutFailures(known.channels) : withIncidents(known?.channels);
      return { clusterId, alert, rule, event, reason, isFiring: true, channels };
    }
    case 'cleared':
      return known === undefined ? undefined : { ...known, alert, rule, event, reason, isFiring: false };
    case 'acknowledged':
    case 'unacknowledged':
      return known === undefined ? undefined : { ...known, alert, rule };
  }
}

/** Channels that refused what an alert said before may take what it says now. */
export function withoutFailures(channels: ReadonlyMap<string, ChannelState>): Map<string, ChannelState> {
  return new Map([...channels].map(([id, state]) => [id, { ...state, hasFailed: false }]));
}

/** For the next firing of an alert: it continues the incidents that are not closed yet. */
function withIncidents(channels: ReadonlyMap<string, ChannelState> = new Map()): Map<string, ChannelState> {
  const open = [...channels].filter(([, { incident }]) => incident !== undefined);
  return new Map(open.map(([id, { incident }]) => [id, { ...notNotified, notified: 'maybe', incident }]));
}

/** What a channel knows after an attempt that ended at a time of the lasting clock. */
export function afterAttempt(
  before: ChannelState,
  { kind, mayHaveArrived, hasReachedSome }: AttemptResult,
  atMs: number,
): ChannelState {
  if (kind === 'sent' || hasReachedSome) {
    return { ...before, lastAtMs: atMs, notified: 'yes', hasFailed: false };
  }
  const isFirst = before.notified === 'no';
  // What has not arrived can be joined with other notices next time.
  const after = isFirst && !mayHaveArrived ? { ...before, incident: undefined } : before;
  if (kind === 'failed') return { ...after, lastAtMs: atMs, hasFailed: true };
  return isFirst && mayHaveArrived ? { ...before, notified: 'maybe' } : after;
}

/** Of a channel that has not been notified of the alert. */
export const notNotified: ChannelState = {
  notified: 'no',
  hasFailed: false,
  lastAtMs: undefined,
  heldReason: undefined,
};

function keyOf(clusterId: string, name: string): string {
  return `${clusterId}\n${name}`;
}
