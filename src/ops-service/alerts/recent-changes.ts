// The latest changes of alerts, for clients of the stream that lost their connection for a moment.
import type { AlertChange, AppendedEvent } from '../events/event.js';
import type { EventLog } from '../events/event-log.js';

/** The limit for all clusters together: it is more than can fire at once, and takes a few MB. */
const ordinaryLimit = 5000;

/** An event with the change of an alert. */
export interface AlertEvent extends AppendedEvent {
  readonly change: AlertChange;
}

/** Whether an alert changed. */
export function isAlertEvent(appended: AppendedEvent): appended is AlertEvent {
  return appended.change !== undefined;
}

/** Keeps the latest changes in memory, oldest first. */
export class RecentChanges {
  readonly #limit: number;
  #changes: AlertEvent[] = [];

  constructor(events: Pick<EventLog, 'subscribe'>, limit: number = ordinaryLimit) {
    this.#limit = limit;
    events.subscribe((appended) => {
      if (isAlertEvent(appended)) this.#keep(appended);
    });
  }

  /** At most `count` changes of a cluster after the event with this time, in microseconds since 1970. */
  after(clusterId: string, timeUs: number, count: number): readonly AlertEvent[] {
    const from = this.#changes.filter(
      (change) => change.clusterId === clusterId && Number(change.event.time) > timeUs,
    );
    return from.slice(0, count);
  }

  #keep(change: AlertEvent): void {
    this.#changes.push(change);
    // Truncated only sometimes, because it copies the list.
    if (this.#changes.length >= 2 * this.#limit) this.#changes = this.#changes.slice(-this.#limit);
  }
}
