// Gives up notices that could not be delivered for too long.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { DeliveryResults } from './delivery-results.js';
import type { FollowedAlerts } from './followed-alert.js';
import type { LastingClock } from './lasting-clock.js';
import type { NoticeQueue, QueuedNotice } from './notice-queue.js';

/** What it needs from outside. */
export interface LateNoticesParts {
  readonly queue: NoticeQueue;
  readonly results: DeliveryResults;
  readonly followed: FollowedAlerts;
  readonly clock: Clock;
  readonly lastingClock: LastingClock;
  /** How long notices of events and resolved alerts are tried. */
  readonly retryHours: number;
}

const everyMs = 60_000;
/** The number of notices of one channel that are dropped in one step. */
export const maxDropsAtOnce = 100;

/** Checks for late notices once a minute. */
export class LateNotices {
  readonly #parts: LateNoticesParts;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Channels that are still to be checked. */
  readonly #channelIds = new Set<string>();

  constructor(parts: LateNoticesParts) {
    this.#parts = parts;
  }

  /** Starts a check if it is due. The server calls it every second. */
  tick(): void {
    const { queue, clock } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedMs < everyMs) return;
    this.#lookedMs = nowMs;
    for (const channelId of queue.channelIds) this.#channelIds.add(channelId);
  }

  /** Gives up some of the late notices of a channel, if it is to be checked; false if there are more. */
  giveUpPart(channelId: string): boolean {
    if (!this.#channelIds.has(channelId)) return true;
    const { queue, results, lastingClock, retryHours } = this.#parts;
    const untilMs = lastingClock.nowMs() - retryHours * 3_600_000;
    let count = 0;
    for (const entry of queue.idle(channelId)) {
      if (entry.queuedAtMs >= untilMs || this.#stillFires(entry)) continue;
      if (count === maxDropsAtOnce) return false;
      results.giveUp(entry, `not delivered within ${retryHours} hours`);
      count += 1;
    }
    this.#channelIds.delete(channelId);
    return true;
  }

  /** A notice of a firing alert is tried as long as the alert fires. */
  #stillFires({ notice: { status, clusterId, alert } }: QueuedNotice): boolean {
    if (status !== 'firing' || alert === null) return false;
    return this.#parts.followed.find(clusterId, alert.id)?.isFiring === true;
  }
}
