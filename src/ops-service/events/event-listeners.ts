// The listeners of the event log. One that fails gets the event again, before those behind it.
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { AppendedEvent } from './event.js';

/**
 * Gets events in the order of their times. An event for which it throws is passed again, so that it must accept an
 * event of which it has done a part.
 */
export type EventListener = (appended: AppendedEvent) => void;

interface Subscription {
  readonly listener: EventListener;
  /** The event for which the listener failed, and those behind it. */
  waiting: AppendedEvent[];
  /** How often it failed for the first of them. */
  failures: number;
}

/** An event for which a listener has failed so often is discarded: those behind it must not wait for ever. */
const mostFailures = 10;
/** Events that wait for one listener. */
const mostWaiting = 10_000;

/** Passes events on. A failing listener fails neither the code that appends an event nor other listeners. */
export class EventListeners {
  readonly #logger: Logger;
  readonly #subscriptions = new Set<Subscription>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds a listener; the result ends the subscription. */
  subscribe(listener: EventListener): () => void {
    const subscription: Subscription = { listener, waiting: [], failures: 0 };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Passes an event to every listener for which no earlier one waits. */
  notify(appended: AppendedEvent): void {
    for (const subscription of this.#subscriptions) {
      const { waiting } = subscription;
      if (waiting.length === 0 && this.#isDone(subscription, appended)) continue;
      if (waiting.length < mostWaiting) waiting.push(appended);
      else this.#discard(appended, new Error(`${mostWaiting} events wait for the listener already`));
    }
  }

  /**
   * Passes the events that wait, in order, up to the first for which the listener fails again. The server calls it
   * every second.
   */
  tick(): void {
    for (const subscription of this.#subscriptions) {
      let done = 0;
      for (const appended of subscription.waiting) {
        if (!this.#isDone(subscription, appended)) break;
        done += 1;
      }
      if (done > 0) subscription.waiting = subscription.waiting.slice(done);
    }
  }

  /** Passes an event. False if it is to be passed again. */
  #isDone(subscription: Subscription, appended: AppendedEvent): boolean {
    try {
      subscription.listener(appended);
    } catch (err) {
      subscription.failures += 1;
      if (subscription.failures < mostFailures) {
        this.#logger.error(
          { err, ...namesOf(appended) },
          'a listener of events failed; it gets the event again',
        );
        return false;
      }
      this.#discard(appended, err);
    }
    subscription.failures = 0;
    return true;
  }

  #discard(appended: AppendedEvent, err: unknown): void {
    this.#logger.error(
      { err, ...namesOf(appended) },
      'an event is discarded, because a listener keeps failing',
    );
  }
}

function namesOf({ clusterId, event: { action, time } }: AppendedEvent) {
  return { clusterId, action, time };
}
