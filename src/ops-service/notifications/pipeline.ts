// The pipeline: converts events and changes of alerts to notices for channels.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Portions } from '../../foundation/threads/portions.js';
import type { Alert, AppendedEvent } from '../events/event.js';
import type { KeptChannel } from './channel-repository.js';
import { DeliveryResults, type NoticeSources, unitsOfNotice } from './delivery-results.js';
import { Dispatcher } from './dispatcher.js';
import type { Explained } from './explain-notices.js';
import { type FollowedAlert, FollowedAlerts, follow } from './followed-alert.js';
import { Incidents } from './incidents.js';
import { LastingClock } from './lasting-clock.js';
import type { Notice } from './notice.js';
import { NoticeJudge } from './notice-judge.js';
import { keyOfAlert, NoticeQueue } from './notice-queue.js';
import { QueueChecks, waitingPerUnit } from './queue-checks.js';
import { RareWarning } from './rare-warning.js';
import { WaitingEvents } from './waiting-events.js';

/**
 * Units of work in one turn of the event loop. Judging an alert for one channel is one unit and takes about two
 * microseconds. The writes of the work follow in the same turn.
 */
const mostInTurn = 5000;
/** How long the end of the process waits for attempts. */
const closeTimeoutMs = 1000;

/** Follows alerts until every channel that was notified of one has been notified of its end. */
export class Pipeline {
  readonly #parts: NoticeSources;
  readonly #work: Portions;
  readonly #lastingClock: LastingClock;
  readonly #followed: FollowedAlerts;
  readonly #queue: NoticeQueue;
  readonly #checks: QueueChecks;
  readonly #dispatcher: Dispatcher;
  readonly #judge: NoticeJudge;
  readonly #events: WaitingEvents;
  /** Keys of alerts that must be judged. All are in the file: after a crash the first `tick` judges all of them. */
  readonly #due = new Set<string>();
  readonly #unfollowed: RareWarning;

  /** Continues where the last process ended. */
  constructor(parts: NoticeSources) {
    this.#parts = parts;
    const { store, clock, logger } = parts;
    this.#work = new Portions({
      clock,
      mostInTurn,
      onWork: () => parts.noteWork(),
      onPortion: () => {
        this.#judge.endPortion();
        this.#dispatcher.run();
      },
    });
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
    const results = new DeliveryResults(shared);
    this.#checks = new QueueChecks({ ...shared, results });
    this.#judge = new NoticeJudge({ ...shared, results });
    this.#dispatcher = new Dispatcher({
      ...shared,
      results,
      incidents: new Incidents(this.#followed),
      onReceiverBack: (channelId) => this.#work.run(`channel ${channelId}`, this.#waking(channelId)),
    });
  }

  /** Accepts an event of the log, in the order of the log. */
  readonly accept = ({ clusterId, event, change }: AppendedEvent): void => {
    // Notices about the beginning and the end of an alert are alert notices; all others are event notices.
    const isAlertNotice = change?.kind === 'fired' || change?.kind === 'cleared';
    if (!isAlertNotice && this.#judge.isEventTaken(clusterId, event)) {
      this.#events.add({ clusterId, event });
      this.#work.run('events', this.#judgingEvents());
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
    this.#work.run('alerts', this.#judgingAlerts());
  };

  /** Applies a change of a rule; the alerts that it cleared have been passed to `accept` before. */
  ruleChanged(clusterId: string, ruleId: string): void {
    for (const followed of this.#followed.all()) {
      if (followed.clusterId === clusterId && followed.rule.id === ruleId)
        this.#due.add(keyOfAlert(followed));
    }
    this.#work.run('alerts', this.#judgingAlerts());
  }

  /** Applies the change of a channel: it was added or changed (`isThere` is true) or removed (false). */
  channelChanged(channelId: string, isThere: boolean): void {
    const subject = `channel ${channelId}`;
    this.#work.drop(subject);
    if (isThere) {
      this.#work.add(subject, this.#tryingAgain(channelId));
      this.tick();
    } else {
      this.#checks.note(channelId);
      this.#work.run('queues', this.#checks.steps());
    }
  }

  /**
   * Sends notices that are due: repeats, held ones, retries. Called every second; long work continues in the next
   * turns.
   */
  tick(): void {
    this.#lastingClock.tick();
    this.#checks.tick();
    for (const key of this.#followed.keys()) this.#due.add(key);
    this.#work.add('queues', this.#checks.steps());
    this.#work.add('events', this.#judgingEvents());
    this.#work.run('alerts', this.#judgingAlerts());
  }

  /** Deletes the data of a removed cluster, whose channels have already been removed. */
  forgetCluster(clusterId: string): void {
    const gone = this.#followed.all().filter((followed) => followed.clusterId === clusterId);
    this.#followed.deleteStored(clusterId);
    this.#work.run(`cluster ${clusterId}`, this.#forgetting(gone.map(keyOfAlert)));
  }

  /** The state of a firing alert for a channel of its cluster. */
  explain(channel: KeptChannel, alert: Alert): Explained {
    return this.#judge.explain(channel, alert);
  }

  /** The followed alerts that are firing. */
  get firing(): readonly FollowedAlert[] {
    return this.#followed.all().filter(({ isFiring }) => isFiring);
  }

  /** Resolves when no attempt is under way, and everything has been judged. */
  async settled(): Promise<void> {
    for (;;) {
      await this.#dispatcher.settled();
      if (!this.#work.hasMore) return;
      await nextTurn();
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
    await this.#dispatcher.close(closeTimeoutMs);
  }

  *#judgingEvents(): Generator<void, void> {
    for (let next = this.#events.take(); next !== undefined; next = this.#events.take()) {
      this.#judge.judgeEvent(next);
      yield;
    }
  }

  *#judgingAlerts(): Generator<void, void> {
    for (const key of this.#due) {
      this.#due.delete(key);
      this.#work.spend(1);
      const followed = this.#followed.withKey(key);
      if (followed !== undefined) this.#judge.judgeAlert(followed);
      yield;
    }
  }

  /** Tries again the notices that a channel refused before it was changed, and those that wait for their time. */
  *#tryingAgain(channelId: string): Generator<void, void> {
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

  /** Tries the notices that wait for their time at once. */
  *#waking(channelId: string): Generator<void, void> {
    for (const _ of this.#queue.waking(channelId)) {
      this.#work.spend(1 / waitingPerUnit);
      yield;
    }
  }

  /** Deletes the alerts of a removed cluster. */
  *#forgetting(keys: readonly string[]): Generator<void, void> {
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
