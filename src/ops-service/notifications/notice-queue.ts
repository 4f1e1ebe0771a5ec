// The queue: notices that are not delivered yet, by channel, stored on disk. For one alert, a channel has at most the
// notice under way and, after it, one with the latest state.
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Store } from '../store/store.js';
import type { SettledAddressee } from './channel.js';
import type { Notice } from './notice.js';

/** A queued notice for one channel. */
export interface QueuedNotice {
  /** Changes only while it waits. */
  notice: Notice;
  readonly channelId: string;
  /** The channel has not been notified that this alert fires: the notice must not be dropped. */
  readonly isFirst: boolean;
  /** The time is on the lasting clock. */
  readonly queuedAtMs: number;
  /** Attempts that have ended. */
  attempts: number;
  /** An attempt is under way, or it is unknown whether an ended one delivered the notice. */
  mayHaveArrived: boolean;
  /** Notices that were tried in one message, and are to be tried again together, have the same id. */
  attemptId: string | null;
  /** Addressees that need no further attempt. */
  settled: readonly SettledAddressee[];
  /** When it may be tried, on the monotonic clock; until that is known, when it was queued. */
  dueMs: number;
  isUnderWay: boolean;
  /** Why the last attempt failed. */
  lastReason: string;
}

/** The notices of one channel. */
interface ChannelQueue {
  /** May be tried now, oldest first. */
  readonly ready: Set<QueuedNotice>;
  /** Waiting for their time, or for an earlier notice. */
  readonly waiting: Set<QueuedNotice>;
  readonly byAlert: Map<string, QueuedNotice[]>;
}

/** The limit for all channels together; first notices of firing alerts may use up to twice as much. */
export const queueLimit = 100_000;

/** Notices by channel. */
export class NoticeQueue {
  readonly #store: Store;
  readonly #limit: number;
  readonly #queues = new Map<string, ChannelQueue>();
  /** Notices that may be dropped when the queue is full, in this order, oldest first. */
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

  /** Loads the notices that the last process did not deliver, each as returned by `renew`. */
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

  /** Whether a notice must leave before another one can be added, unless that is a first notice of a firing alert. */
  get isFull(): boolean {
    return this.#size >= this.#limit;
  }

  /** The notice that leaves a full queue; undefined if none may. */
  get expendable(): QueuedNotice | undefined {
    for (const entries of Object.values(this.#expendable)) {
      for (const entry of entries) if (!entry.isUnderWay) return entry;
    }
    return undefined;
  }

  /**
   * Whether the first notice of a firing alert can be added: otherwise the alert is judged again until there is room.
   */
  get hasRoomForFirst(): boolean {
    return this.#size < 2 * this.#limit;
  }

  /** Ids of channels that have notices. */
  get channelIds(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Notices of an alert that wait or are under way, in order. */
  ofAlert(channelId: string, alertKey: string): readonly QueuedNotice[] {
    return this.#queues.get(channelId)?.byAlert.get(alertKey) ?? [];
  }

  /** The waiting notice about the same alert, not under way. */
  waitingLike({ notice, channelId }: QueuedNotice): QueuedNotice | undefined {
    const key = alertKeyOf(notice);
    return key === undefined ? undefined : this.ofAlert(channelId, key).find((one) => !one.isUnderWay);
  }

  /** Whether another notice of the same alert waits behind this one. */
  hasSuccessor({ notice, channelId }: QueuedNotice): boolean {
    const key = alertKeyOf(notice);
    return key !== undefined && this.ofAlert(channelId, key).length > 1;
  }

  /** Adds a notice. */
  add(entry: QueuedNotice): void {
    this.#insert(entry);
    this.#write(entry, 'new');
  }

  /** Changes the content of a waiting notice, which keeps its id and its position. */
  revise(entry: QueuedNotice, notice: Notice): void {
    entry.notice = notice;
    this.#write(entry);
  }

  /** Removes a notice. */
  remove(entry: QueuedNotice): void {
    const queue = this.#queueOf(entry.channelId);
    queue.ready.delete(entry);
    queue.waiting.delete(entry);
    this.#forget(entry, queue);
    const { id } = entry.notice;
    this.#store.record(
      (database) => void database.statement('DELETE FROM queued_notices WHERE id = ?').run([id]),
      { key: recordingKey(id), change: 'gone' },
    );
  }

  /** The notices that may be tried now, oldest first. */
  ready(channelId: string): ReadonlySet<QueuedNotice> {
    return this.#queues.get(channelId)?.ready ?? empty;
  }

  /**
   * Marks notices as under way in one attempt; this is on disk when `store.recorded()` has resolved. `mayGrow`: without
   * it on disk, the notices might be tried again together with others.
   */
  start(entries: readonly QueuedNotice[], attemptId: string, mayGrow: boolean): void {
    for (const entry of entries) {
      const isOnDisk = entry.mayHaveArrived && entry.attemptId === attemptId;
      const queue = this.#queueOf(entry.channelId);
      queue.ready.delete(entry);
      entry.isUnderWay = true;
      entry.mayHaveArrived = true;
      entry.attemptId = attemptId;
      // New notices are written as if tried: that saves a write before nearly every first attempt.
      if (!isOnDisk && (mayGrow || entry.attempts > 0)) this.#write(entry);
    }
  }

  /** Makes a tried notice wait again. */
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
    this.#queueOf(entry.channelId).waiting.add(entry);
    this.#write(entry);
  }

