// Checks the queues of channels: gives up late notices, makes due ones ready, drops those of removed channels.
import type { SettlingWork } from './delivery-results.js';
import type { QueuedNotice } from './notice-queue.js';

/** Late notices are looked for once a minute. */
const lateEveryMs = 60_000;
/** The number of notices of one channel that are dropped in one step. */
const maxDropsAtOnce = 100;
/** Waiting notices that are checked in one unit of work. */
export const waitingPerUnit = 20;

/** The channels whose queues must be checked. */
export class QueueChecks {
  readonly #parts: SettlingWork;
  readonly #unchecked = new Set<string>();
  /** Channels in which late notices must be looked for. */
  readonly #late = new Set<string>();
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: SettlingWork) {
    this.#parts = parts;
  }

  /** Marks the queue of a channel that was removed. */
  note(channelId: string): void {
    this.#unchecked.add(channelId);
  }

  /** Marks all queues. Called every second. */
  tick(): void {
    const { queue, clock } = this.#parts;
    const isForLate = clock.monotonicMs() - this.#lookedMs >= lateEveryMs;
    if (isForLate) this.#lookedMs = clock.monotonicMs();
    for (const channelId of queue.channelIds) {
      this.#unchecked.add(channelId);
      if (isForLate) this.#late.add(channelId);
    }
  }

  /** Checks the marked queues; each step checks one, or a part of it. */
  *steps(): Generator<void, void> {
    for (const channelId of this.#unchecked) {
      while (!this.#checkPart(channelId)) yield;
      this.#unchecked.delete(channelId);
      this.#late.delete(channelId);
      yield;
    }
  }

  /** False if the queue must be checked further. */
  #checkPart(channelId: string): boolean {
    const { queue, channels, clock, work } = this.#parts;
    work.spend(1 + queue.waitingCount(channelId) / waitingPerUnit);
    if (channels.find(channelId) === undefined) return this.#dropPart(channelId);
    if (this.#late.has(channelId) && !this.#giveUpPart(channelId)) return false;
    queue.wake(channelId, clock.monotonicMs());
    return true;
  }

  /** Drops notices of a removed channel; false if there are more. */
  #dropPart(channelId: string): boolean {
    const { queue, results } = this.#parts;
    const idle = queue.idle(channelId);
    for (const entry of idle.slice(0, maxDropsAtOnce)) results.drop(entry, 'the channel was removed');
    return idle.length <= maxDropsAtOnce;
  }

  /** Gives up some of the late notices of a channel; false if there are more. */
  #giveUpPart(channelId: string): boolean {
    const { queue, results, lastingClock, retryHours } = this.#parts;
    const untilMs = lastingClock.nowMs() - retryHours * 3_600_000;
    let count = 0;
    for (const entry of queue.idle(channelId)) {
      if (entry.queuedAtMs >= untilMs || this.#stillFires(entry)) continue;
      if (count === maxDropsAtOnce) return false;
      results.giveUp(entry, `not delivered within ${retryHours} hours`);
      count += 1;
    }
    return true;
  }

  /** A notice of a firing alert is tried as long as the alert fires. */
  #stillFires({ notice: { status, clusterId, alert } }: QueuedNotice): boolean {
    if (status !== 'firing' || alert === null) return false;
    return this.#parts.followed.find(clusterId, alert.id)?.isFiring === true;
  }
}
