// The pipeline: from events and changes of alerts to notices for channels.
import { isDeepStrictEqual } from 'node:util';
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { AppendedEvent } from '../events/event.js';
import type { Store } from '../store/store.js';
import { DeliveryResults, unitsOfNotice } from './delivery-results.js';
import { type AttemptEnd, Dispatcher } from './dispatcher.js';
import { type FollowedAlert, FollowedAlerts, type FollowLimits, follow } from './followed-alert.js';
import { Incidents } from './incidents.js';
import { LastingClock } from './lasting-clock.js';
import { LateNotices, maxDropsAtOnce } from './late-notices.js';
import type { Notice } from './notice.js';
import { type Around, NoticeJudge, type NoticeSources } from './notice-judge.js';
import { keyOfAlert, NoticeQueue } from './notice-queue.js';
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
  /** Called in every turn of the event loop in which there is work on notices. */
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
/** No work begins when that of a turn has taken so long: what it wrote goes to disk after it, in the same turn. */
const mostMsInTurn = 10;
/** Notices that are looked at in one unit to see whether their time has come. */
const waitingPerUnit = 20;
/**
 * Notices of which attempts begin in one turn of the event loop, and those of the last message: each takes up to a
 * millisecond, and so does its end.
 */
const mostStartedInTurn = 16;
/** The end of the process waits for attempts for so long. */
const closeTimeoutMs = 1000;

/** Follows alerts until every channel that was notified of one has been notified of its end. */
export class Pipeline {
  readonly #parts: PipelineParts;
  /** The work on notices, and the starts of attempts. */
  readonly #work: Portions;
  readonly #starts: Portions;
  readonly #lastingClock: LastingClock;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #results: DeliveryResults;
  readonly #late: LateNotices;
  readonly #dispatcher: Dispatcher;
  readonly #judge: NoticeJudge;
  /** Keys of alerts to be judged. They are in the file: after a crash the first `tick` judges all. */
  readonly #due = new Set<string>();
  readonly #events: WaitingEvents;
  /** Channels whose queue is to be looked at for what is due or too old. */
  readonly #untended = new Set<string>();
  /** Long work that has begun, by what it is about: one step of it at a time. */
  readonly #longWork = new Map<string, Generator<void>>();
  readonly #unfollowed: RareWarning;
  /** By cluster, for one portion. */
  readonly #around = new Map<string, Around>();
  /** Those that are under way, with what follows from their ends. */
  readonly #attempts = new Set<Promise<void>>();

