// The dispatcher: chooses which notices are attempted next, for each channel separately, and makes the attempts.
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getOrMake } from '../../foundation/get-or-make.js';
import { Portions } from '../../foundation/threads/portions.js';
import type { Delivery, Joining, SettledAddressee } from './channel.js';
import type { KeptChannel } from './channel-repository.js';
import { withLink } from './console-link.js';
import type { AttemptOutcome, SettlingWork } from './delivery-results.js';
import type { Incidents } from './incidents.js';
import type { Notice } from './notice.js';
import type { QueuedNotice } from './notice-queue.js';

/** What the dispatcher needs from outside. */
export interface DispatcherParts extends SettlingWork {
  readonly incidents: Incidents;
  /** Called when a receiver that was not available is available again. */
  onReceiverBack(channelId: string): void;
}

/** Marks a notice that is sent from memory. */
function unstored(notice: Notice): Notice {
  return { ...notice, reason: `${notice.reason}; the disk is full, so a restart may repeat or lose it` };
}

/** Simultaneous attempts of one channel. */
const maxUnderWay = 8;
/**
 * When attempts for this many notices have begun in a turn of the event loop, the others wait for the next turn: an
 * attempt takes up to a millisecond, and so does its end.
 */
const mostStartedInTurn = 16;

/** Makes attempts, and passes their ends to the results. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #starts: Portions;
  /** Attempts under way, including the processing of their results. */
  readonly #attempts = new Set<Promise<void>>();
  readonly #underWay = new Map<string, number>();
  /** Channels whose last attempt did not reach the receiver. */
  readonly #failing = new Set<string>();
  /** Channels that may have notices to attempt, in the order in which they are served. */
  readonly #due = new Set<string>();
  readonly #abort = new AbortController();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#starts = new Portions({ clock, mostInTurn: mostStartedInTurn });
    // Each attempt adds a listener.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Starts attempts for the notices of all channels that are ready; it does not wait for a channel. */
  run(): void {
    for (const channelId of this.#parts.queue.channelIds) this.#due.add(channelId);
    this.#starts.run('starts', this.#starting());
  }

  /** Resolves when no attempt is under way and none can be started. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#attempts);
      if (this.#starts.hasMore) await nextTurn();
    } while (this.#starts.hasMore || this.#attempts.size > 0);
  }

  /**
   * Starts no more attempts, and aborts those under way after a time; their notices are tried again after the next
   * start.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#starts.stop();
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await this.settled();
    clearTimeout(timer);
  }

  /** Starts attempts, one in each step; the channels take turns. */
  *#starting(): Generator<void, void> {
    for (const channelId of this.#due) {
      this.#due.delete(channelId);
      const channel = this.#parts.channels.find(channelId);
      const underWay = this.#underWay.get(channelId) ?? 0;
      if (channel === undefined || underWay >= maxUnderWay) continue;
      const entries = this.#next(channel);
      const [first] = entries;
      if (first === undefined) continue;
      this.#due.add(channelId); // to the end of the order
      this.#starts.spend(entries.length);
      const { incidents, results } = this.#parts;
      const needless = channel.kind.joining?.intoIncidents ? incidents.assign(entries) : undefined;
      if (needless === undefined) {
        this.#underWay.set(channelId, underWay + 1);
        const attemptId = first.attemptId ?? first.notice.id;
        const attempt: Promise<void> = this.#attempt(channel, entries, attemptId).finally(() =>
          this.#attempts.delete(attempt),
        );
        this.#attempts.add(attempt);
      } else for (const entry of entries) results.giveUp(entry, needless);
      yield;
    }
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
    const { incidents } = this.#parts;
    for (const entry of ready)
      getOrMake(groups, incidents.groupOf(entry), (): QueuedNotice[] => []).push(entry);
    return groups.values();
  }

  /** Whether notices need not wait for others any longer. */
  #isTime(waiting: readonly QueuedNotice[], { waitMs, maxNotices }: Joining): boolean {
    const [oldest] = waiting;
    if (oldest === undefined) return false;
    const waitedMs = this.#parts.clock.monotonicMs() - oldest.dueMs;
    return waitedMs >= waitMs || oldest.attempts > 0 || waiting.length >= maxNotices;
  }

  async #attempt(channel: KeptChannel, entries: readonly QueuedNotice[], attemptId: string): Promise<void> {
    const { store, queue, logger, surroundings } = this.#parts;
    queue.start(entries, attemptId, channel.kind.joining !== undefined);
    await store.recorded();
    let delivery: Delivery;
    try {
      const notices = entries.map(({ notice }) =>
        withLink(store.isWritable ? notice : unstored(notice), surroundings.consoleUrl),
      );
      const { settled } = entries[0] ?? {};
      delivery = await channel.sender.deliver(notices, attemptId, this.#abort.signal, settled);
    } catch (err) {
      // The notice must survive a bug in the channel.
      logger.error(
        { err, channelId: channel.id, type: channel.kind.type },
        'a delivery failed with an internal error',
      );
      delivery = { kind: 'retry', reason: 'an internal error, see the log', mayHaveArrived: true };
    }
    this.#settle(channel, entries, delivery);
  }

  /** Processes the end of an attempt, and starts what can be started now. */
  #settle(channel: KeptChannel, entries: readonly QueuedNotice[], delivery: Delivery): void {
    const { results, onReceiverBack } = this.#parts;
    this.#underWay.set(channel.id, (this.#underWay.get(channel.id) ?? 1) - 1);
    for (const entry of entries) entry.attempts += 1;
    const { kind } = delivery;
    const nextAttemptMs = this.#nextAttemptMs(entries, delivery);
    const outcomes = entries.map((entry): AttemptOutcome => {
      const settled = (kind === 'retry' ? delivery.settled : undefined) ?? entry.settled;
      return {
        entry,
        kind,
        reason: kind === 'sent' ? (delivery.note ?? '') : delivery.reason,
        mayHaveArrived: kind === 'retry' && delivery.mayHaveArrived,
        settled,
        hasReachedSome: countReached(settled) > countReached(entry.settled),
        nextAttemptMs,
      };
    });
    const isReceiverBack = this.#isReceiverBack(channel.id, delivery);
    results.takeEnd(channel, outcomes);
    if (isReceiverBack) onReceiverBack(channel.id);
    this.#due.add(channel.id);
    this.#starts.run('starts', this.#starting());
  }

  /** One time for all: notices of one message are tried again together. */
  #nextAttemptMs(entries: readonly QueuedNotice[], delivery: Delivery): number {
    const { clock, random } = this.#parts;
    const attempts = Math.max(...entries.map((entry) => entry.attempts));
    const afterMs = delivery.kind === 'retry' ? delivery.afterMs : undefined;
    return clock.monotonicMs() + retryDelayMs(attempts, random(), afterMs);
  }

  #isReceiverBack(channelId: string, delivery: Delivery): boolean {
    if (delivery.kind !== 'retry') return this.#failing.delete(channelId) && delivery.kind === 'sent';
    // A receiver that requests time, or refuses some addressees, is available.
    if (delivery.afterMs === undefined && delivery.settled === undefined) this.#failing.add(channelId);
    return false;
  }
}

const firstDelayMs = 1000;
const longestDelayMs = 300_000;

/**
 * How long a failed notice waits: doubles from one second to five minutes, and a random part of up to half is
 * subtracted so that notices that failed together are not tried again together. At least as long as the receiver
 * requests. `random` is in [0, 1).
 */
function retryDelayMs(attempts: number, random: number, askedForMs = 0): number {
  const backOffMs = Math.min(firstDelayMs * 2 ** Math.min(attempts - 1, 20), longestDelayMs);
  return Math.max(backOffMs * (0.5 + random / 2), askedForMs);
}

function countReached(settled: readonly SettledAddressee[]): number {
  return settled.filter(({ refusal }) => refusal === undefined).length;
}
