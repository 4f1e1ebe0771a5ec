// The stored state of an alert in the pipeline: its last change, and which notices each channel got.

import { getOrMake } from '../../foundation/get-or-make.js';
import { marksNodeDown } from '../alerts/rules/registry.js';
import type { Alert, AlertChange, Event, RuleSummary } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { Delivery } from './channel.js';
import type { Notice } from './notice.js';
import type { ChannelHistory } from './stages.js';

/** The state of the alert for one channel, without its queued notices. */
export interface ChannelState extends Omit<ChannelHistory, 'queued'> {
  /** Why the next notice is held, as in the delivery log. */
  readonly heldReason: string | undefined;
  /** The receiver's incident that contains the alert. */
  readonly incident?: string | undefined;
}

/** An alert that fires, or whose end a channel must still be notified of. */
export interface FollowedAlert {
  readonly clusterId: string;
  alert: Alert;
  rule: RuleSummary;
  /** The event of the last change. */
  event: Event;
  reason: string;
  isFiring: boolean;
  /** The states by the id of the channel. */
  channels: Map<string, ChannelState>;
}

/** The result of an attempt for a notice. */
export interface AttemptResult {
  readonly kind: Delivery['kind'];
  /** Whether it may have arrived, or arrived at some addressees. */
  readonly mayHaveArrived: boolean;
  /** Whether it arrived at addressees that did not have it before, and others are still to be tried. */
  readonly hasReachedSome: boolean;
}

/** The maximum numbers of followed alerts. */
export interface FollowLimits {
  readonly ofCluster: number;
  readonly inAll: number;
}

/** One cluster cannot use the whole limit. */
const followLimits: FollowLimits = { ofCluster: 5000, inAll: 10_000 };

/** The followed alerts, stored on disk. */
export class FollowedAlerts {
  readonly #store: Store;
  readonly #alerts = new Map<string, FollowedAlert>();
  /** The firing alerts that mark a node as down, by cluster and node. */
  readonly #nodesDown = new Map<string, Set<string>>();
  /** The keys of alerts by channel and incident. */
  readonly #byIncident = new Map<string, Set<string>>();
  /** The entries of an alert in `#byIncident`, by its key. */
  readonly #incidentsOf = new Map<string, readonly string[]>();
  readonly #limits: FollowLimits;
  /** The number of alerts, by cluster. */
  readonly #counts = new Map<string, number>();

  constructor(store: Store, limits: FollowLimits = followLimits) {
    this.#store = store;
    this.#limits = limits;
    const rows = store.read((database) => database.statement('SELECT body FROM followed_alerts').all());
    for (const row of rows) {
      this.#put(readStored(String(row['body'])));
    }
  }

  /** All followed alerts, in no particular order. */
  all(): readonly FollowedAlert[] {
    return [...this.#alerts.values()];
  }

  /** The keys of all followed alerts, as made by `keyOfAlert`. */
  keys(): Iterable<string> {
    return this.#alerts.keys();
  }

  /** Whether another alert of the cluster can be followed. */
  hasRoom(clusterId: string): boolean {
    const ofCluster = this.#counts.get(clusterId) ?? 0;
    return this.#alerts.size < this.#limits.inAll && ofCluster < this.#limits.ofCluster;
  }

  /** Undefined if it is not followed. */
  withKey(alertKey: string): FollowedAlert | undefined {
    return this.#alerts.get(alertKey);
  }

  /** Undefined if it is not followed. */
  find(clusterId: string, alertId: string): FollowedAlert | undefined {
    return this.#alerts.get(keyOf(clusterId, alertId));
  }

  /** The alert of a notice, unless the notice is about an earlier firing of it. */
  about({ clusterId, alert }: Pick<Notice, 'clusterId' | 'alert'>): FollowedAlert | undefined {
    if (alert === null) return undefined;
    const followed = this.find(clusterId, alert.id);
    return followed?.alert.first_fired === alert.first_fired ? followed : undefined;
  }

  /** The alerts of an incident whose end the channel has not been notified of. */
  ofIncident(channelId: string, incident: string): readonly FollowedAlert[] {
    return [...(this.#byIncident.get(keyOf(channelId, incident)) ?? [])].flatMap(
      (key) => this.#alerts.get(key) ?? [],
    );
  }

  /** Whether a firing alert marks the node as down. */
  isNodeDown(clusterId: string, node: string): boolean {
    return (this.#nodesDown.get(keyOf(clusterId, node))?.size ?? 0) > 0;
  }

  /** Adds a new alert, or stores its changes. */
  keep(followed: FollowedAlert): void {
    const { clusterId, alert } = followed;
    const isNew = this.find(clusterId, alert.id) === undefined;
    this.#put(followed);
    this.#store.record(
      (database) => {
        // Written once for all changes of a turn: with many channels the text is long.
        const body = writeStored(followed);
        database
          .statement('INSERT OR REPLACE INTO followed_alerts VALUES (?, ?, ?)')
          .run([clusterId, alert.id, body]);
      },
      { key: `followed_alerts ${keyOf(clusterId, alert.id)}`, ...(isNew ? { change: 'new' } : {}) },
    );
  }

  /** Removes an alert of which no channel needs another notice. */
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

  /** Deletes the alerts of a cluster from the file; `forget` removes them from memory one by one. */
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

/** The form on disk: the states of channels are a list. */
interface StoredAlert extends Omit<FollowedAlert, 'channels'> {
  readonly channels: readonly (readonly [channelId: string, state: ChannelState])[];
}

function writeStored(followed: FollowedAlert): string {
  return JSON.stringify({ ...followed, channels: [...followed.channels] } satisfies StoredAlert);
}

/** Reads what `writeStored` has written. */
function readStored(text: string): FollowedAlert {
  const stored: StoredAlert = JSON.parse(text);
  return { ...stored, channels: new Map(stored.channels) };
}

/** The new state after a change; undefined if the alert need not be followed. */
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

/** Clears permanent failures: channels that refused the earlier state of an alert may accept the new one. */
export function withoutFailures(channels: ReadonlyMap<string, ChannelState>): Map<string, ChannelState> {
  return new Map([...channels].map(([id, state]) => [id, { ...state, hasFailed: false }]));
}

/** Keeps the open incidents for the next firing of an alert. */
function withIncidents(channels: ReadonlyMap<string, ChannelState> = new Map()): Map<string, ChannelState> {
  const open = [...channels].filter(([, { incident }]) => incident !== undefined);
  return new Map(open.map(([id, { incident }]) => [id, { ...notNotified, notified: 'maybe', incident }]));
}

/** The state of a channel after an attempt that ended at a time of the lasting clock. */
export function afterAttempt(
  before: ChannelState,
  { kind, mayHaveArrived, hasReachedSome }: AttemptResult,
  atMs: number,
): ChannelState {
  if (kind === 'sent' || hasReachedSome) {
    return { ...before, lastAtMs: atMs, notified: 'yes', hasFailed: false };
  }
  const isFirst = before.notified === 'no';
  // A notice that has not arrived can be joined with others at the next attempt.
  const after = isFirst && !mayHaveArrived ? { ...before, incident: undefined } : before;
  if (kind === 'failed') return { ...after, lastAtMs: atMs, hasFailed: true };
  return isFirst && mayHaveArrived ? { ...before, notified: 'maybe' } : after;
}

/** The state of a channel that has not been notified of the alert. */
export const notNotified: ChannelState = {
  notified: 'no',
  hasFailed: false,
  lastAtMs: undefined,
  heldReason: undefined,
};

function keyOf(clusterId: string, name: string): string {
  return `${clusterId}\n${name}`;
}