  /** Continues where the process before ended. */
  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const { store, clock, logger } = parts;
    this.#work = new Portions({
      mostInTurn,
      timeLimit: { clock, ms: mostMsInTurn },
      onWork: () => parts.noteWork(),
      step: () => this.#step(),
      onPortion: () => {
        this.#around.clear();
        this.#dispatcher.noteAllDue();
        this.#starts.run();
      },
    });
    this.#starts = new Portions({ mostInTurn: mostStartedInTurn, step: () => this.#startNext() });
    this.#unfollowed = new RareWarning(parts, 'too many alerts fire: no channel is notified of the others');
    this.#lastingClock = new LastingClock(store, clock);
    this.#followed = new FollowedAlerts(store, parts.followLimits);
    this.#events = new WaitingEvents(store, logger);
    this.#queue = new NoticeQueue(store, parts.queueLimit);
    this.#queue.load(clock.monotonicMs(), (notice) => this.#withCurrentRule(notice));
    const shared = {
      ...parts,
      lastingClock: this.#lastingClock,
      followed: this.#followed,
      queue: this.#queue,
      work: this.#work,
    };
    this.#results = new DeliveryResults(shared);
    this.#late = new LateNotices({ ...shared, results: this.#results });
    this.#judge = new NoticeJudge({ ...shared, results: this.#results });
    this.#dispatcher = new Dispatcher({ ...shared, incidents: new Incidents(this.#followed) });
  }

  /** Takes an event of the log, in the order of the log. */
  accept({ clusterId, event, change }: AppendedEvent): void {
    // Channels are notified of the beginning and the end of an alert as such, of all else as an event.
    const isAlertNotice = change?.kind === 'fired' || change?.kind === 'cleared';
    if (!isAlertNotice && this.#judge.isEventTaken(clusterId, event)) {
      this.#events.add({ clusterId, event });
      this.#work.run();
    }
    if (change === undefined) return;
    const known = this.#followed.find(clusterId, change.alert.id);
    const followed = follow(known, clusterId, event, change);
    if (followed === undefined) return;
    if (known === undefined && !this.#followed.hasRoom(clusterId)) {
      this.#unfollowed.note({ clusterId, alertId: change.alert.id });
      return;
    }
    this.#followed.keep(followed);
    this.#due.add(keyOfAlert(followed));
    this.#work.run();
  }

  /** Takes a change of a rule; the alerts that it cleared came by `accept` before. */
  ruleChanged(clusterId: string, ruleId: string): void {
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId && followed.rule.id === ruleId)
        this.#due.add(keyOfAlert(followed));
    }
    this.#work.run();
  }

  /** Takes the change of a channel: it was added or changed, or removed (`isThere` is false). */
  channelChanged(channelId: string, isThere: boolean): void {
    const name = `channel ${channelId}`;
    if (isThere) {
      this.#longWork.set(name, this.#tryingAgain(channelId));
      this.tick();
    } else {
      this.#longWork.delete(name);
      this.#untended.add(channelId);
      this.#work.run();
    }
  }

  /**
   * Sends what has become due: repeats, what was held, what is tried again. Called every second; where there is much to
   * do, it continues in the next turns.
   */
  tick(): void {
    this.#lastingClock.tick();
    this.#late.tick();
    for (const channelId of this.#queue.channelIds) this.#untended.add(channelId);
    for (const key of this.#followed.keys()) this.#due.add(key);
    this.#work.run();
  }

  /** Forgets a removed cluster; its channels are removed before. */
  forgetCluster(clusterId: string): void {
    const gone = this.#followed.all().filter((followed) => followed.clusterId === clusterId);
    this.#followed.deleteStored(clusterId);
    this.#longWork.set(`cluster ${clusterId}`, this.#forgetting(gone.map(keyOfAlert)));
    this.#work.run();
  }

  /** The followed alerts that fire. */
  get firing(): readonly FollowedAlert[] {
    return this.#followed.all().filter(({ isFiring }) => isFiring);
  }

  /** Resolves when no attempt is under way, and all is judged. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#attemptsSettled();
      const count = this.#due.size + this.#untended.size + this.#events.count + this.#longWork.size;
      if (count === 0 || this.#work.isStopped) return;
      await this.#work.nextTurn;
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

  /** Waits for attempts, then aborts them; what is not delivered is tried again after the next start. */
  async close(): Promise<void> {
    this.#lastingClock.write();
    this.#work.stop();
    this.#starts.stop();
    const timer = setTimeout(() => this.#dispatcher.abort(), closeTimeoutMs);
    await this.#attemptsSettled();
    clearTimeout(timer);
  }

  async #attemptsSettled(): Promise<void> {
    for (;;) {
      await Promise.all(this.#attempts);
      if (this.#starts.hasMore) await this.#starts.nextTurn;
      else if (this.#attempts.size === 0) return;
    }
  }

  /** Starts the next attempt; false when there is none to be started. */
  #startNext(): boolean {
    const next = this.#dispatcher.startNext();
    if (next === undefined) return false;
    this.#starts.spend(next.entries.length);
    if ('needless' in next) {
      for (const entry of next.entries) this.#results.giveUp(entry, next.needless);
      return true;
    }
    const attempt = this.#takeEnd(next.ended);
    this.#attempts.add(attempt);
    attempt.finally(() => this.#attempts.delete(attempt));
    return true;
  }

  /** Passes the end of an attempt on: to the results, and to what may be started now. */
  async #takeEnd(ended: Promise<AttemptEnd>): Promise<void> {
    const end = await ended;
    const { id } = end.channel;
    this.#results.takeEnd(end);
    if (end.isReceiverBack) this.#wake(id);
    this.#dispatcher.noteDue(id);
    this.#starts.run();
  }

  /** Does one thing of each kind, so that none waits for the end of another; false when there is nothing to do. */
  #step(): boolean {
    const hasGoneOn = this.#goOnWithLongWork();
    const isTended = this.#tendNext();
    const isEventJudged = this.#judgeNextEvent();
    return this.#judgeNextAlert() || isEventJudged || isTended || hasGoneOn;
  }

  /** Does a step of long work; false when there is none. */
  #goOnWithLongWork(): boolean {
    const [first] = this.#longWork;
    if (first === undefined) return false;
    const [name, work] = first;
    if (work.next().done === true) this.#longWork.delete(name);
    return true;
  }

  /** Judges the next event; false when there is none. */
  #judgeNextEvent(): boolean {
    const waiting = this.#events.take();
    if (waiting === undefined) return false;
    this.#work.spend(1);
    this.#judge.judgeEvent(waiting.event, waiting.clusterId, this.#aroundOf(waiting.clusterId));
    return true;
  }

  /** Tends the next channel; false when there is none. */
  #tendNext(): boolean {
    const [channelId] = this.#untended;
    if (channelId === undefined) return false;
    this.#work.spend(1 + this.#queue.waitingCount(channelId) / waitingPerUnit);
    const isDone =
      this.#parts.channels.find(channelId) === undefined ? this.#dropPart(channelId) : this.#tend(channelId);
    if (isDone) this.#untended.delete(channelId);
    return true;
  }

  /** Gives up what is too old, or makes ready what is due; false when there is more to give up. */
  #tend(channelId: string): boolean {
    if (!this.#late.giveUpPart(channelId)) return false;
    this.#queue.wake(channelId, this.#parts.clock.monotonicMs());
    return true;
  }

  /** Drops notices of a channel that was removed; false when there are more. */
  #dropPart(channelId: string): boolean {
    const idle = this.#queue.idle(channelId);
    for (const entry of idle.slice(0, maxDropsAtOnce)) this.#results.drop(entry, 'the channel was removed');
    return idle.length <= maxDropsAtOnce;
  }

  /** Judges the next alert; false when there is none. */
  #judgeNextAlert(): boolean {
    const [key] = this.#due;
    if (key === undefined) return false;
    this.#due.delete(key);
    this.#work.spend(1);
    const followed = this.#followed.withKey(key);
    if (followed !== undefined) this.#judge.judgeAlert(followed, this.#aroundOf(followed.clusterId));
    return true;
  }

  #aroundOf(clusterId: string): Around {
    return getOrMake(this.#around, clusterId, () => this.#judge.around(clusterId));
  }

  /** For a channel that was changed: what it refused before, and what waits for its time, is tried again. */
  *#tryingAgain(channelId: string): Generator<void> {
    for (const key of this.#followed.keys()) {
      this.#work.spend(1);
      const followed = this.#followed.withKey(key);
      const known = followed?.channels.get(channelId);
      if (followed !== undefined && known?.hasFailed === true) {
        this.#work.spend(unitsOfNotice);
        followed.channels.set(channelId, { ...known, hasFailed: false });
        this.#followed.keep(followed);
        this.#due.add(key);
      }
      yield;
    }
    yield* this.#waking(channelId);
  }

  /** For a receiver that is available again: what waits for its time is tried at once. */
  #wake(channelId: string): void {
    const name = `channel ${channelId}`;
    if (!this.#longWork.has(name)) this.#longWork.set(name, this.#waking(channelId));
    this.#work.run();
  }

  *#waking(channelId: string): Generator<void> {
    for (const _ of this.#queue.waking(channelId)) {
      this.#work.spend(1 / waitingPerUnit);
      yield;
    }
  }

  /** For a removed cluster. */
  *#forgetting(keys: readonly string[]): Generator<void> {
    for (const key of keys) {
      this.#work.spend(unitsOfNotice);
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
