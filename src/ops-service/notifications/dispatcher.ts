// The dispatcher: tries what the queue holds, each channel for itself, and tries again what may yet succeed.
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Store } from '../store/store.js';
import type { Delivery, Joining, SettledAddressee } from './channel.js';
import type { ChannelRepository, KeptChannel } from './channel-repository.js';
import type { LastingClock } from './lasting-clock.js';
import type { Notice } from './notice.js';
import { alertKeyOf, type NoticeQueue, type QueuedNotice } from './notice-queue.js';
import { retryDelayMs } from './retry-delay.js';

/** How it went with a notice. */
export interface AttemptOutcome {
  readonly entry: QueuedNotice;
  readonly channel: KeptChannel;
  readonly kind: Delivery['kind'];
  readonly reason: string;
  /** It is not known whether it arrived, or it arrived at some addressees. */
  readonly mayHaveArrived: boolean;
  /** It arrived at addressees that did not have it before, and others are to be tried again. */
  readonly hasReachedSome: boolean;
}

/** How notices are joined for channels that join into incidents. */
export interface IncidentJoining {
  /** The same for notices that one message can hold. */
  groupOf(entry: QueuedNotice): string;
  /** Prepares notices of one group for an attempt. The result is why there is nothing to send, in words. */
  assign(entries: readonly QueuedNotice[]): string | undefined;
}

/** What the dispatcher works with. */
export interface DispatcherParts {
  readonly store: Store;
  readonly queue: NoticeQueue;
  readonly channels: ChannelRepository;
  readonly clock: Clock;
  readonly lastingClock: LastingClock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** How long what is over, an event or a resolved alert, is tried. */
  readonly retryHours: number;
  /** Hears of every attempt's end, while the notice still is in the queue. */
  onOutcome(outcome: AttemptOutcome): void;
  /** Hears of a receiver that is back: it gets what waits. */
  onRecovery(channelId: string): void;
  readonly incidents: IncidentJoining;
  /** Whether the alert of a notice still fires: then it is tried for as long as it does. */
  stillFires(entry: QueuedNotice): boolean;
}

/** A notice that goes out from memory says so. */
function unstored(notice: Notice): Notice {
  return { ...notice, reason: `${notice.reason}; the disk is full, so a restart may repeat or forget this` };
}

/** Attempts of one channel at a time. */
const maxUnderWay = 8;
/**
 * Notices of which attempts begin in one turn of the event loop, and those of the last message: each takes up to a
 * millisecond, and so does its end.
 */
const maxPerTurn = 16;
/** Notices of one channel that are given up without a look at how long it takes. */
export const maxDropsAtOnce = 100;
/** Somebody waits for the process to end. */
const closeTimeoutMs = 1000;
const expireEveryMs = 60_000;

