// The pipeline: from changes of alerts and from events to notices for channels.
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Alert, AlertChange, RuleSummary } from '../alerts/alert.js';
import { minutesText } from '../alerts/describe-alert.js';
import { actionCodes, type Event } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { ChannelBook, KeptChannel } from './channel-book.js';
import { addressee, type DeliveryLog, subject } from './delivery-log.js';
import { DeliveryResults } from './delivery-results.js';
import { Dispatcher } from './dispatcher.js';
import {
  type FollowedAlert,
  FollowedAlerts,
  follow,
  type Told,
  untold,
  withoutFailures,
} from './followed-alert.js';
import { Incidents } from './incidents.js';
import { LastingClock } from './lasting-clock.js';
import { eventOfNotice, type Notice, type NoticeStatus } from './notice.js';
import { alertKeyOf, NoticeQueue, type QueuedNotice } from './notice-queue.js';
import type { NotificationSwitch } from './notification-switch.js';
import { repeatsOf, takesAlert, takesLevel } from './routing.js';
import type { SilenceBook } from './silence-book.js';
import { type Candidate, type Circumstances, judge, type Repeats } from './stages.js';

/** What the pipeline works with. */
export interface PipelineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly channels: ChannelBook;
  readonly silences: SilenceBook;
  readonly globalSwitch: NotificationSwitch;
  readonly log: DeliveryLog;
  /** How long what is over is tried. */
  readonly retryHours: number;
  /** Notices that may wait. */
  readonly queueLimit?: number;
  /** The alert with its present value; undefined when it does not fire. */
  currentAlert(clusterId: string, alertId: string): Alert | undefined;
  /** The rule as it is now, the same object while it stays so; undefined when it is gone. */
  currentRule(clusterId: string, ruleId: string): RuleSummary | undefined;
  /** What the cluster knows of a node; a node-down alert that fires counts in any case. */
  isNodeDown(clusterId: string, node: string): boolean;
}

