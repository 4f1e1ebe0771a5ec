// Rates from counters: the increase since the last reading, per second.

/** The increase of counts since their last reading. */
export interface Came {
  /** The counts by part, such as a table or cache. */
  readonly counts: ReadonlyMap<string, number>;
  /** The time since that reading: longer if a table did not answer for a while. Above 0. */
  readonly seconds: number;
}

/** The last counts of one node, by name. */
export class RisingCounts {
  readonly #before = new Map<
    string,
    { readonly counts: ReadonlyMap<string, number>; readonly atMs: number }
  >();
  #generation = Number.NaN;
  #isNewGeneration = false;
  #atMs = 0;

  /** Begins a reading; a new generation means that the node has restarted and counts from zero. */
  begin(generation: number, monotonicMs: number): void {
    this.#isNewGeneration = !Number.isNaN(this.#generation) && generation !== this.#generation;
    this.#generation = generation;
    this.#atMs = monotonicMs;
  }

  /**
   * The increase since the last reading of `name`; undefined at the first reading.
   * A part that is new, or missing, or whose count fell, contributes 0. If the count fell because the node restarted,
   * its whole count is the increase.
   */
  since(name: string, counts: ReadonlyMap<string, number>): Came | undefined {
    const before = this.#before.get(name);
    this.#before.set(name, { counts, atMs: this.#atMs });
    if (before === undefined || before.atMs >= this.#atMs) return undefined;
    const came = new Map<string, number>();
    for (const [part, count] of counts) came.set(part, this.#came(before.counts.get(part), count));
    return { counts: came, seconds: (this.#atMs - before.atMs) / 1000 };
  }

  #came(before: number | undefined, now: number): number {
    if (before === undefined) return 0;
    if (now >= before) return now - before;
    return this.#isNewGeneration ? now : 0;
  }
}

/** The increase per second, over all parts. */
export function rateOf({ counts, seconds }: Came): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum / seconds;
}
