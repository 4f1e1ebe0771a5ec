// A clock for ages across restarts: it runs evenly even if the wall clock is set.
import type { Clock } from '../../foundation/telemetry/clock.js';
import { measureJumps } from '../../foundation/telemetry/clock-jumps.js';
import type { Store } from '../store/store.js';

const writeEveryMs = 60_000;

/**
 * Milliseconds that never decrease: within a process by the monotonic clock, across a restart by the time that the
 * process was stopped according to the wall clock. Starts at milliseconds since 1970.
 */
export class LastingClock {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #takeJump: () => number;
  /** Added to the monotonic clock. */
  readonly #offsetMs: number;
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#takeJump = measureJumps(clock);
    const row = store.read((database) =>
      database.statement('SELECT lasting_ms, wall_ms FROM lasting_clock').get(),
    );
    const wallMs = clock.nowMs();
    const beganMs =
      row === undefined ? wallMs : Number(row['lasting_ms']) + Math.max(0, wallMs - Number(row['wall_ms']));
    this.#offsetMs = beganMs - clock.monotonicMs();
  }

  nowMs(): number {
    return this.#clock.monotonicMs() + this.#offsetMs;
  }

  /** Stores both clocks once a minute and after a jump of the wall clock. The server calls it every second. */
  tick(): void {
    const hasJumped = this.#takeJump() !== 0;
    if (hasJumped || this.nowMs() - this.#writtenAtMs >= writeEveryMs) this.write();
  }

  /** Stores the time of both clocks. */
  write(): void {
    const lastingMs = this.nowMs();
    const wallMs = this.#clock.nowMs();
    this.#writtenAtMs = lastingMs;
    this.#store.record(
      (database) =>
        void database
          .statement('INSERT OR REPLACE INTO lasting_clock (id, lasting_ms, wall_ms) VALUES (1, ?, ?)')
          .run([lastingMs, wallMs]),
      { key: 'lasting_clock' },
    );
  }
}
