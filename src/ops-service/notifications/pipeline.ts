// The pipeline: from changes of alerts and from events to notices for channels.
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { AlertChange, AppendedEvent, Event } from '../events/event.js';
import type { Store } from '../store/store.js';
import { DeliveryResults } from './delivery-results.js';
import { Dispatcher, maxDropsAtOnce } from './dispatcher.js';
import { FollowedAlerts, type FollowLimits, follow } from './followed-alert.js';
import { Incidents } from './incidents.js';
import { LastingClock } from './lasting-clock.js';
import type { Notice } from './notice.js';
import { type Around, NoticeJudge, type NoticeSources, unitsOfNotice } from './notice-judge.js';
import { type DropListener, keyOfAlert, NoticeQueue } from './notice-queue.js';
import { Portions } from './portions.js';
import { RareWarning } from './rare-warning.js';
import { WaitingEvents } from './waiting-events.js';

/** What the pipeline works with. */
export interface PipelineParts extends NoticeSources {
  readonly store: Store;
  readonly random: () => number;
  readonly logger: Logger;
  /** How long what is over is tried. */
  readonly retryHours: number;
  /** Hears of every turn of the event loop in which there is work on notices. */
  noteWork(): void;
  /** Notices that may wait. */
  readonly queueLimit?: number;
  /** Alerts that are followed. */
  readonly followLimits?: FollowLimits;
}

/**
 * Units of work in one turn of the event loop. To judge an alert for a channel is one of them and takes about two
 * microseconds.
 */
const mostInTurn = 5000;
/** Notices that are looked at in one unit to see whether their time has come. */
const waitingPerUnit = 20;

