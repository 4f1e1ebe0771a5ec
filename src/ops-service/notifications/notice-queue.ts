// The queue: notices that are not delivered yet, by channel, on disk. Of one alert a channel has at most the one under
// way and, after it, the latest state.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Store } from '../store/store.js';
import type { SettledAddressee } from './channel.js';
import type { Notice } from './notice.js';

/** A notice on its way to one channel. */
export interface QueuedNotice {
  /** Changes only while it waits. */
  notice: Notice;
  readonly channelId: string;
  /** The channel has not been notified that this alert fires: the notice must not get lost. */
  readonly isFirst: boolean;
  /** On the lasting clock. */
  readonly queuedAtMs: number;
  /** Attempts that have ended. */
  attempts: number;
  /** An attempt is under way, or has ended, and it is not known whether the notice arrived. */
  mayHaveArrived: boolean;
  /** Notices that were tried in one message, to be tried so again. */
  attemptId: string | null;
  /** Addressees that need no other attempt. */
  settled: readonly SettledAddressee[];
  /** Monotonic; when it may be tried, or was put in. */
  dueMs: number;
  isUnderWay: boolean;
  /** Why the last attempt failed. */
  lastReason: string;
}

interface Lane {
  /** May be tried now, oldest first. */
  readonly ready: Set<QueuedNotice>;
  /** Waits for its time, or for one before it. */
  readonly waiting: Set<QueuedNotice>;
  readonly byAlert: Map<string, QueuedNotice[]>;
}

/** Limits the queue of all channels together; first firing notices may exceed it up to twice as many. */
export const queueLimit = 100_000;

