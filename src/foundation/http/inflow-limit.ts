// Limits how fast large bodies are read: without it the event loop reads up to 2 MiB of each body in a single turn.

/** A body that is being received. */
export interface Inflow {
  pause(): void;
  resume(): void;
}

const windowMs = 10;
/** What a turn can read in about 2 ms. */
const bytesPerWindow = 2 * 1024 * 1024;
/** Each body reads a chunk of up to 64 KiB before it is counted again. */
const resumedPerWindow = 32;

/** Shares 200 MiB per second among the large bodies of a listener. */
export class InflowLimit {
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #paused = new Set<Inflow>();

  /** Counts a chunk; a body that arrives when the window is full pauses until the next one. */
  count(inflow: Inflow, bytes: number): void {
    this.#bytes += bytes;
    this.#timer ??= setTimeout(() => this.#beginWindow(), windowMs);
    if (this.#bytes < bytesPerWindow || this.#paused.has(inflow)) return;
    this.#paused.add(inflow);
    inflow.pause();
  }

  #beginWindow(): void {
    this.#timer = undefined;
    this.#bytes = 0;
    let left = resumedPerWindow;
    for (const inflow of this.#paused) {
      if (left === 0) break;
      left -= 1;
      this.#paused.delete(inflow);
      inflow.resume();
    }
    if (this.#paused.size > 0) this.#timer = setTimeout(() => this.#beginWindow(), windowMs);
  }
}
