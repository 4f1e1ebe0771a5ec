// Judges alerts and events: queues, changes and drops notices, depending on what each channel already got.
import { isDeepStrictEqual } from 'node:util';
import { getOrMake } from '../../foundation/get-or-make.js';
import { minutesText } from '../alerts/rule.js';
import type { Alert, Event, LevelName, RuleSummary } from '../events/event.js';
import type { KeptChannel } from './channel-repository.js';
import { addressee, subject } from './delivery-log.js';
import { type SettlingWork, unitsOfNotice } from './delivery-results.js';
import { type Explained, explainFiring, whyExcluded } from './explain-notices.js';
import { type ChannelState, type FollowedAlert, notNotified, withoutFailures } from './followed-alert.js';
import { eventOfNotice, type Notice, type NoticeStatus } from './notice.js';
import { keyOfAlert, newEntry, type QueuedNotice } from './notice-queue.js';
import { RareWarning } from './rare-warning.js';
import { type Candidate, type Circumstances, judge, type Repeats } from './stages.js';
import type { WaitingEvent } from './waiting-events.js';

/** The common inputs for all alerts of a cluster. */
interface Around {
  readonly circumstances: Circumstances;
  readonly channels: readonly KeptChannel[];
}

/** Decides which channel gets which notice. */
export class NoticeJudge {
  readonly #parts: SettlingWork;
  readonly #noRoom: RareWarning;
  /** The alert being judged, with its present value: one object for the notices of all channels. */
  #fresh: Alert | undefined;
  /** The common inputs of each cluster; every portion of work reads them again. */
  readonly #around = new Map<string, Around>();

  constructor(parts: SettlingWork) {
    this.#parts = parts;
    this.#noRoom = new RareWarning(parts, 'the queue of notices is full: first notices of alerts wait');
  }

  /** Ends a portion of work: what is judged later gets the inputs of its time. */
  endPortion(): void {
    this.#around.clear();
  }

  /** Whether a channel accepts the event. */
  isEventTaken(clusterId: string, event: Event): boolean {
    return this.#parts.channels.list(clusterId).some((channel) => takesEvent(channel, event));
  }

  /** Queues notices of an event for the channels that accept it. */
  judgeEvent({ event, clusterId }: WaitingEvent): void {
    const { circumstances, channels } = this.#aroundOf(clusterId);
    this.#parts.work.spend(1 + channels.length);
    for (const channel of channels) {
      if (!takesEvent(channel, event)) continue;
      const candidate: Candidate = {
        clusterId,
        status: 'event',
        event,
        alert: null,
        rule: null,
        history: { ...notNotified, queued: undefined },
        repeats: { intervalMs: 0, isRefresh: false },
      };
      const stop = judge(candidate, circumstances);
      const notice = this.#notice(candidate, 'event');
      if (stop === undefined) this.#enqueue(notice, channel, false);
      else this.#writeDropped(notice, channel, stop.reason);
    }
  }

