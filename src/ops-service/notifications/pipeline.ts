// The pipeline: from changes of alerts and from events to notices for channels.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Alert, AlertChange, RuleSummary } from '../alerts/alert.js';
import { minutesText } from '../alerts/describe-alert.js';
import { actionCodes, type Event, type LevelName } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { ChannelBook, KeptChannel } from './channel-book.js';
import { addressee, type DeliveryLog, type DeliveryOutcome } from './delivery-log.js';
import { type AttemptOutcome, Dispatcher } from './dispatcher.js';
import { type FollowedAlert, FollowedAlerts, type Told, untold } from './followed-alert.js';
import type { Notice, NoticeStatus } from './notice.js';
import { alertKeyOf, NoticeQueue, type QueuedNotice } from './notice-queue.js';
import type { NotificationSwitch } from './notification-switch.js';
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
  /** What the cluster knows of a node; a node-down alert that fires counts in any case. */
  isNodeDown(clusterId: string, node: string): boolean;
}

/** Follows alerts until every channel that was told of one has been told its end. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #dispatcher: Dispatcher;

  /** Goes on where the process before left off. */
  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const { store, clock, channels } = parts;
    this.#followed = new FollowedAlerts(store, clock);
    this.#queue = new NoticeQueue(
      store,
      ({ notice, channelId, attempts }, reason) =>
        this.#write('dropped', reason, notice, channels.find(channelId) ?? channelId, attempts),
      parts.queueLimit,
    );
    this.#queue.load(clock.monotonicMs());
    this.#dispatcher = new Dispatcher({
      ...parts,
      queue: this.#queue,
      onOutcome: (outcome) => this.#learn(outcome),
      stillFires: ({ notice }) =>
        notice.status === 'firing' &&
        this.#followed.find(notice.clusterId, notice.alert?.id ?? '')?.isFiring === true,
    });
    for (const id of this.#queue.channelIds) if (channels.find(id) === undefined) this.#dropChannel(id);
    channels.onChange = (_clusterId, id, isThere) => this.#channelChanged(id, isThere);
  }

  /** Hears of a change. Changes of one alert come in order. */
  accept(change: AlertChange): void {
    const followed = this.#follow(change);
    if (followed === undefined) return;
    if (!this.#judge(followed, this.#circumstances(change.clusterId))) this.#followed.keep(followed);
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
      else this.#write('dropped', stop.reason, notice, channel, 0);
    }
    if (channels.length > 0) this.#dispatcher.pump();
  }

  /** Sends what has become due: repeats, what was held, what is tried again. Called every second. */
  tick(): void {
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
    return this.#dispatcher.close();
  }

  #follow({ clusterId, kind, alert, rule, event, reason }: AlertChange): FollowedAlert | undefined {
    const known = this.#followed.find(clusterId, alert.id);
    switch (kind) {
      case 'fired': {
        const isSame = known?.isFiring === true && known.alert.first_fired === alert.first_fired;
        const told = isSame
          ? eachTold(known, (one) => ({ ...one, hasFailed: false }))
          : new Map<string, Told>();
        return { clusterId, alert, rule, event, reason, isFiring: true, told };
      }
      case 'cleared':
        return known === undefined ? undefined : { ...known, alert, rule, event, reason, isFiring: false };
      case 'acknowledged':
      case 'unacknowledged':
        return known === undefined ? undefined : { ...known, alert, rule };
    }
  }

  /** Queues what may go out; true when the alert was written or forgotten. */
  #judge(followed: FollowedAlert, circumstances: Circumstances): boolean {
    const hasChanged = followed.isFiring
      ? this.#judgeFiring(followed, circumstances)
      : this.#judgeCleared(followed, circumstances);
    if (!followed.isFiring && followed.told.size === 0) {
      this.#followed.forget(followed);
      return true;
    }
    if (hasChanged) this.#followed.keep(followed);
    return hasChanged;
  }

  #judgeFiring(followed: FollowedAlert, circumstances: Circumstances): boolean {
    const { clusterId, alert, rule } = followed;
    let hasChanged = false;
    for (const channel of this.#parts.channels.list(clusterId)) {
      const isTold = followed.told.has(channel.id);
      if (!isTold && !(takesLevel(channel, alert.level) && takesRule(channel, rule.id))) continue;
      hasChanged = this.#judgeFor(channel, followed, 'firing', circumstances) || hasChanged;
    }
    return hasChanged;
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
    const queued = this.#queuedOf(channel.id, followed).at(-1)?.notice.status;
    const repeats = repeatsOf(channel, rule);
    const history = { ...told, queued };
    const candidate: Candidate = { clusterId, status, event, alert, rule, history, repeats };
    const stop = judge(candidate, circumstances);
    if (stop === undefined) {
      const fresh = { ...candidate, alert: this.#freshAlert(followed) };
      this.#enqueue(this.#notice(fresh, reasonOf(followed, told)), channel, told.told === 'no');
      followed.told.set(channel.id, { ...told, heldReason: undefined });
      return true;
    }
    if (!stop.isHeld || stop.reason === told.heldReason) return false;
    const { id: ruleId } = rule;
    this.#parts.log.append(clusterId, {
      outcome: 'held',
      reason: stop.reason,
      status,
      notice_id: null,
      ...addressee(channel),
      alert_id: alert.id,
      alert_rule_id: ruleId,
      node: alert.node,
      attempts: 0,
    });
    followed.told.set(channel.id, { ...told, heldReason: stop.reason });
    return true;
  }

  /** Learns from the end of an attempt what the channel knows now. */
  #learn({ entry, channel, kind, reason, mayHaveArrived }: AttemptOutcome): void {
    const { notice } = entry;
    // That a receiver which forgets was told again is no news.
    const isRefresh = channel.kind.refreshMs !== undefined && !entry.isFirst && notice.status === 'firing';
    if (kind === 'sent' && isRefresh) entry.lastReason = reason;
    else if (kind !== 'retry') this.#write(kind, reason, notice, channel, entry.attempts);
    else if (reason !== entry.lastReason) this.#write('retrying', reason, notice, channel, entry.attempts);
    if (notice.alert === null) return;
    const followed = this.#followed.find(notice.clusterId, notice.alert.id);
    const told = followed?.told.get(channel.id);
    // What was under way may be about an earlier firing of the same alert.
    if (
      followed === undefined ||
      told === undefined ||
      followed.alert.first_fired !== notice.alert.first_fired
    ) {
      return;
    }
    if (notice.status === 'resolved') {
      if (kind === 'retry' || followed.isFiring) return;
      followed.told.delete(channel.id);
    } else {
      followed.told.set(channel.id, this.#after(told, kind, mayHaveArrived));
      this.#dropUnfounded(entry, followed);
    }
    if (!followed.isFiring && followed.told.size === 0) this.#followed.forget(followed);
    else this.#followed.keep(followed);
  }

  #after(told: Told, kind: AttemptOutcome['kind'], mayHaveArrived: boolean): Told {
    const { clock } = this.#parts;
    const now = { lastMs: clock.monotonicMs(), lastAtMs: clock.nowMs() };
    switch (kind) {
      case 'sent':
        return { ...told, ...now, told: 'yes', hasFailed: false };
      case 'failed':
        return { ...told, ...now, hasFailed: true };
      case 'retry':
        return mayHaveArrived && told.told === 'no' ? { ...told, told: 'maybe' } : told;
    }
  }

  /** The end of an alert waits behind its beginning, which never arrived: nobody is told the end. */
  #dropUnfounded(entry: QueuedNotice, followed: FollowedAlert): void {
    if (followed.told.get(entry.channelId)?.told !== 'no') return;
    for (const next of this.#queuedOf(entry.channelId, followed)) {
      if (next === entry || next.notice.status !== 'resolved') continue;
      this.#queue.drop(next, 'cleared before it could be delivered');
      followed.told.delete(entry.channelId);
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

  #notice({ clusterId, status, event, alert, rule }: Candidate, reason: string): Notice {
    return { id: this.#parts.newId(), clusterId, status, event, alert, rule, reason };
  }

  #enqueue(notice: Notice, channel: KeptChannel, isFirst: boolean): void {
    const { clock } = this.#parts;
    const isFirstFiring = isFirst && notice.status === 'firing';
    this.#queue.add(notice, channel.id, isFirstFiring, clock.monotonicMs(), clock.nowMs());
  }

  #freshAlert({ clusterId, alert, isFiring }: FollowedAlert): Alert {
    return (isFiring ? this.#parts.currentAlert(clusterId, alert.id) : undefined) ?? alert;
  }

  #queuedOf(channelId: string, { clusterId, alert }: FollowedAlert): readonly QueuedNotice[] {
    return this.#queue.ofAlert(channelId, alertKeyOf({ clusterId, alert }) ?? '');
  }

  #circumstances(clusterId: string): Circumstances {
    const { clock, globalSwitch, silences, isNodeDown } = this.#parts;
    return {
      monotonicMs: clock.monotonicMs(),
      isOn: globalSwitch.isOn(clusterId),
      silences: silences.active(clusterId),
      isNodeDown: (node) => this.#followed.isNodeDown(clusterId, node) || isNodeDown(clusterId, node),
    };
  }

  #write(
    outcome: DeliveryOutcome,
    reason: string,
    { id, clusterId, status, alert, event }: Notice,
    channel: KeptChannel | string,
    attempts: number,
  ): void {
    this.#parts.log.append(clusterId, {
      outcome,
      reason,
      status,
      notice_id: id,
      ...(typeof channel === 'string' ? { channel_id: channel, channel: 'removed' } : addressee(channel)),
      alert_id: alert?.id ?? null,
      alert_rule_id: alert?.alert_rule_id ?? null,
      node: alert?.node ?? event.source_node,
      attempts,
    });
  }
}

function repeatsOf({ kind }: KeptChannel, { notifyIntervalMinutes }: RuleSummary): Repeats {
  const isRefresh = kind.refreshMs !== undefined;
  return { intervalMs: kind.refreshMs ?? notifyIntervalMinutes * 60_000, isRefresh };
}

function takesLevel({ settings }: KeptChannel, level: LevelName): boolean {
  return settings.levels.length === 0 || settings.levels.includes(level);
}

function takesRule({ settings }: KeptChannel, ruleId: string): boolean {
  return settings.rules.length === 0 || settings.rules.includes(ruleId);
}

function reasonOf({ reason, rule, isFiring }: FollowedAlert, told: Told): string {
  if (!isFiring || told.lastMs === undefined) return reason;
  return `still firing, repeated every ${minutesText(rule.notifyIntervalMinutes)}`;
}

function eachTold(followed: FollowedAlert, change: (told: Told) => Told): Map<string, Told> {
  return new Map([...followed.told].map(([id, told]) => [id, change(told)]));
}
