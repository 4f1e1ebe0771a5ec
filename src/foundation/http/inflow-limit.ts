// Limits what large bodies bring in together: the event loop would read up to 2 MiB of each in a single turn.

/** A body on its way. */
export interface Inflow {
  pause(): void;
  resume(): void;
}

const windowMs = 10;
/** What a turn may read in some 2 ms. */
const bytesPerWindow = 2 * 1024 * 1024;
/** Each brings a chunk of up to 64 KiB before it is counted again. */
const resumedPerWindow = 32;

/** Shares 200 MiB a second among the large bodies of a listener. */
export class InflowLimit {
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #paused = new Set<Inflow>();

  /** Counts a chunk; a body that comes when the window is full has to pause until the next one. */
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
