// The dispatcher: chooses what is attempted next, each channel for itself, and makes the attempts.
import { setMaxListeners } from 'node:events';
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Store } from '../store/store.js';
import type { Delivery, Joining, SettledAddressee } from './channel.js';
import type { ChannelRepository, KeptChannel } from './channel-repository.js';
import type { AttemptResult } from './followed-alert.js';
import type { Incidents } from './incidents.js';
import type { Notice } from './notice.js';
import type { NoticeQueue, QueuedNotice } from './notice-queue.js';

/** What the dispatcher works with. */
export interface DispatcherParts {
  readonly store: Store;
  readonly queue: NoticeQueue;
  readonly channels: ChannelRepository;
  readonly incidents: Incidents;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/** How an attempt ended, for each of its notices, all of which still are in the queue. */
export interface AttemptEnd {
  readonly channel: KeptChannel;
  readonly outcomes: readonly AttemptOutcome[];
  /** The receiver was not available before, and is again: it gets what waits. */
  readonly isReceiverBack: boolean;
}

/** How an attempt ended for one notice, and what follows. */
export interface AttemptOutcome extends AttemptResult {
  readonly entry: QueuedNotice;
  readonly reason: string;
  /** Addressees that need no other attempt. */
  readonly settled: readonly SettledAddressee[];
  /** Monotonic; when it is tried again, if it is. */
  readonly nextAttemptMs: number;
}

/** What was chosen to be sent next. */
export type NextNotices =
  /** An attempt has begun; `ended` never rejects. */
  | { readonly entries: readonly QueuedNotice[]; readonly ended: Promise<AttemptEnd> }
  /** There is nothing to send of them, and this is why. */
  | { readonly entries: readonly QueuedNotice[]; readonly needless: string };

/** A notice that goes out from memory says so. */
function unstored(notice: Notice): Notice {
  return { ...notice, reason: `${notice.reason}; the disk is full, so a restart may repeat or forget this` };
}

/** Attempts of one channel at a time. */
const maxUnderWay = 8;

/** Makes attempts. Nothing it does waits for a channel. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #underWay = new Map<string, number>();
  /** Channels whose last attempt found no receiver. */
  readonly #failing = new Set<string>();
  /** Channels that may have something to be started, in the order in which they have their turn. */
  readonly #due = new Set<string>();
  readonly #abort = new AbortController();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    // Each attempt listens to it.
    setMaxListeners(0, this.#abort.signal);
  }

  /** Marks a channel that may have something to be started. */
  noteDue(channelId: string): void {
    this.#due.add(channelId);
  }

  /** Marks every channel. */
  noteAllDue(): void {
    for (const channelId of this.#parts.queue.channelIds) this.#due.add(channelId);
  }

  /** Starts the next attempt: one of each channel, then the next ones. Undefined when there is none to be started. */
  startNext(): NextNotices | undefined {
    for (const channelId of this.#due) {
      this.#due.delete(channelId);
      const channel = this.#parts.channels.find(channelId);
      const underWay = this.#underWay.get(channelId) ?? 0;
      if (channel === undefined || underWay >= maxUnderWay) continue;
      const entries = this.#next(channel);
      const [first] = entries;
      if (first === undefined) continue;
      this.#due.add(channelId); // behind the others
      const needless = channel.kind.joining?.intoIncidents
        ? this.#parts.incidents.assign(entries)
        : undefined;
      if (needless !== undefined) return { entries, needless };
      this.#underWay.set(channelId, underWay + 1);
      return { entries, ended: this.#attempt(channel, entries, first.attemptId ?? first.notice.id) };
    }
    return undefined;
  }

  /** Aborts the attempts that are under way; their notices are tried again after the next start. */
  abort(): void {
    this.#abort.abort();
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

  /** Whether notices need not wait for others any more. */
  #isTime(waiting: readonly QueuedNotice[], { waitMs, maxNotices }: Joining): boolean {
    const [oldest] = waiting;
    if (oldest === undefined) return false;
    const waitedMs = this.#parts.clock.monotonicMs() - oldest.dueMs;
    return waitedMs >= waitMs || oldest.attempts > 0 || waiting.length >= maxNotices;
  }

  async #attempt(
    channel: KeptChannel,
    entries: readonly QueuedNotice[],
    attemptId: string,
  ): Promise<AttemptEnd> {
    const { store, queue, logger } = this.#parts;
    queue.start(entries, attemptId, channel.kind.joining !== undefined);
    await store.recorded();
    let delivery: Delivery;
    try {
      const notices = entries.map(({ notice }) => (store.isWritable ? notice : unstored(notice)));
      const { settled } = entries[0] ?? {};
      delivery = await channel.sender.deliver(notices, attemptId, this.#abort.signal, settled);
    } catch (err) {
      // A bug in the channel must not lose the notice.
      logger.error(
        { err, channelId: channel.id, type: channel.kind.type },
        'a delivery failed with an internal error',
      );
      delivery = { kind: 'retry', reason: 'an internal error, see the log', mayHaveArrived: true };
    }
    return this.#settle(channel, entries, delivery);
  }

  #settle(channel: KeptChannel, entries: readonly QueuedNotice[], delivery: Delivery): AttemptEnd {
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
    return { channel, outcomes, isReceiverBack: this.#isReceiverBack(channel.id, delivery) };
  }

  /** One time for all: what was tried in one message is tried again in one. */
  #nextAttemptMs(entries: readonly QueuedNotice[], delivery: Delivery): number {
    const { clock, random } = this.#parts;
    const attempts = Math.max(...entries.map((entry) => entry.attempts));
    const afterMs = delivery.kind === 'retry' ? delivery.afterMs : undefined;
    return clock.monotonicMs() + retryDelayMs(attempts, random(), afterMs);
  }

  #isReceiverBack(channelId: string, delivery: Delivery): boolean {
    if (delivery.kind !== 'retry') return this.#failing.delete(channelId) && delivery.kind === 'sent';
    // A receiver that asks for time, or refuses some addressees, is available.
    if (delivery.afterMs === undefined && delivery.settled === undefined) this.#failing.add(channelId);
    return false;
  }
}

const firstDelayMs = 1000;
const longestDelayMs = 300_000;

/**
 * How long a failed notice waits: doubles from one second to five minutes; between half of that and the whole, so that
 * what failed together is not tried again together. What a receiver asks for is the least. `random` is in [0, 1).
 */
function retryDelayMs(attempts: number, random: number, askedForMs = 0): number {
  const backOffMs = Math.min(firstDelayMs * 2 ** Math.min(attempts - 1, 20), longestDelayMs);
  return Math.max(backOffMs * (0.5 + random / 2), askedForMs);
}

function countReached(settled: readonly SettledAddressee[]): number {
  return settled.filter(({ refusal }) => refusal === undefined).length;
}
