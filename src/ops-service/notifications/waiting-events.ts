// Events that channels must still be notified of, stored on disk: a burst takes several turns of the event loop.
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Event } from '../events/event.js';
import type { Store } from '../store/store.js';

/** An event and its cluster. */
export interface WaitingEvent {
  readonly clusterId: string;
  readonly event: Event;
}

/** This limit is the same as that of waiting notices. */
const mostWaiting = 100_000;

/** The events in the order of arrival. */
export class WaitingEvents {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #events = new Map<string, WaitingEvent>();

  /** Loads the events that the last process left. */
  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    const rows = store.read((database) =>
      database.statement('SELECT body FROM waiting_events ORDER BY number').all(),
    );
    for (const row of rows) {
      // `add` wrote it.
      const waiting = JSON.parse(String(row['body'])) as WaitingEvent;
      this.#events.set(keyOf(waiting), waiting);
    }
  }

  get count(): number {
    return this.#events.size;
  }

  /** Adds an event after the others, unless it waits already. When too many wait it is logged and given up. */
  add(waiting: WaitingEvent): void {
    const key = keyOf(waiting);
    if (this.#events.has(key)) return;
    if (this.#events.size >= mostWaiting) {
      this.#logger.warn({ event: waiting.event }, 'too many events wait: no channel is notified of this one');
      return;
    }
    this.#events.set(key, waiting);
    const body = JSON.stringify(waiting);
    this.#store.record(
      (database) =>
        void database.statement('INSERT INTO waiting_events (id, body) VALUES (?, ?)').run([key, body]),
      { key: `waiting_events ${key}`, change: 'new', sizeBytes: 400 + body.length },
    );
  }

  /** Takes the first one out; undefined when there is none. */
  take(): WaitingEvent | undefined {
    const [first] = this.#events;
    if (first === undefined) return undefined;
    const [key, waiting] = first;
    this.#events.delete(key);
    this.#store.record(
      (database) => void database.statement('DELETE FROM waiting_events WHERE id = ?').run([key]),
      { key: `waiting_events ${key}`, change: 'gone' },
    );
    return waiting;
  }
}

/** Times are unique within a cluster. */
function keyOf({ clusterId, event }: WaitingEvent): string {
  return `${clusterId}\n${event.time}`;
}
