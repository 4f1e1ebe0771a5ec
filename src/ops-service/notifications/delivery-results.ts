// The results of notices: writes them to the delivery log, and updates what the channels know of alerts.
import type { ChannelRepository, KeptChannel } from './channel-repository.js';
import { addressee, type DeliveryLog, type DeliveryOutcome, subject } from './delivery-log.js';
import type { AttemptEnd, AttemptOutcome } from './dispatcher.js';
import { afterAttempt, type FollowedAlert, type FollowedAlerts } from './followed-alert.js';
import type { LastingClock } from './lasting-clock.js';
import type { Notice } from './notice.js';
import { alertKeyOf, type NoticeQueue, type QueuedNotice } from './notice-queue.js';
import type { Portions } from './portions.js';

/** What the results work with. */
export interface DeliveryResultsParts {
  readonly channels: ChannelRepository;
  readonly log: DeliveryLog;
  readonly followed: FollowedAlerts;
  readonly queue: NoticeQueue;
  readonly lastingClock: LastingClock;
  /** Counts the work. */
  readonly work: Pick<Portions, 'spend'>;
}

/** To queue, change or drop a notice, with what is written of it. */
export const unitsOfNotice = 20;

/** Takes notices out of the queue, delivered or not. */
export class DeliveryResults {
  readonly #parts: DeliveryResultsParts;

  constructor(parts: DeliveryResultsParts) {
    this.#parts = parts;
  }

  /** Writes an entry about a notice. */
  write(
    outcome: DeliveryOutcome,
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

  /** Takes the end of an attempt: its notices leave the queue, or wait until they are tried again. */
  takeEnd({ channel, outcomes }: AttemptEnd): void {
    const { channels, queue } = this.#parts;
    for (const outcome of outcomes) {
      const { entry, kind, reason, nextAttemptMs } = outcome;
      // While it was under way the channel may have been removed, and its notices with it.
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

  /** Takes a notice out of the queue undelivered. */
  drop(entry: QueuedNotice, reason: string): void {
    this.#parts.queue.remove(entry);
    this.dropped(entry, reason, false);
  }

  /** Takes a notice out of the queue undelivered, and no other one takes its place. */
  giveUp(entry: QueuedNotice, reason: string): void {
    this.#parts.queue.remove(entry);
    this.dropped(entry, reason, true);
  }

  /** Writes how an attempt ended, and what the channel knows now. The notice still is in the queue. */
  #takeOutcome(outcome: AttemptOutcome, channel: KeptChannel): void {
    const { entry, kind, reason } = outcome;
    const { notice } = entry;
    // A receiver that keeps nothing gets a copy again: no event for that.
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
      this.#dropUnfounded(entry, followed);
    }
    this.#keepOrForget(followed);
  }

  /**
   * Writes that a notice is not in the queue and was not delivered. Nothing takes the place of one that was given up:
   * there is no other notice of the end of its alert, and the next repeat comes in its time.
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

  /** The end of an alert waits behind its beginning, which never arrived: then the end is not sent either. */
  #dropUnfounded(entry: QueuedNotice, followed: FollowedAlert): void {
    if (followed.channels.get(entry.channelId)?.notified !== 'no') return;
    const { queue } = this.#parts;
    for (const next of queue.ofAlert(entry.channelId, alertKeyOf(entry.notice) ?? '')) {
      if (next === entry || next.notice.status !== 'resolved') continue;
      this.drop(next, 'cleared before it could be delivered');
      followed.channels.delete(entry.channelId);
    }
  }
}
