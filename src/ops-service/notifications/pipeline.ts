// The pipeline: converts events and changes of alerts to notices for channels.
import { isDeepStrictEqual } from 'node:util';
import { getOrMake } from '../../foundation/get-or-make.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Alert, AppendedEvent } from '../events/event.js';
import type { Store } from '../store/store.js';
import type { KeptChannel } from './channel-repository.js';
import { DeliveryResults, unitsOfNotice } from './delivery-results.js';
import { type AttemptEnd, Dispatcher } from './dispatcher.js';
import type { Explained } from './explain-notices.js';
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

/** What the pipeline needs from outside. */
export interface PipelineParts extends NoticeSources {
  readonly store: Store;
  readonly random: () => number;
  readonly logger: Logger;
  /** How long notices of events and resolved alerts are tried. */
  readonly retryHours: number;
  /** Called in every turn of the event loop with work on notices. */
  noteWork(): void;
  /** The maximum number of waiting notices. */
  readonly queueLimit?: number;
  /** The maximum number of followed alerts. */
  readonly followLimits?: FollowLimits;
}

/**
 * Units of work in one turn of the event loop. Judging an alert for one channel is one unit and takes about two
 * microseconds.
 */
const mostInTurn = 5000;
/** No work begins after this time in a turn, because the writes of the work follow in the same turn. */
const mostMsInTurn = 10;
/** Waiting notices that are checked in one unit of work. */
const waitingPerUnit = 20;
/**
 * When attempts for this many notices have begun in a turn of the event loop, the others wait for the next turn: an
 * attempt takes up to a millisecond, and so does its end.
 */
const mostStartedInTurn = 16;
/** How long the end of the process waits for attempts. */
const closeTimeoutMs = 1000;

/** Follows alerts until every channel that was notified of one has been notified of its end. */
export class Pipeline {
  readonly #parts: PipelineParts;
  /** Work on notices, and starts of attempts. */
  readonly #work: Portions;
  readonly #starts: Portions;
  readonly #lastingClock: LastingClock;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #results: DeliveryResults;
  readonly #late: LateNotices;
  readonly #dispatcher: Dispatcher;
  readonly #judge: NoticeJudge;
  /** Keys of alerts that must be judged. All are in the file: after a crash the first `tick` judges all of them. */
  readonly #due = new Set<string>();
  readonly #events: WaitingEvents;
  /** Channels whose queue must be checked for due and late notices. */
  readonly #unchecked = new Set<string>();
  /** Long work under way, by its subject; each step does a part of one. */
  readonly #longWork = new Map<string, Generator<void>>();
  readonly #unfollowed: RareWarning;
  /** The common inputs of each cluster; every portion reads them again. */
  readonly #around = new Map<string, Around>();
  /** Attempts under way, including the processing of their results. */
  readonly #attempts = new Set<Promise<void>>();

  /** Continues where the last process ended. */
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