/** Starts attempts. Nothing it does waits for a channel. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #underWay = new Map<string, number>();
  /** Channels whose last attempt found no receiver. */
  readonly #failing = new Set<string>();
  readonly #attempts = new Set<Promise<void>>();
  /** Channels that may have something to be started, in the order in which they have their turn. */
  readonly #due = new Set<string>();
  #startedInTurn = 0;
  /** Resolves when the next turn has gone on with what is due. */
  #nextTurn: Promise<void> | undefined;
  readonly #abort = new AbortController();
  #isClosing = false;
  #expiredAtMs = Number.NEGATIVE_INFINITY;
  /** Channels in which what is too old has to be given up. */
  readonly #expiring = new Set<string>();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    // Each attempt listens to it.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Starts what can be started now, in turns: one attempt of each channel, then the next ones. */
  pump(): void {
    for (const channelId of this.#parts.queue.channelIds) this.#due.add(channelId);
    this.#startDue();
  }

  /** Sees whether it is time to give up what is too old. Called every second, before the channels are tended. */
  tick(): void {
    const { queue, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#expiredAtMs < expireEveryMs) return;
    this.#expiredAtMs = nowMs;
    for (const channelId of queue.channelIds) this.#expiring.add(channelId);
  }

  /**
   * Gives up a part of what is too old in a channel, or makes ready what is due again, without starting it. Called
   * every second for each channel; false: there is more to give up, and nothing was made ready.
   */
  tend(channelId: string): boolean {
    const { queue, clock } = this.#parts;
    if (this.#expiring.has(channelId) && !this.#expire(channelId)) return false;
    this.#expiring.delete(channelId);
    queue.wake(channelId, clock.monotonicMs());
    return true;
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    for (;;) {
      await Promise.all(this.#attempts);
      if (this.#due.size > 0) await this.#nextTurn;
      else if (this.#attempts.size === 0) return;
    }
  }

  /** Lets what is under way end for a moment, then breaks it off; that is tried again after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const timer = setTimeout(() => this.#abort.abort(), closeTimeoutMs);
    await this.settled();
    clearTimeout(timer);
  }

  #startDue(): void {
    for (const channelId of this.#due) {
      if (this.#startedInTurn >= maxPerTurn) return;
      this.#due.delete(channelId);
      const count = this.#startNext(channelId);
      if (count === 0) continue;
      this.#due.add(channelId); // behind the others
      this.#startedInTurn += count;
      this.#nextTurn ??= this.#goOnNextTurn();
    }
  }

  async #goOnNextTurn(): Promise<void> {
    await nextTurn();
    this.#nextTurn = undefined;
    this.#startedInTurn = 0;
    this.#startDue();
  }

  /** Starts one attempt. The result is of how many notices; 0 when there is none to be started. */
  #startNext(channelId: string): number {
    const channel = this.#parts.channels.find(channelId);
    if (channel === undefined || this.#isClosing) return 0;
    const underWay = this.#underWay.get(channelId) ?? 0;
    if (underWay >= maxUnderWay) return 0;
    const entries = this.#next(channel);
    const [first] = entries;
    if (first === undefined) return 0;
    const needless = channel.kind.joining?.intoIncidents ? this.#parts.incidents.assign(entries) : undefined;
    if (needless !== undefined) {
      for (const entry of entries) this.#parts.queue.giveUp(entry, needless);
      return entries.length;
    }
    this.#underWay.set(channelId, underWay + 1);
    const attempt = this.#attempt(channel, entries, first.attemptId ?? first.notice.id);
    this.#attempts.add(attempt);
    attempt.finally(() => this.#attempts.delete(attempt));
    return entries.length;
  }

  /** The notices of the next attempt. */
  #next({ id, kind }: KeptChannel): readonly QueuedNotice[] {
    const ready = this.#parts.queue.ready(id);
    const [oldest] = ready;
    if (oldest === undefined || kind.joining === undefined) return oldest === undefined ? [] : [oldest];
    const again = [...ready].find(({ attemptId }) => attemptId !== null);
    if (again !== undefined) return [...ready].filter(({ attemptId }) => attemptId === again.attemptId);
    for (const group of kind.joining.intoIncidents ? this.#byIncident(ready) : [[...ready]]) {
      if (this.#isTime(group, kind.joining)) return group.slice(0, kind.joining.maxNotices);
    }
    return [];
  }

  #byIncident(ready: Iterable<QueuedNotice>): Iterable<readonly QueuedNotice[]> {
    const groups = new Map<string, QueuedNotice[]>();
    for (const entry of ready) {
      const name = this.#parts.incidents.groupOf(entry);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [entry]);
      else group.push(entry);
    }
    return groups.values();
  }

  /** Whether notices need not wait for others any more. */
  #isTime(waiting: readonly QueuedNotice[], { waitMs, maxNotices }: Joining): boolean {
    const [oldest] = waiting;
    if (oldest === undefined) return false;
    const waitedMs = this.#parts.clock.monotonicMs() - oldest.dueMs;
    return waitedMs >= waitMs || oldest.attempts > 0 || waiting.length >= maxNotices;
  }

  async #attempt(channel: KeptChannel, entries: readonly QueuedNotice[], attemptId: string): Promise<void> {
    const { store, queue, logger } = this.#parts;
    queue.start(entries, attemptId, channel.kind.joining !== undefined);
    await store.recorded();
    let delivery: Delivery;
    try {
      const notices = entries.map(({ notice }) => (store.isWritable ? notice : unstored(notice)));
      const { settled } = entries[0] ?? {};
      delivery = await channel.channel.deliver(notices, attemptId, this.#abort.signal, settled);
    } catch (err) {
      // A bug in the channel must not lose the notice.
      logger.error(
        { err, channelId: channel.id, type: channel.kind.type },
        'a delivery failed with an internal error',
      );
      delivery = { kind: 'retry', reason: 'an internal error, see the log', mayHaveArrived: true };
    }
    this.#underWay.set(channel.id, (this.#underWay.get(channel.id) ?? 1) - 1);
    this.#settle(channel, entries, delivery);
    this.#due.add(channel.id);
    this.#startDue();
  }

  #settle(channel: KeptChannel, entries: readonly QueuedNotice[], delivery: Delivery): void {
    const { queue, onOutcome } = this.#parts;
    const reason = delivery.kind === 'sent' ? (delivery.note ?? '') : delivery.reason;
    const mayHaveArrived = delivery.kind === 'retry' && delivery.mayHaveArrived;
    const settled = delivery.kind === 'retry' ? delivery.settled : undefined;
    for (const entry of entries) entry.attempts += 1;
    const dueMs = this.#nextAttemptMs(entries, delivery);
    for (const entry of entries) {
      // While it was under way the channel may have been removed, and its notices with it.
      if (this.#parts.channels.find(channel.id) === undefined) {
        queue.drop(entry, 'the channel was removed');
        continue;
      }
      const hasSuccessor = this.#hasSuccessor(entry);
      const hasReachedSome = settled !== undefined && countReached(settled) > countReached(entry.settled);
      onOutcome({ entry, channel, kind: delivery.kind, reason, mayHaveArrived, hasReachedSome });
      if (delivery.kind !== 'retry') queue.remove(entry);
      else if (hasSuccessor) queue.drop(entry, 'replaced by a later state');
      else queue.retry(entry, dueMs, delivery);
      entry.lastReason = reason;
    }
    this.#noticeRecovery(channel.id, delivery);
  }

  #hasSuccessor({ notice, channelId }: QueuedNotice): boolean {
    const key = alertKeyOf(notice);
    return key !== undefined && this.#parts.queue.ofAlert(channelId, key).length > 1;
  }

  /** One time for all: what was tried in one message is tried again in one. */
  #nextAttemptMs(entries: readonly QueuedNotice[], delivery: Delivery): number {
    const { clock, random } = this.#parts;
    const attempts = Math.max(...entries.map((entry) => entry.attempts));
    const afterMs = delivery.kind === 'retry' ? delivery.afterMs : undefined;
    return clock.monotonicMs() + retryDelayMs(attempts, random(), afterMs);
  }

  /** A receiver that is back gets at once what waits for it, unless it asked for time. */
  #noticeRecovery(channelId: string, delivery: Delivery): void {
    if (delivery.kind === 'retry') {
      // Who refuses some addressees is there.
      if (delivery.afterMs === undefined && delivery.settled === undefined) this.#failing.add(channelId);
    } else if (this.#failing.delete(channelId) && delivery.kind === 'sent') {
      this.#parts.onRecovery(channelId);
    }
  }

  /** False when there is more to give up. */
  #expire(channelId: string): boolean {
    const { queue, lastingClock, retryHours, stillFires } = this.#parts;
    const untilMs = lastingClock.nowMs() - retryHours * 3_600_000;
    let count = 0;
    for (const entry of queue.idle(channelId)) {
      if (entry.queuedAtMs >= untilMs || stillFires(entry)) continue;
      if (count === maxDropsAtOnce) return false;
      queue.giveUp(entry, `not delivered within ${retryHours} hours`);
      count += 1;
    }
    return true;
  }
}

function countReached(settled: readonly SettledAddressee[]): number {
  return settled.filter(({ refusal }) => refusal === undefined).length;
}