/** Notices by channel. */
export class NoticeQueue {
  readonly #store: Store;
  readonly #limit: number;
  readonly #lanes = new Map<string, Lane>();
  /** What may be dropped when the queue is full, in this order, oldest first. */
  readonly #expendable = {
    repeats: new Set<QueuedNotice>(),
    events: new Set<QueuedNotice>(),
    resolved: new Set<QueuedNotice>(),
  };
  #size = 0;

  constructor(store: Store, limit: number = queueLimit) {
    this.#store = store;
    this.#limit = limit;
  }

  /** Reads what the process before did not deliver, each notice as `renew` gives it. */
  load(nowMs: number, renew: (stored: Notice) => Notice): void {
    const rows = this.#store.read((database) =>
      database.statement('SELECT body FROM queued_notices ORDER BY number').all(),
    );
    for (const row of rows) {
      // Written by `#write`.
      const stored = JSON.parse(String(row['body'])) as StoredNotice;
      const { notice, settled = [] } = stored;
      this.#insert({
        ...stored,
        notice: renew(notice),
        settled,
        dueMs: nowMs,
        isUnderWay: false,
        lastReason: '',
      });
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Whether a notice must leave before another one may be put in, unless that is a first firing notice. */
  get isFull(): boolean {
    return this.#size >= this.#limit;
  }

  /** The notice that is to leave a full queue; undefined when none may. */
  get expendable(): QueuedNotice | undefined {
    for (const entries of Object.values(this.#expendable)) {
      for (const entry of entries) if (!entry.isUnderWay) return entry;
    }
    return undefined;
  }

  /** Whether a first firing notice may be put in: otherwise it is judged again until there is room. */
  get hasRoomForFirst(): boolean {
    return this.#size < 2 * this.#limit;
  }

  /** Ids of channels that have notices. */
  get channelIds(): readonly string[] {
    return [...this.#lanes.keys()];
  }

  /** What waits or is under way for an alert, in order. */
  ofAlert(channelId: string, alertKey: string): readonly QueuedNotice[] {
    return this.#lanes.get(channelId)?.byAlert.get(alertKey) ?? [];
  }

  /** What waits for the alert of a notice, not under way. */
  waitingLike({ notice, channelId }: QueuedNotice): QueuedNotice | undefined {
    const key = alertKeyOf(notice);
    return key === undefined ? undefined : this.ofAlert(channelId, key).find((one) => !one.isUnderWay);
  }

  /** Whether another notice of its alert waits behind a notice. */
  hasSuccessor({ notice, channelId }: QueuedNotice): boolean {
    const key = alertKeyOf(notice);
    return key !== undefined && this.ofAlert(channelId, key).length > 1;
  }

  /** Puts a notice in. */
  add(entry: QueuedNotice): void {
    this.#insert(entry);
    this.#write(entry, 'new');
  }

  /** Changes what a notice that waits says; it keeps its id and its place. */
  revise(entry: QueuedNotice, notice: Notice): void {
    entry.notice = notice;
    this.#write(entry);
  }

  /** Takes a notice out. */
  remove(entry: QueuedNotice): void {
    const lane = this.#laneOf(entry.channelId);
    lane.ready.delete(entry);
    lane.waiting.delete(entry);
    this.#forget(entry, lane);
    const { id } = entry.notice;
    this.#store.record(
      (database) => void database.statement('DELETE FROM queued_notices WHERE id = ?').run([id]),
      { key: recordingKey(id), change: 'gone' },
    );
  }

  /** The notices that may be tried now, oldest first. */
  ready(channelId: string): ReadonlySet<QueuedNotice> {
    return this.#lanes.get(channelId)?.ready ?? empty;
  }

  /**
   * Marks notices as under way in one attempt; on disk once `store.recorded()` has resolved. `mayGrow`: without the
   * attempt on disk they might be tried again together with other notices.
   */
  start(entries: readonly QueuedNotice[], attemptId: string, mayGrow: boolean): void {
    for (const entry of entries) {
      const isOnDisk = entry.mayHaveArrived && entry.attemptId === attemptId;
      const lane = this.#laneOf(entry.channelId);
      lane.ready.delete(entry);
      entry.isUnderWay = true;
      entry.mayHaveArrived = true;
      entry.attemptId = attemptId;
      // A new notice is written as if it had been tried: that saves a write before nearly every first attempt.
      if (!isOnDisk && (mayGrow || entry.attempts > 0)) this.#write(entry);
    }
  }

  /** Puts a notice back that was tried. */
  retry(
    entry: QueuedNotice,
    dueMs: number,
    { mayHaveArrived, settled }: Pick<QueuedNotice, 'mayHaveArrived' | 'settled'>,
  ): void {
    entry.isUnderWay = false;
    entry.mayHaveArrived = mayHaveArrived;
    entry.settled = settled;
    if (!mayHaveArrived && entry.settled.length === 0) entry.attemptId = null;
    entry.dueMs = dueMs;
    this.#laneOf(entry.channelId).waiting.add(entry);
    this.#write(entry);
  }

  /** Makes ready what waits and is due. */
  wake(channelId: string, nowMs: number): void {
    const lane = this.#lanes.get(channelId);
    if (lane === undefined) return;
    for (const entry of lane.waiting) if (entry.dueMs <= nowMs && isFree(entry, lane)) makeReady(entry, lane);
  }

  /** Makes ready what waits, one notice in each step; what begins to wait later can stay. */
  *waking(channelId: string): Generator<void> {
    const lane = this.#lanes.get(channelId);
    if (lane === undefined) return;
    let left = lane.waiting.size;
    for (const entry of lane.waiting) {
      if (left === 0) return;
      left -= 1;
      if (isFree(entry, lane)) makeReady(entry, lane);
      yield;
    }
  }

  /** How many notices of a channel wait for their time, or for one before them. */
  waitingCount(channelId: string): number {
    return this.#lanes.get(channelId)?.waiting.size ?? 0;
  }

  /** All of a channel that is not under way. */
  idle(channelId: string): readonly QueuedNotice[] {
    const lane = this.#lanes.get(channelId);
    return lane === undefined ? [] : [...lane.ready, ...lane.waiting];
  }

  #insert(entry: QueuedNotice): void {
    const lane = this.#laneOf(entry.channelId);
    const key = alertKeyOf(entry.notice);
    if (key !== undefined) lane.byAlert.set(key, [...(lane.byAlert.get(key) ?? []), entry]);
    this.#classOf(entry)?.add(entry);
    this.#size += 1;
    if (isFree(entry, lane)) lane.ready.add(entry);
    else lane.waiting.add(entry);
  }

  #forget(entry: QueuedNotice, lane: Lane): void {
    this.#classOf(entry)?.delete(entry);
    this.#size -= 1;
    const key = alertKeyOf(entry.notice);
    if (key !== undefined) {
      const rest = (lane.byAlert.get(key) ?? []).filter((other) => other !== entry);
      if (rest.length === 0) lane.byAlert.delete(key);
      else lane.byAlert.set(key, rest);
      // What waited for it need not wait for the next tick.
      for (const next of rest)
        if (lane.waiting.has(next) && next.attempts === 0 && isFree(next, lane)) makeReady(next, lane);
    }
  }

  #classOf({ notice, isFirst }: QueuedNotice): Set<QueuedNotice> | undefined {
    if (notice.status === 'event') return this.#expendable.events;
    if (notice.status === 'resolved') return this.#expendable.resolved;
    return isFirst ? undefined : this.#expendable.repeats;
  }

  #laneOf(channelId: string): Lane {
    return getOrMake(this.#lanes, channelId, () => ({
      ready: new Set(),
      waiting: new Set(),
      byAlert: new Map(),
    }));
  }

  #write(entry: QueuedNotice, change?: 'new'): void {
    const { notice, channelId, isFirst, queuedAtMs, attempts, attemptId, settled } = entry;
    const mayHaveArrived = entry.mayHaveArrived || attempts === 0;
    const stored: StoredNotice = {
      notice,
      channelId,
      isFirst,
      queuedAtMs,
      attempts,
      attemptId,
      mayHaveArrived,
      ...(settled.length === 0 ? {} : { settled }),
    };
    const body = JSON.stringify(stored);
    this.#store.record(
      (database) =>
        void database
          .statement(
            'INSERT INTO queued_notices (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
          )
          .run([notice.id, body]),
      {
        key: recordingKey(notice.id),
        sizeBytes: 400 + body.length,
        ...(change === undefined ? {} : { change }),
      },
    );
  }
}

