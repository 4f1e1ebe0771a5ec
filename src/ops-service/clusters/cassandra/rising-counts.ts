// Rates out of counts that only rise: what came since the last reading, per second.

/** The counts of one node, by name, as they were read last. */
export class RisingCounts {
  #before = new Map<string, ReadonlyMap<string, number>>();
  #generation = Number.NaN;
  #isNewGeneration = false;

  /** Begins a reading; a new generation means that the node was started again and counts from zero. */
  begin(generation: number): void {
    this.#isNewGeneration = !Number.isNaN(this.#generation) && generation !== this.#generation;
    this.#generation = generation;
  }

  /**
   * What came since the last reading of `name`, by its parts (tables, caches); undefined at the first reading.
   * A part that is seen for the first time, that has gone or whose count fell contributes 0, but for a count that fell
   * because the node was started again: that contributes all it has.
   */
  since(name: string, counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> | undefined {
    const before = this.#before.get(name);
    this.#before.set(name, counts);
    if (before === undefined) return undefined;
    const came = new Map<string, number>();
    for (const [part, count] of counts) came.set(part, this.#came(before.get(part), count));
    return came;
  }

  #came(before: number | undefined, now: number): number {
    if (before === undefined) return 0;
    if (now >= before) return now - before;
    return this.#isNewGeneration ? now : 0;
  }
}

/** The sum of what came over all parts. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}
