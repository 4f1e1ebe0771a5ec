// Decides when an archive counts as behind, and when it has caught up.
import type { ArchiveStatus } from '../../archive/shipping/archive-status.js';
import type { Clock } from '../../foundation/telemetry/clock.js';

/** A change that waits longer is an outage: the archive usually has it in a second. */
const mostBehindMs = 30_000;
/** An archive that cannot be used for so long is an outage, also while nothing is written. */
const mostFailingMs = 10_000;
/** How long nothing must be wrong before an outage is over, so that one that comes and goes is one. */
const leastGoodMs = 10_000;

/** The present outage of an archive. */
export class ArchiveOutage {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #failingSinceMs: number | undefined;
  #wrongAtMs = Number.NEGATIVE_INFINITY;
  #isOut = false;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** A sentence about the outage; undefined while there is none. Call it about once a second. */
  note({ archive, problem, databases: { data, ops } }: ArchiveStatus): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    const behindMs = Math.max(data.behindMs, ops.behindMs);
    this.#failingSinceMs = problem === undefined ? undefined : (this.#failingSinceMs ?? nowMs);
    const isFailing = this.#failingSinceMs !== undefined && nowMs - this.#failingSinceMs >= mostFailingMs;
    const isWrong = isFailing || behindMs >= mostBehindMs;
    if (isWrong || problem !== undefined) this.#wrongAtMs = nowMs;
    this.#isOut = isWrong || (this.#isOut && nowMs - this.#wrongAtMs < leastGoodMs);
    if (!this.#isOut) return undefined;
    const seconds = Math.round(behindMs / 1000);
    if (seconds > 0) {
      const behind = `the archive ${archive} is ${seconds} s behind`;
      return problem === undefined ? behind : `${behind}: ${problem}`;
    }
    if (problem !== undefined)
      return `the archive ${archive} cannot be used, and no change waits for it: ${problem}`;
    return `the archive ${archive} had an outage, and has worked again for less than ${leastGoodMs / 1000} s`;
  }
}