type StoredNotice = Omit<QueuedNotice, 'dueMs' | 'isUnderWay' | 'lastReason' | 'settled'> &
  Partial<Pick<QueuedNotice, 'settled'>>;

const empty: ReadonlySet<QueuedNotice> = new Set();

function recordingKey(id: string): string {
  return `queued_notices ${id}`;
}

/** Identifies the alert among those of all clusters; undefined for events, which need no order. */
export function alertKeyOf({ clusterId, alert }: Pick<Notice, 'clusterId' | 'alert'>): string | undefined {
  return alert === null ? undefined : keyOfAlert({ clusterId, alert });
}

/** The same of something that is about an alert. */
export function keyOfAlert({ clusterId, alert }: { clusterId: string; alert: { id: string } }): string {
  return `${clusterId}\n${alert.id}`;
}

/** A notice that has not been tried. */
export function newEntry(
  entry: Pick<QueuedNotice, 'notice' | 'channelId' | 'isFirst' | 'queuedAtMs' | 'dueMs'>,
): QueuedNotice {
  return {
    ...entry,
    attempts: 0,
    mayHaveArrived: false,
    attemptId: null,
    settled: [],
    isUnderWay: false,
    lastReason: '',
  };
}

function makeReady(entry: QueuedNotice, lane: Lane): void {
  lane.waiting.delete(entry);
  lane.ready.add(entry);
}

/** Nothing of the same alert is before it. */
function isFree(entry: QueuedNotice, lane: Lane): boolean {
  const key = alertKeyOf(entry.notice);
  return key === undefined || (lane.byAlert.get(key) ?? [entry])[0] === entry;
}