  #writeDropped(notice: Notice, channel: KeptChannel, reason: string): void {
    this.#parts.work.spend(unitsOfNotice);
    this.#parts.results.write('dropped', reason, notice, channel, 0);
  }

  /** Queues and drops notices of an alert. */
  judgeAlert(followed: FollowedAlert): void {
    const { circumstances, channels } = this.#aroundOf(followed.clusterId);
    this.#fresh = undefined;
    const hasChanged = followed.isFiring
      ? this.#judgeFiring(followed, circumstances, channels)
      : this.#judgeCleared(followed, circumstances);
    if (!followed.isFiring && followed.channels.size === 0) this.#parts.followed.forget(followed);
    else if (hasChanged) this.#parts.followed.keep(followed);
  }

  /** The state of a firing alert for a channel of its cluster; changes nothing. */
  explain(channel: KeptChannel, alert: Alert): Explained {
    const excluded = whyExcluded(channel, alert);
    if (excluded !== undefined) return excluded;
    const followed = this.#parts.followed.find(channel.clusterId, alert.id);
    const channelId = channel.id;
    if (followed === undefined)
      return explainFiring({ followed, channelId, queued: undefined, stop: undefined });
    const queued = this.#queuedOf(channelId, followed).findLast(({ notice }) => notice.status === 'firing');
    const known = followed.channels.get(channelId) ?? notNotified;
    const candidate = this.#candidate(channel, { ...followed, alert }, 'firing', known);
    const stop = judge(candidate, this.#circumstances(channel.clusterId));
    return explainFiring({ followed, channelId, queued, stop });
  }

  #judgeFiring(
    followed: FollowedAlert,
    circumstances: Circumstances,
    channels: readonly KeptChannel[],
  ): boolean {
    let hasChanged = this.#takeRule(followed);
    for (const channelId of followed.channels.keys()) {
      if (this.#parts.channels.find(channelId) !== undefined) continue;
      followed.channels.delete(channelId);
      hasChanged = true;
    }
    this.#parts.work.spend(channels.length);
    for (const channel of channels) {
      const isChange =
        whyExcluded(channel, followed.alert) === undefined
          ? this.#judgeFor(channel, followed, 'firing', circumstances)
          : this.#withdraw(channel, followed);
      hasChanged = isChange || hasChanged;
    }
    return hasChanged;
  }

  /** Applies a change of the rule; true if there was one. */
  #takeRule(followed: FollowedAlert): boolean {
    const rule = this.#parts.currentRule(followed.clusterId, followed.rule.id);
    if (rule === undefined || rule === followed.rule) return false;
    const isOther = !isDeepStrictEqual(rule, followed.rule);
    followed.rule = rule;
    if (!isOther) return false;
    followed.alert = { ...followed.alert, level: rule.level };
    followed.channels = withoutFailures(followed.channels);
    return true;
  }

  /**
   * Withdraws an alert from a channel that does not accept it, or no longer does. The channel gets no more notices,
   * except the end of an alert whose beginning it may have got.
   */
  #withdraw(channel: KeptChannel, followed: FollowedAlert): boolean {
    const known = followed.channels.get(channel.id);
    if (known === undefined) return false;
    const queued = this.#queuedOf(channel.id, followed);
    const waiting = queued.filter(({ isUnderWay }) => !isUnderWay);
    for (const entry of waiting)
      this.#parts.results.drop(entry, 'the channel does not take the alert any more');
    if (known.notified !== 'no' || waiting.length < queued.length) return false;
    if (waiting.some(({ mayHaveArrived }) => mayHaveArrived)) {
      followed.channels.set(channel.id, { ...known, notified: 'maybe' });
    } else {
      followed.channels.delete(channel.id);
    }
    return true;
  }

  #judgeCleared(followed: FollowedAlert, circumstances: Circumstances): boolean {
    let hasChanged = false;
    this.#parts.work.spend(followed.channels.size);
    for (const [channelId, known] of followed.channels) {
      const channel = this.#parts.channels.find(channelId);
      const firing = this.#queuedOf(channelId, followed).filter(({ notice }) => notice.status === 'firing');
      const mayKnow = known.notified !== 'no' || firing.some(({ mayHaveArrived }) => mayHaveArrived);
      if (channel !== undefined && mayKnow) {
        hasChanged = this.#judgeFor(channel, followed, 'resolved', circumstances) || hasChanged;
        continue;
      }
      // A notice under way to a removed channel leaves the queue when its attempt ends.
      for (const entry of firing)
        if (!entry.isUnderWay) this.#parts.results.drop(entry, 'cleared before it could be delivered');
      followed.channels.delete(channelId);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** True if the state of the channel has changed. */
  #judgeFor(
    channel: KeptChannel,
    followed: FollowedAlert,
    status: NoticeStatus,
    circumstances: Circumstances,
  ): boolean {
    const { clusterId } = followed;
    const known = followed.channels.get(channel.id) ?? notNotified;
    const repeats = repeatsOf(channel, followed.rule);
    if (status === 'firing') this.#reviseWaiting(channel, followed, known, repeats);
    const candidate = this.#candidate(channel, followed, status, known);
    const stop = judge(candidate, circumstances);
    if (stop === undefined) {
      const fresh = { ...candidate, alert: this.#freshAlert(followed) };
      followed.channels.set(channel.id, { ...known, heldReason: undefined });
      this.#enqueue(
        this.#notice(fresh, reasonOf(followed, known, repeats)),
        channel,
        known.notified !== 'yes',
      );
      return true;
    }
    if (stop.stage === 'room') this.#noRoom.note({ queued: this.#parts.queue.size });
    if (!stop.isHeld || stop.reason === known.heldReason) return false;
    this.#parts.work.spend(unitsOfNotice);
    this.#parts.log.append(clusterId, {
      outcome: 'held',
      reason: stop.reason,
      ...subject({ ...candidate, id: null }),
      ...addressee(channel),
      attempts: 0,
    });
    followed.channels.set(channel.id, { ...known, heldReason: stop.reason });
    return true;
  }

  #candidate(
    channel: KeptChannel,
    followed: FollowedAlert,
    status: NoticeStatus,
    known: ChannelState,
  ): Candidate {
    const { clusterId, event, rule, alert } = followed;
    const last = this.#queuedOf(channel.id, followed).at(-1);
    // The next repeat does not wait for the remaining addressees.
    const isForRest = status === 'firing' && known.notified === 'yes' && (last?.settled.length ?? 0) > 0;
    const history = { ...known, queued: isForRest ? undefined : last?.notice.status };
    return { clusterId, status, event, alert, rule, history, repeats: repeatsOf(channel, rule) };
  }

  /** Updates waiting notices after a change of the rule. */
  #reviseWaiting(channel: KeptChannel, followed: FollowedAlert, known: ChannelState, repeats: Repeats): void {
    for (const entry of this.#queuedOf(channel.id, followed)) {
      const { notice, isUnderWay, settled } = entry;
      if (isUnderWay || notice.status !== 'firing' || notice.rule === followed.rule) continue;
      if (repeats.intervalMs === 0 && known.notified === 'yes' && settled.length === 0) {
        this.#parts.results.drop(entry, 'the rule has no repeats any more');
        continue;
      }
      const alert = this.#freshAlert(followed);
      this.#parts.work.spend(unitsOfNotice);
      this.#parts.queue.revise(entry, {
        ...notice,
        event: eventOfNotice('firing', followed.event, alert),
        alert,
        rule: followed.rule,
        reason: reasonOf(followed, known, repeats),
      });
    }
  }

  #notice({ clusterId, status, event: said, alert, rule }: Candidate, reason: string): Notice {
    const event = eventOfNotice(status, said, alert);
    return { id: this.#parts.newId(), clusterId, status, event, alert, rule, reason };
  }

  #enqueue(notice: Notice, channel: KeptChannel, isFirst: boolean): void {
    const { clock, queue, results, lastingClock, work } = this.#parts;
    work.spend(unitsOfNotice);
    const entry = newEntry({
      notice,
      channelId: channel.id,
      isFirst: isFirst && notice.status === 'firing',
      dueMs: clock.monotonicMs(),
      queuedAtMs: lastingClock.nowMs(),
    });
    const waiting = queue.waitingLike(entry);
    if (waiting !== undefined) results.drop(waiting, 'replaced by a later state');
    if (queue.isFull) {
      const { expendable } = queue;
      if (expendable !== undefined) results.giveUp(expendable, 'the queue is full');
      else if (!entry.isFirst) {
        results.dropped(entry, 'the queue is full', true);
        return;
      }
    }
    queue.add(entry);
  }

  #freshAlert({ clusterId, alert, isFiring }: FollowedAlert): Alert {
    this.#fresh ??= (isFiring ? this.#parts.currentAlert(clusterId, alert.id) : undefined) ?? alert;
    return this.#fresh;
  }

  #queuedOf(channelId: string, followed: FollowedAlert): readonly QueuedNotice[] {
    return this.#parts.queue.ofAlert(channelId, keyOfAlert(followed));
  }

  #aroundOf(clusterId: string): Around {
    return getOrMake(this.#around, clusterId, () => ({
      circumstances: this.#circumstances(clusterId),
      channels: this.#parts.channels.list(clusterId),
    }));
  }

  #circumstances(clusterId: string): Circumstances {
    const { globalSwitch, silences, isNodeDown, followed, queue } = this.#parts;
    const mayHold = !this.#parts.measuresDownNodes(clusterId);
    return {
      atMs: this.#parts.lastingClock.nowMs(),
      isOn: globalSwitch.isOn(clusterId),
      silences: silences.active(clusterId),
      isNodeDown: (node) => mayHold && (followed.isNodeDown(clusterId, node) || isNodeDown(clusterId, node)),
      hasRoomForFirst: () => queue.hasRoomForFirst,
    };
  }
}

function reasonOf({ reason, isFiring }: FollowedAlert, known: ChannelState, { intervalMs }: Repeats): string {
  if (!isFiring || known.notified !== 'yes') return reason;
  return `still firing, repeated every ${minutesText(intervalMs / 60_000)}`;
}

/** Whether a channel accepts the level. */
function takesLevel({ settings }: KeptChannel, level: LevelName): boolean {
  return settings.levels.length === 0 || settings.levels.includes(level);
}

/** Whether the channel accepts events, and this level. */
function takesEvent(channel: KeptChannel, { level_str: level }: Event): boolean {
  return channel.settings.events && takesLevel(channel, level);
}

/** How often a channel gets a notice of a firing alert. */
function repeatsOf({ kind }: KeptChannel, { notifyIntervalMinutes }: RuleSummary): Repeats {
  const isRefresh = kind.refreshMs !== undefined;
  return { intervalMs: kind.refreshMs ?? notifyIntervalMinutes * 60_000, isRefresh };
}
