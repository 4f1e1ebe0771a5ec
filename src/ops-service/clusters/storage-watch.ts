// Decides from the problems that the data service reports when an outage of this server's storage begins and ends.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { AppendEvent } from '../events/event.js';

/**
 * How long there must be no problem before an outage is over. While a disk is full, small writes can succeed between
 * large ones that fail: without this time each of them would end the outage.
 */
const leastGoodMs = 10_000;

/** The storage of this server: its data file, or the cluster of its engine. */
export class StorageWatch {
  readonly #clock: Clock;
  readonly #report: (action: 'nodeDown' | 'nodeUp', message: string) => void;
  #problem: string | undefined;
  #problemAtMs = Number.NEGATIVE_INFINITY;
  #downSinceMs: number | undefined;

  /** Outages are events of the node `address` of the cluster `local`. */
  constructor(address: string, clock: Clock, appendEvent: AppendEvent) {
    this.#clock = clock;
    this.#report = (action, message) => {
      const level = action === 'nodeDown' ? 'CRITICAL' : 'INFO';
      appendEvent('local', { action, level, message: `node ${address} is ${message}`, sourceNode: address });
    };
  }

  /** When the outage began, in milliseconds since 1970; undefined while there is none. */
  get downSinceMs(): number | undefined {
    return this.#downSinceMs;
  }

  /** Notes why the storage does not work, in words; undefined if it works. */
  note(problem: string | undefined): void {
    this.#problem = problem;
    if (problem !== undefined) this.#problemAtMs = this.#clock.monotonicMs();
  }

  /**
   * Records that an outage began or ended. The server calls it every second, and a problem that begins and ends between
   * two calls is not recorded.
   */
  tick(): void {
    const now = this.#clock.monotonicMs();
    if (this.#problem !== undefined) {
      this.#problemAtMs = now;
      if (this.#downSinceMs !== undefined) return;
      this.#downSinceMs = this.#clock.nowMs();
      this.#report('nodeDown', `down: ${this.#problem}`);
    } else if (this.#downSinceMs !== undefined && now - this.#problemAtMs >= leastGoodMs) {
      this.#downSinceMs = undefined;
      this.#report('nodeUp', 'up: its storage works again');
    }
  }
}
