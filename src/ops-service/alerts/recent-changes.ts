// The latest changes of alerts, for readers of the stream who were away for a moment.
import type { AlertChange } from './alert.js';
import type { FiredAlerts } from './fired-alerts.js';

/** Of all clusters together; more than fire at once, a few MB. */
const ordinaryLimit = 5000;

/** Keeps them in memory, oldest first. */
export class RecentChanges {
  readonly #limit: number;
  #changes: AlertChange[] = [];

  constructor(alerts: Pick<FiredAlerts, 'subscribe'>, limit: number = ordinaryLimit) {
    this.#limit = limit;
    alerts.subscribe((change) => this.#keep(change));
  }

  /** Changes of a cluster behind the one whose event has a time, in microseconds since 1970; `count` at most. */
  after(clusterId: string, timeUs: number, count: number): readonly AlertChange[] {
    const from = this.#changes.filter(
      (change) => change.clusterId === clusterId && Number(change.event.time) > timeUs,
    );
    return from.slice(0, count);
  }

  #keep(change: AlertChange): void {
    this.#changes.push(change);
    // Now and then, not at every change.
    if (this.#changes.length >= 2 * this.#limit) this.#changes = this.#changes.slice(-this.#limit);
  }
}
