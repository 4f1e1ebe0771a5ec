// Lets writes wait until the archive has them, for --archive-acknowledge.
import type { Clock } from '../../foundation/telemetry/clock.js';

interface WaitingWrite {
  /** The moment after its commit. */
  readonly atMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Writes that are stored here and wait for the archive, in the order of their commits. */
export class Acknowledgements {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #ask: () => void;
  readonly #limitMs: number;
  readonly #waiting: WaitingWrite[] = [];
  #isAsked = false;
  #timer: NodeJS.Timeout | undefined;

  /** `ask` requests that what was committed is shipped now. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, ask: () => void, limitMs: number) {
    this.#clock = clock;
    this.#ask = ask;
    this.#limitMs = limitMs;
  }

  /** Resolves when the archive has every commit before this call. Rejects with an Error after the limit. */
  whenShipped(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ atMs: this.#clock.monotonicMs(), resolve, reject });
      this.#askOnce();
      this.#timer ??= setTimeout(() => this.#rejectOld(), this.#limitMs);
    });
  }

  /** The archive has every commit before a moment. */
  note(shippedMs: number): void {
    this.#isAsked = false;
    while (this.#waiting[0] !== undefined && this.#waiting[0].atMs <= shippedMs)
      this.#waiting.shift()?.resolve();
    if (this.#waiting.length > 0) this.#askOnce();
  }

  #askOnce(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#ask();
  }

  #rejectOld(): void {
    const nowMs = this.#clock.monotonicMs();
    while (this.#waiting[0] !== undefined && nowMs - this.#waiting[0].atMs >= this.#limitMs)
      this.#waiting
        .shift()
        ?.reject(
          new Error(
            `it is stored by this server, but is not in the archive after ${Math.round(this.#limitMs / 1000)} s`,
          ),
        );
    const [oldest] = this.#waiting;
    const leftMs = oldest === undefined ? undefined : Math.max(1, this.#limitMs - (nowMs - oldest.atMs));
    this.#timer = leftMs === undefined ? undefined : setTimeout(() => this.#rejectOld(), leftMs);
  }
}
