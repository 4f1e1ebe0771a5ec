// The results of notices: writes them to the delivery log, and updates the state of channels for alerts.
import type { OpsDelivery } from '../../descriptions/operations-replies.js';
import type { Portions } from '../../foundation/threads/portions.js';
import type { SettledAddressee } from './channel.js';
import type { ChannelRepository, KeptChannel } from './channel-repository.js';
import { addressee, type DeliveryLog, subject } from './delivery-log.js';
import {
  type AttemptResult,
  afterAttempt,
  type FollowedAlert,
  type FollowedAlerts,
} from './followed-alert.js';
import type { LastingClock } from './lasting-clock.js';
import type { Notice } from './notice.js';
import { alertKeyOf, type NoticeQueue, type QueuedNotice } from './notice-queue.js';
import type { NotificationParts } from './notification-parts.js';
import type { NotificationSwitch } from './notification-switch.js';
import type { SilenceRepository } from './silence-repository.js';

/** The outcome of an attempt for one notice, and its next attempt. */
export interface AttemptOutcome extends AttemptResult {
  readonly entry: QueuedNotice;
  readonly reason: string;
  /** Addressees that need no further attempt. */
  readonly settled: readonly SettledAddressee[];
  /** The time of the next attempt, if there is one, on the monotonic clock. */
  readonly nextAttemptMs: number;
}

/** What the pipeline gets: also the parts that requests use. */
export interface NoticeSources extends NotificationParts {
  readonly channels: ChannelRepository;
  readonly silences: SilenceRepository;
  readonly globalSwitch: NotificationSwitch;
  readonly log: DeliveryLog;
}

/** What the parts of the pipeline share. */
interface NoticeWork extends NoticeSources {
  readonly followed: FollowedAlerts;
  readonly queue: NoticeQueue;
  readonly lastingClock: LastingClock;
  /** Counts units of work. Judging an alert for one channel is one unit. */
  readonly work: Pick<Portions, 'spend'>;
}

/** What is needed to write results as well. */
export interface SettlingWork extends NoticeWork {
  readonly results: DeliveryResults;
}

/** Units of work to queue, change or drop a notice, including its log entry. */
export const unitsOfNotice = 20;

/** Removes notices from the queue, delivered or not. */
export class DeliveryResults {
  readonly #parts: NoticeWork;

  constructor(parts: NoticeWork) {
    this.#parts = parts;
  }

  /** Writes an entry about a notice. */
  write(
    outcome: OpsDelivery['outcome'],
    reason: string,
    notice: Notice,
    channel: KeptChannel | string,
    attempts: number,
  ): void {
    this.#parts.log.append(notice.clusterId, {
      outcome,
      reason,
      ...subject(notice),
      ...(typeof channel === 'string' ? { channel_id: channel, channel: 'removed' } : addressee(channel)),
      attempts,
    });
  }

  /** Processes the end of an attempt: its notices leave the queue, or wait until they are tried again. */
  takeEnd(channel: KeptChannel, outcomes: readonly AttemptOutcome[]): void {
    const { channels, queue } = this.#parts;
    for (const outcome of outcomes) {
      const { entry, kind, reason, nextAttemptMs } = outcome;
      // The channel, and its notices, may have been removed during the attempt.
      if (channels.find(channel.id) === undefined) {
        this.drop(entry, 'the channel was removed');
        continue;
      }
      const isReplaced = queue.hasSuccessor(entry);
      this.#takeOutcome(outcome, channel);
      if (kind !== 'retry') queue.remove(entry);
      else if (isReplaced) this.drop(entry, 'replaced by a later state');
      else queue.retry(entry, nextAttemptMs, outcome);
      entry.lastReason = reason;
    }
  }

  /** Removes an undelivered notice from the queue. */
  drop(entry: QueuedNotice, reason: string): void {
    this.#parts.queue.remove(entry);
    this.dropped(entry, reason, false);
  }

  /** Removes an undelivered notice from the queue, without a replacement. */
  giveUp(entry: QueuedNotice, reason: string): void {
    this.#parts.queue.remove(entry);
    this.dropped(entry, reason, true);
  }

  /** Records the outcome of an attempt, and the new state of the channel. The notice is still in the queue. */
  #takeOutcome(outcome: AttemptOutcome, channel: KeptChannel): void {
    const { entry, kind, reason } = outcome;
    const { notice } = entry;
    // A receiver that forgets alerts gets copies: these cause no event.
    const isRefresh = channel.kind.refreshMs !== undefined && !entry.isFirst && notice.status === 'firing';
    if (kind === 'sent' && isRefresh) entry.lastReason = reason;
    else if (kind !== 'retry') this.write(kind, reason, notice, channel, entry.attempts);
    else if (reason !== entry.lastReason) this.write('retrying', reason, notice, channel, entry.attempts);
    const followed = this.#parts.followed.about(notice);
    const known = followed?.channels.get(channel.id);
    if (followed === undefined || known === undefined) return;
    if (notice.status === 'resolved') {
      if (kind === 'retry' || followed.isFiring) return;
      followed.channels.delete(channel.id);
    } else {
      followed.channels.set(channel.id, afterAttempt(known, outcome, this.#parts.lastingClock.nowMs()));
      this.#dropEndWithoutBeginning(entry, followed);
    }
    this.#keepOrForget(followed);
  }

  /**
   * Records that a notice left the queue undelivered. A notice that was given up is not replaced: there is no other
   * notice of the end of its alert, and the next repeat is sent when it is due.
   */
  dropped(entry: QueuedNotice, reason: string, isGivenUp: boolean): void {
    const { notice, channelId, attempts } = entry;
    const { channels, lastingClock, work } = this.#parts;
    work.spend(unitsOfNotice);
    this.write('dropped', reason, notice, channels.find(channelId) ?? channelId, attempts);
    const followed = this.#parts.followed.about(notice);
    const known = followed?.channels.get(channelId);
    if (!isGivenUp || followed === undefined || known === undefined) return;
    if (notice.status === 'firing') {
      followed.channels.set(channelId, { ...known, lastAtMs: lastingClock.nowMs() });
    } else if (!followed.isFiring) {
      followed.channels.delete(channelId);
    }
    this.#keepOrForget(followed);
  }

  #keepOrForget(followed: FollowedAlert): void {
    if (!followed.isFiring && followed.channels.size === 0) this.#parts.followed.forget(followed);
    else this.#parts.followed.keep(followed);
  }

  /** The end of an alert waits for its beginning. If the beginning never arrived, the end is not sent either. */
  #dropEndWithoutBeginning(entry: QueuedNotice, followed: FollowedAlert): void {
    if (followed.channels.get(entry.channelId)?.notified !== 'no') return;
    const { queue } = this.#parts;
    for (const next of queue.ofAlert(entry.channelId, alertKeyOf(entry.notice) ?? '')) {
      if (next === entry || next.notice.status !== 'resolved') continue;
      this.drop(next, 'cleared before it could be delivered');
      followed.channels.delete(entry.channelId);
    }
  }
}
