// Rates from counters: the increase since the last reading, per second.

/** What came of something since it was read last. */
export interface Came {
  /** By its parts: tables, caches. */
  readonly counts: ReadonlyMap<string, number>;
  /** Since that reading: a table that did not answer for a while is read over a longer time. Above 0. */
  readonly seconds: number;
}

/** The counts of one node, by name, as they were read last. */
export class RisingCounts {
  readonly #before = new Map<
    string,
    { readonly counts: ReadonlyMap<string, number>; readonly atMs: number }
  >();
  #generation = Number.NaN;
  #isNewGeneration = false;
  #atMs = 0;

  /** Begins a reading; a new generation means that the node was started again and counts from zero. */
  begin(generation: number, monotonicMs: number): void {
    this.#isNewGeneration = !Number.isNaN(this.#generation) && generation !== this.#generation;
    this.#generation = generation;
    this.#atMs = monotonicMs;
  }

  /**
   * What came since the last reading of `name`; undefined at the first reading.
   * A part that is seen for the first time, that has gone or whose count fell contributes 0, but for a count that fell
   * because the node was started again: that contributes all it has.
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

/** What came per second, over all parts. */
export function rateOf({ counts, seconds }: Came): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum / seconds;
}