  /** Accepts an event of the log, in the order of the log. */
  accept({ clusterId, event, change }: AppendedEvent): void {
    // Notices about the beginning and the end of an alert are alert notices; all others are event notices.
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

  /** Applies a change of a rule; the alerts that it cleared have been passed to `accept` before. */
  ruleChanged(clusterId: string, ruleId: string): void {
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId && followed.rule.id === ruleId)
        this.#due.add(keyOfAlert(followed));
    }
    this.#work.run();
  }

  /** Applies the change of a channel: it was added or changed (`isThere` is true) or removed (false). */
  channelChanged(channelId: string, isThere: boolean): void {
    const name = `channel ${channelId}`;
    if (isThere) {
      this.#longWork.set(name, this.#tryingAgain(channelId));
      this.tick();
    } else {
      this.#longWork.delete(name);
      this.#unchecked.add(channelId);
      this.#work.run();
    }
  }

  /**
   * Sends notices that are due: repeats, held ones, retries. Called every second; long work continues in the next
   * turns.
   */
  tick(): void {
    this.#lastingClock.tick();
    this.#late.tick();
    for (const channelId of this.#queue.channelIds) this.#unchecked.add(channelId);
    for (const key of this.#followed.keys()) this.#due.add(key);
    this.#work.run();
  }

  /** Deletes the data of a removed cluster, whose channels have already been removed. */
  forgetCluster(clusterId: string): void {
    const gone = this.#followed.all().filter((followed) => followed.clusterId === clusterId);
    this.#followed.deleteStored(clusterId);
    this.#longWork.set(`cluster ${clusterId}`, this.#forgetting(gone.map(keyOfAlert)));
    this.#work.run();
  }

  /** The state of a firing alert for a channel of its cluster. */
  explain(clusterId: string, channel: KeptChannel, alert: Alert): Explained {
    return this.#judge.explain(
      channel,
      alert,
      this.#followed.find(clusterId, alert.id),
      this.#judge.around(clusterId),
    );
  }

  /** The followed alerts that are firing. */
  get firing(): readonly FollowedAlert[] {
    return this.#followed.all().filter(({ isFiring }) => isFiring);
  }

  /** Resolves when no attempt is under way, and everything has been judged. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#attemptsSettled();
      const count = this.#due.size + this.#unchecked.size + this.#events.count + this.#longWork.size;
      if (count === 0 || this.#work.isStopped) return;
      await this.#work.nextTurn;
    }
  }

  /** The number of notices that wait or are under way. */
  get queuedCount(): number {
    return this.#queue.size;
  }

  /** The number of alerts since the start that were not followed because there were too many. */
  get unfollowedCount(): number {
    return this.#unfollowed.count;
  }

  /** Waits for attempts, then aborts them; undelivered notices are tried again after the next start. */
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

  /** Starts the next attempt; false if there is none. */
  #startNext(): boolean {
    const next = this.#dispatcher.startNext();
    if (next === undefined) return false;
    this.#starts.spend(next.entries.length);
    if ('needless' in next) {
      for (const entry of next.entries) this.#results.giveUp(entry, next.needless);
      return true;
    }
    const attempt: Promise<void> = this.#takeEnd(next.ended).finally(() => this.#attempts.delete(attempt));
    this.#attempts.add(attempt);
    return true;
  }

  /** Processes the end of an attempt: records its results, and starts what can be started now. */
  async #takeEnd(ended: Promise<AttemptEnd>): Promise<void> {
    const end = await ended;
    const { id } = end.channel;
    this.#results.takeEnd(end);
    if (end.isReceiverBack) this.#wake(id);
    this.#dispatcher.noteDue(id);
    this.#starts.run();
  }

  /**
   * Does one piece of work of each kind, so that none waits for all of another kind; false if there is nothing to do.
   */
  #step(): boolean {
    const hasContinued = this.#continueLongWork();
    const isQueueChecked = this.#checkNextQueue();
    const isEventJudged = this.#judgeNextEvent();
    return this.#judgeNextAlert() || isEventJudged || isQueueChecked || hasContinued;
  }

  /** Does a step of long work; false if there is none. */
  #continueLongWork(): boolean {
    const [first] = this.#longWork;
    if (first === undefined) return false;
    const [name, work] = first;
    if (work.next().done === true) this.#longWork.delete(name);
    return true;
  }

  /** Judges the next event; false if there is none. */
  #judgeNextEvent(): boolean {
    const waiting = this.#events.take();
    if (waiting === undefined) return false;
    this.#work.spend(1);
    this.#judge.judgeEvent(waiting.event, waiting.clusterId, this.#aroundOf(waiting.clusterId));
    return true;
  }

  /** Checks the queue of the next channel; false if there is none. */
  #checkNextQueue(): boolean {
    const [channelId] = this.#unchecked;
    if (channelId === undefined) return false;
    this.#work.spend(1 + this.#queue.waitingCount(channelId) / waitingPerUnit);
    const isDone =
      this.#parts.channels.find(channelId) === undefined
        ? this.#dropPart(channelId)
        : this.#checkQueue(channelId);
    if (isDone) this.#unchecked.delete(channelId);
    return true;
  }

  /** Gives up late notices, or makes due ones ready; false if more must be given up. */
  #checkQueue(channelId: string): boolean {
    if (!this.#late.giveUpPart(channelId)) return false;
    this.#queue.wake(channelId, this.#parts.clock.monotonicMs());
    return true;
  }

  /** Drops notices of a removed channel; false if there are more. */
  #dropPart(channelId: string): boolean {
    const idle = this.#queue.idle(channelId);
    for (const entry of idle.slice(0, maxDropsAtOnce)) this.#results.drop(entry, 'the channel was removed');
    return idle.length <= maxDropsAtOnce;
  }

  /** Judges the next alert; false if there is none. */
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

  /** Tries again the notices that a channel refused before it was changed, and those that wait for their time. */
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

  /** Tries the notices that wait for their time at once, because their receiver is available again. */
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

  /** Deletes the alerts of a removed cluster. */
  *#forgetting(keys: readonly string[]): Generator<void> {
    for (const key of keys) {
      this.#work.spend(unitsOfNotice);
      const followed = this.#followed.withKey(key);
      if (followed !== undefined) this.#followed.forget(followed);
      yield;
    }
  }

  /** Replaces an equal rule in the notice by the present rule object, so that later comparisons are by identity. */
  #withCurrentRule(notice: Notice): Notice {
    const rule = this.#parts.currentRule(notice.clusterId, notice.rule?.id ?? '');
    return rule !== undefined && isDeepStrictEqual(rule, notice.rule) ? { ...notice, rule } : notice;
  }
}