/** Follows alerts until every channel that was told of one has been told its end. */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #dispatcher: Dispatcher;
  readonly #lastingClock: LastingClock;
  readonly #results: DeliveryResults;
  readonly #judge: NoticeJudge;
  readonly #portions: Portions;
  /** Keys of alerts to be judged. They are in the file: after a crash the first `tick` judges all. */
  readonly #due = new Set<string>();
  readonly #events: WaitingEvents;
  /** Channels of which the dispatcher has to see what is due. */
  readonly #untended = new Set<string>();
  /** Long work that has begun, by what it is about: one step of it at a time. */
  readonly #longWork = new Map<string, Generator<void>>();
  readonly #unfollowed: RareWarning;
  /** By cluster, for one portion. */
  readonly #around = new Map<string, Around>();

  /** Goes on where the process before left off. */
  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const { store, clock } = parts;
    this.#lastingClock = new LastingClock(store, clock);
    this.#followed = new FollowedAlerts(store, parts.followLimits);
    this.#unfollowed = new RareWarning(parts, 'too many alerts fire: no channel is notified of the others');
    const noRoom = new RareWarning(parts, 'the queue of notices is full: first notices of alerts wait');
    this.#events = new WaitingEvents(store, parts.logger);
    const onDrop: DropListener = (...drop) => {
      this.#portions.spend(unitsOfNotice);
      this.#results.dropped(...drop);
    };
    this.#queue = new NoticeQueue(store, onDrop, parts.queueLimit);
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
      onRecovery: (channelId) => this.#receiverIsBack(channelId),
      stillFires: ({ notice }) =>
        notice.status === 'firing' &&
        this.#followed.find(notice.clusterId, notice.alert?.id ?? '')?.isFiring === true,
    });
    this.#judge = new NoticeJudge({
      ...parts,
      followed: this.#followed,
      queue: this.#queue,
      results: this.#results,
      lastingClock: this.#lastingClock,
      spend: (units) => this.#portions.spend(units),
      onNoRoom: () => noRoom.note({ queued: this.#queue.size }),
    });
    this.#portions = new Portions({
      clock,
      mostInTurn,
      onWork: () => parts.noteWork(),
      step: () => this.#step(),
      onPortion: () => {
        this.#around.clear();
        this.#dispatcher.pump();
      },
    });
  }

  /** Takes an event of the log, in the order of the log. */
  accept({ clusterId, event, change }: AppendedEvent): void {
    // Channels are notified of the beginning and the end of an alert as such, of all else as an event.
    const isAlertNotice = change?.kind === 'fired' || change?.kind === 'cleared';
    if (!isAlertNotice && this.#judge.isEventTaken(clusterId, event)) this.#events.add({ clusterId, event });
    if (change !== undefined) this.#takeChange(clusterId, event, change);
    this.#portions.run();
  }

  #takeChange(clusterId: string, event: Event, change: AlertChange): void {
    const { alert } = change;
    const known = this.#followed.find(clusterId, alert.id);
    const followed = follow(known, clusterId, event, change);
    if (followed === undefined) return;
    if (known === undefined && !this.#followed.hasRoom(clusterId)) {
      this.#unfollowed.note({ clusterId, alertId: alert.id });
      return;
    }
    this.#followed.keep(followed);
    this.#due.add(keyOfAlert(followed));
  }

  /** Takes a change of a rule; the alerts that it cleared came by `accept` before. */
  ruleChanged(clusterId: string, ruleId: string): void {
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId && followed.rule.id === ruleId)
        this.#due.add(keyOfAlert(followed));
    }
    this.#portions.run();
  }

  /** Takes in that a channel was added or changed, or removed. */
  channelChanged(channelId: string, isThere: boolean): void {
    const name = `channel ${channelId}`;
    if (isThere) {
      this.#longWork.set(name, this.#tryingAgain(channelId));
      this.tick();
    } else {
      this.#longWork.delete(name);
      this.#untended.add(channelId);
      this.#portions.run();
    }
  }

  /**
   * Sends what has become due: repeats, what was held, what is tried again. Called every second; where there is much to
   * do, it goes on in the next turns.
   */
  tick(): void {
    this.#lastingClock.tick();
    this.#dispatcher.tick();
    for (const channelId of this.#queue.channelIds) this.#untended.add(channelId);
    for (const key of this.#followed.keys()) this.#due.add(key);
    this.#portions.run();
  }

  /** Forgets a cluster that is gone; its channels are removed before. */
  forgetCluster(clusterId: string): void {
    const gone = this.#followed.all().filter((followed) => followed.clusterId === clusterId);
    this.#followed.deleteStored(clusterId);
    this.#longWork.set(`cluster ${clusterId}`, this.#forgetting(gone.map(keyOfAlert)));
    this.#portions.run();
  }

  /** Resolves when no attempt is under way, and all is judged. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#dispatcher.settled();
      const count = this.#due.size + this.#untended.size + this.#events.count + this.#longWork.size;
      if (count === 0 || this.#portions.isStopped) return;
      await this.#portions.nextTurn;
    }
  }

  /** Notices that wait or are under way. */
  get queuedCount(): number {
    return this.#queue.size;
  }

  /** Alerts that were not followed, because there were too many, since the start. */
  get unfollowedCount(): number {
    return this.#unfollowed.count;
  }

  /** Ends attempts; what is not delivered goes on after the next start. */
  close(): Promise<void> {
    this.#lastingClock.write();
    this.#portions.stop();
    return this.#dispatcher.close();
  }

  /** One thing of each kind, so that none waits for the end of another; false when there is nothing to do. */
  #step(): boolean {
    const hasGoneOn = this.#goOnWithLongWork();
    const isTended = this.#tendNext();
    const isTold = this.#tellNext();
    return this.#judgeNext() || isTold || isTended || hasGoneOn;
  }

  /** False when there is no long work. */
  #goOnWithLongWork(): boolean {
    const [first] = this.#longWork;
    if (first === undefined) return false;
    const [name, work] = first;
    if (work.next().done === true) this.#longWork.delete(name);
    return true;
  }

  /** False when there is no event to notify channels of. */
  #tellNext(): boolean {
    const waiting = this.#events.take();
    if (waiting === undefined) return false;
    this.#portions.spend(1);
    this.#judge.judgeEvent(waiting.event, waiting.clusterId, this.#aroundOf(waiting.clusterId));
    return true;
  }

  /** False when there is no channel to be tended. */
  #tendNext(): boolean {
    const [channelId] = this.#untended;
    if (channelId === undefined) return false;
    this.#portions.spend(1 + this.#queue.waitingCount(channelId) / waitingPerUnit);
    const isDone =
      this.#parts.channels.find(channelId) === undefined
        ? this.#dropPart(channelId)
        : this.#dispatcher.tend(channelId);
    if (isDone) this.#untended.delete(channelId);
    return true;
  }

  /** Drops notices of a channel that is gone; false when there are more. */
  #dropPart(channelId: string): boolean {
    const idle = this.#queue.idle(channelId);
    for (const entry of idle.slice(0, maxDropsAtOnce)) this.#queue.drop(entry, 'the channel was removed');
    return idle.length <= maxDropsAtOnce;
  }

  /** Queues what may go out of the next alert; false when there is none. */
  #judgeNext(): boolean {
    const [key] = this.#due;
    if (key === undefined) return false;
    this.#due.delete(key);
    this.#portions.spend(1);
    const followed = this.#followed.withKey(key);
    if (followed !== undefined) this.#judge.judgeAlert(followed, this.#aroundOf(followed.clusterId));
    return true;
  }

  #aroundOf(clusterId: string): Around {
    const around = this.#around.get(clusterId) ?? this.#judge.around(clusterId);
    this.#around.set(clusterId, around);
    return around;
  }

  /** For a channel that was changed: what it refused before, and what waits for its time, is tried again. */
  *#tryingAgain(channelId: string): Generator<void> {
    for (const key of this.#followed.keys()) {
      this.#portions.spend(1);
      const followed = this.#followed.withKey(key);
      const told = followed?.told.get(channelId);
      if (followed !== undefined && told?.hasFailed === true) {
        this.#portions.spend(unitsOfNotice);
        followed.told.set(channelId, { ...told, hasFailed: false });
        this.#followed.keep(followed);
        this.#due.add(key);
      }
      yield;
    }
    yield* this.#waking(channelId);
  }

  #receiverIsBack(channelId: string): void {
    const name = `channel ${channelId}`;
    if (!this.#longWork.has(name)) this.#longWork.set(name, this.#waking(channelId));
    this.#portions.run();
  }

  *#waking(channelId: string): Generator<void> {
    for (const _ of this.#queue.waking(channelId)) {
      this.#portions.spend(1 / waitingPerUnit);
      yield;
    }
  }

  /** For a cluster that is gone. */
  *#forgetting(keys: readonly string[]): Generator<void> {
    for (const key of keys) {
      this.#portions.spend(unitsOfNotice);
      const followed = this.#followed.withKey(key);
      if (followed !== undefined) this.#followed.forget(followed);
      yield;
    }
  }

  /** The notice with the rule as it is now where it says the same: then it is seen as such without a comparison. */
  #withCurrentRule(notice: Notice): Notice {
    const rule = this.#parts.currentRule(notice.clusterId, notice.rule?.id ?? '');
    return rule !== undefined && isDeepStrictEqual(rule, notice.rule) ? { ...notice, rule } : notice;
  }
}
