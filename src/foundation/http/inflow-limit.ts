// Limits what large bodies bring in together: the event loop would read up to 2 MiB of each in a single turn.

/** A body on its way. */
export interface Inflow {
  pause(): void;
  resume(): void;
}

const windowMs = 10;
/** What a turn may read in some 2 ms. */
const bytesPerWindow = 2 * 1024 * 1024;

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
    const paused = [...this.#paused];
    this.#paused.clear();
    for (const inflow of paused) inflow.resume();
  }
}