/** Follows alerts until every channel that was told of one has been told its end. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #dispatcher: Dispatcher;
  readonly #lastingClock: LastingClock;
  readonly #results: DeliveryResults;

  /** Goes on where the process before left off. */
  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const { store, clock, channels } = parts;
    this.#lastingClock = new LastingClock(store, clock);
    this.#followed = new FollowedAlerts(store);
    this.#queue = new NoticeQueue(store, (...drop) => this.#results.dropped(...drop), parts.queueLimit);
    this.#results = new DeliveryResults({
      ...parts,
      followed: this.#followed,
      queue: this.#queue,
      lastingClock: this.#lastingClock,
    });
    this.#queue.load(clock.monotonicMs(), (notice) => this.#withCurrentRule(notice));
    this.#dispatcher = new Dispatcher({
      ...parts,
      queue: this.#queue,
      lastingClock: this.#lastingClock,
      incidents: new Incidents(this.#followed),
      onOutcome: (outcome) => this.#results.attempted(outcome),
      stillFires: ({ notice }) =>
        notice.status === 'firing' &&
        this.#followed.find(notice.clusterId, notice.alert?.id ?? '')?.isFiring === true,
    });
    for (const id of this.#queue.channelIds) if (channels.find(id) === undefined) this.#dropChannel(id);
    channels.onChange = (_clusterId, id, isThere) => this.#channelChanged(id, isThere);
  }

  /** Hears of a change. Changes of one alert come in order. */
  accept(change: AlertChange): void {
    const followed = follow(this.#followed.find(change.clusterId, change.alert.id), change);
    if (followed === undefined) return;
    this.#followed.keep(followed);
    this.#judge(followed, this.#circumstances(change.clusterId));
    this.#dispatcher.pump();
  }

  /** Hears of an event; what is about an alert that fires or clears comes by `accept`. */
  acceptEvent(clusterId: string, event: Event): void {
    if (event.action === actionCodes.alertFired || event.action === actionCodes.alertCleared) return;
    const channels = this.#parts.channels.list(clusterId).filter(({ settings }) => settings.events);
    for (const channel of channels) {
      if (!takesLevel(channel, event.level_str)) continue;
      const candidate: Candidate = {
        clusterId,
        status: 'event',
        event,
        alert: null,
        rule: null,
        history: { ...untold, queued: undefined },
        repeats: { intervalMs: 0, isRefresh: false },
      };
      const stop = judge(candidate, this.#circumstances(clusterId));
      const notice = this.#notice(candidate, 'event');
      if (stop === undefined) this.#enqueue(notice, channel, false);
      else this.#results.write('dropped', stop.reason, notice, channel, 0);
    }
    if (channels.length > 0) this.#dispatcher.pump();
  }

  /** Takes a change of a rule in; the alerts that it cleared came by `accept` before. */
  ruleChanged(clusterId: string, ruleId: string): void {
    const circumstances = this.#circumstances(clusterId);
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId && followed.rule.id === ruleId)
        this.#judge(followed, circumstances);
    }
    this.#dispatcher.pump();
  }

  /** Sends what has become due: repeats, what was held, what is tried again. Called every second. */
  tick(): void {
    this.#lastingClock.tick();
    const circumstances = new Map<string, Circumstances>();
    for (const followed of this.#followed.all()) {
      const { clusterId } = followed;
      const known = circumstances.get(clusterId) ?? this.#circumstances(clusterId);
      circumstances.set(clusterId, known);
      this.#judge(followed, known);
    }
    this.#dispatcher.tick();
  }

  /** Forgets a cluster that is gone; its channels are removed before. */
  forgetCluster(clusterId: string): void {
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId) this.#followed.forget(followed);
    }
  }

  /** Resolves when no attempt is under way. */
  settled(): Promise<void> {
    return this.#dispatcher.settled();
  }

  /** Notices that wait or are under way. */
  get queuedCount(): number {
    return this.#queue.size;
  }

  /** Ends attempts; what is not delivered goes on after the next start. */
  close(): Promise<void> {
    this.#lastingClock.write();
    return this.#dispatcher.close();
  }

  /** Queues what may go out. */
  #judge(followed: FollowedAlert, circumstances: Circumstances): void {
    const hasChanged = followed.isFiring
      ? this.#judgeFiring(followed, circumstances)
      : this.#judgeCleared(followed, circumstances);
    if (!followed.isFiring && followed.told.size === 0) this.#followed.forget(followed);
    else if (hasChanged) this.#followed.keep(followed);
  }

  #judgeFiring(followed: FollowedAlert, circumstances: Circumstances): boolean {
    let hasChanged = this.#takeRule(followed);
    for (const channel of this.#parts.channels.list(followed.clusterId)) {
      const isChange = takesAlert(channel, followed.alert)
        ? this.#judgeFor(channel, followed, 'firing', circumstances)
        : this.#withdraw(channel, followed);
      hasChanged = isChange || hasChanged;
    }
    return hasChanged;
  }

  /** Follows a change of the rule; true when there was one. */
  #takeRule(followed: FollowedAlert): boolean {
    const rule = this.#parts.currentRule(followed.clusterId, followed.rule.id);
    if (rule === undefined || rule === followed.rule) return false;
    const isOther = !isDeepStrictEqual(rule, followed.rule);
    followed.rule = rule;
    if (!isOther) return false;
    followed.alert = { ...followed.alert, level: rule.level };
    followed.told = withoutFailures(followed.told);
    return true;
  }

  /** The notice with the rule as it is now where it says the same: then it is seen as such without a comparison. */
  #withCurrentRule(notice: Notice): Notice {
    const rule = this.#parts.currentRule(notice.clusterId, notice.rule?.id ?? '');
    return rule !== undefined && isDeepStrictEqual(rule, notice.rule) ? { ...notice, rule } : notice;
  }

  /** For a channel that does not take the alert (any more): it gets no more of it but the end of what it may know. */
  #withdraw(channel: KeptChannel, followed: FollowedAlert): boolean {
    const told = followed.told.get(channel.id);
    if (told === undefined) return false;
    const queued = this.#queuedOf(channel.id, followed);
    const waiting = queued.filter(({ isUnderWay }) => !isUnderWay);
    for (const entry of waiting) this.#queue.drop(entry, 'the channel does not take the alert any more');
    if (told.told !== 'no' || waiting.length < queued.length) return false;
    if (waiting.some(({ mayHaveArrived }) => mayHaveArrived)) {
      followed.told.set(channel.id, { ...told, told: 'maybe' });
    } else {
      followed.told.delete(channel.id);
    }
    return true;
  }

  #judgeCleared(followed: FollowedAlert, circumstances: Circumstances): boolean {
    let hasChanged = false;
    for (const [channelId, told] of followed.told) {
      const channel = this.#parts.channels.find(channelId);
      const firing = this.#queuedOf(channelId, followed).filter(({ notice }) => notice.status === 'firing');
      const mayKnow = told.told !== 'no' || firing.some(({ mayHaveArrived }) => mayHaveArrived);
      if (channel !== undefined && mayKnow) {
        hasChanged = this.#judgeFor(channel, followed, 'resolved', circumstances) || hasChanged;
        continue;
      }
      for (const entry of firing) this.#queue.drop(entry, 'cleared before it could be delivered');
      followed.told.delete(channelId);
      hasChanged = true;
    }
    return hasChanged;
  }

  /** True when what is known of the channel has changed. */
  #judgeFor(
    channel: KeptChannel,
    followed: FollowedAlert,
    status: NoticeStatus,
    circumstances: Circumstances,
  ): boolean {
    const { clusterId, event, rule, alert } = followed;
    const told = followed.told.get(channel.id) ?? untold;
    const repeats = repeatsOf(channel, rule);
    if (status === 'firing') this.#reviseWaiting(channel, followed, told, repeats);
    const last = this.#queuedOf(channel.id, followed).at(-1);
    // The next repeat does not wait for the rest of the addressees.
    const isForRest = status === 'firing' && told.told === 'yes' && (last?.settled.length ?? 0) > 0;
    const history = { ...told, queued: isForRest ? undefined : last?.notice.status };
    const candidate: Candidate = { clusterId, status, event, alert, rule, history, repeats };
    const stop = judge(candidate, circumstances);
    if (stop === undefined) {
      const fresh = { ...candidate, alert: this.#freshAlert(followed) };
      followed.told.set(channel.id, { ...told, heldReason: undefined });
      this.#enqueue(this.#notice(fresh, reasonOf(followed, told, repeats)), channel, told.told !== 'yes');
      return true;
    }
    if (!stop.isHeld || stop.reason === told.heldReason) return false;
    this.#parts.log.append(clusterId, {
      outcome: 'held',
      reason: stop.reason,
      ...subject({ ...candidate, id: null }),
      ...addressee(channel),
      attempts: 0,
    });
    followed.told.set(channel.id, { ...told, heldReason: stop.reason });
    return true;
  }

  /** Notices that wait follow a change of the rule. */
  #reviseWaiting(channel: KeptChannel, followed: FollowedAlert, told: Told, repeats: Repeats): void {
    for (const entry of this.#queuedOf(channel.id, followed)) {
      const { notice, isUnderWay, settled } = entry;
      if (isUnderWay || notice.status !== 'firing' || notice.rule === followed.rule) continue;
      if (repeats.intervalMs === 0 && told.told === 'yes' && settled.length === 0) {
        this.#queue.drop(entry, 'the rule has no repeats any more');
        continue;
      }
      const alert = this.#freshAlert(followed);
      this.#queue.revise(entry, {
        ...notice,
        event: eventOfNotice('firing', followed.event, alert),
        alert,
        rule: followed.rule,
        reason: reasonOf(followed, told, repeats),
      });
    }
  }

  #channelChanged(channelId: string, isThere: boolean): void {
    if (!isThere) this.#dropChannel(channelId);
    for (const followed of this.#followed.all()) {
      const told = followed.told.get(channelId);
      if (told === undefined) continue;
      if (isThere) followed.told.set(channelId, { ...told, hasFailed: false });
      else followed.told.delete(channelId);
      this.#followed.keep(followed);
    }
    // Whoever has mended a channel wants to see it work.
    this.#queue.wake(channelId, Number.POSITIVE_INFINITY);
    this.tick();
  }

  #dropChannel(channelId: string): void {
    for (const entry of this.#queue.idle(channelId)) this.#queue.drop(entry, 'the channel was removed');
  }

  #notice({ clusterId, status, event: said, alert, rule }: Candidate, reason: string): Notice {
    const event = eventOfNotice(status, said, alert);
    return { id: this.#parts.newId(), clusterId, status, event, alert, rule, reason };
  }

  #enqueue(notice: Notice, channel: KeptChannel, isFirst: boolean): void {
    const { clock } = this.#parts;
    const isFirstFiring = isFirst && notice.status === 'firing';
    this.#queue.add(notice, channel.id, isFirstFiring, clock.monotonicMs(), this.#lastingClock.nowMs());
  }

  #freshAlert({ clusterId, alert, isFiring }: FollowedAlert): Alert {
    return (isFiring ? this.#parts.currentAlert(clusterId, alert.id) : undefined) ?? alert;
  }

  #queuedOf(channelId: string, { clusterId, alert }: FollowedAlert): readonly QueuedNotice[] {
    return this.#queue.ofAlert(channelId, alertKeyOf({ clusterId, alert }) ?? '');
  }

  #circumstances(clusterId: string): Circumstances {
    const { globalSwitch, silences, isNodeDown } = this.#parts;
    return {
      atMs: this.#lastingClock.nowMs(),
      isOn: globalSwitch.isOn(clusterId),
      silences: silences.active(clusterId),
      isNodeDown: (node) => this.#followed.isNodeDown(clusterId, node) || isNodeDown(clusterId, node),
    };
  }
}

function reasonOf({ reason, isFiring }: FollowedAlert, told: Told, { intervalMs }: Repeats): string {
  if (!isFiring || told.told !== 'yes') return reason;
  return `still firing, repeated every ${minutesText(intervalMs / 60_000)}`;
}