  /** Makes due notices ready. */
  wake(channelId: string, nowMs: number): void {
    const queue = this.#queues.get(channelId);
    if (queue === undefined) return;
    for (const entry of queue.waiting)
      if (entry.dueMs <= nowMs && isFree(entry, queue)) makeReady(entry, queue);
  }

  /** Makes waiting notices ready, one in each step; notices that begin to wait later can stay. */
  *waking(channelId: string): Generator<void> {
    const queue = this.#queues.get(channelId);
    if (queue === undefined) return;
    let left = queue.waiting.size;
    for (const entry of queue.waiting) {
      if (left === 0) return;
      left -= 1;
      if (isFree(entry, queue)) makeReady(entry, queue);
      yield;
    }
  }

  /** The number of notices of a channel that wait for their time, or for an earlier notice. */
  waitingCount(channelId: string): number {
    return this.#queues.get(channelId)?.waiting.size ?? 0;
  }

  /** All notices of a channel that are not under way. */
  idle(channelId: string): readonly QueuedNotice[] {
    const queue = this.#queues.get(channelId);
    return queue === undefined ? [] : [...queue.ready, ...queue.waiting];
  }

  #insert(entry: QueuedNotice): void {
    const queue = this.#queueOf(entry.channelId);
    const key = alertKeyOf(entry.notice);
    if (key !== undefined) queue.byAlert.set(key, [...(queue.byAlert.get(key) ?? []), entry]);
    this.#classOf(entry)?.add(entry);
    this.#size += 1;
    if (isFree(entry, queue)) queue.ready.add(entry);
    else queue.waiting.add(entry);
  }

  #forget(entry: QueuedNotice, queue: ChannelQueue): void {
    this.#classOf(entry)?.delete(entry);
    this.#size -= 1;
    const key = alertKeyOf(entry.notice);
    if (key !== undefined) {
      const rest = (queue.byAlert.get(key) ?? []).filter((other) => other !== entry);
      if (rest.length === 0) queue.byAlert.delete(key);
      else queue.byAlert.set(key, rest);
      // Notices that waited for it need not wait for the next tick.
      for (const next of rest)
        if (queue.waiting.has(next) && next.attempts === 0 && isFree(next, queue)) makeReady(next, queue);
    }
  }

  #classOf({ notice, isFirst }: QueuedNotice): Set<QueuedNotice> | undefined {
    if (notice.status === 'event') return this.#expendable.events;
    if (notice.status === 'resolved') return this.#expendable.resolved;
    return isFirst ? undefined : this.#expendable.repeats;
  }

  #queueOf(channelId: string): ChannelQueue {
    return getOrMake(this.#queues, channelId, () => ({
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

/** Identifies the alert among those of all clusters; undefined for events, which are not ordered. */
export function alertKeyOf({ clusterId, alert }: Pick<Notice, 'clusterId' | 'alert'>): string | undefined {
  return alert === null ? undefined : keyOfAlert({ clusterId, alert });
}

/** Returns this key for any object about an alert. */
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

function makeReady(entry: QueuedNotice, queue: ChannelQueue): void {
  queue.waiting.delete(entry);
  queue.ready.add(entry);
}

/** Whether no earlier notice is about the same alert. */
function isFree(entry: QueuedNotice, queue: ChannelQueue): boolean {
  const key = alertKeyOf(entry.notice);
  return key === undefined || (queue.byAlert.get(key) ?? [entry])[0] === entry;
}
