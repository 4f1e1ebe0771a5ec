// Compares two engines by many seeds, a few at a time: much of a scenario's time goes into waiting for commits.
import type { Engine } from '../../src/data-service/engine/engine.js';
import { compareSeed, describeDifference } from './compare-engines.js';

/** What was compared before the end, or before the engines differed. */
export interface SeedsCompared {
  readonly pages: number;
  readonly rows: number;
  /** How to see it again; undefined where nothing differs. */
  readonly difference: string | undefined;
}

const seedsAtATime = 4;

/** Plays the scenarios of all seeds; ends with the first difference. Each scenario has tables of its own. */
export async function compareSeeds(
  seeds: readonly number[],
  left: Engine,
  right: Engine,
): Promise<SeedsCompared> {
  const waiting = [...seeds];
  let pages = 0;
  let rows = 0;
  let difference: string | undefined;
  const lane = async () => {
    for (let seed = waiting.shift(); seed !== undefined && difference === undefined; seed = waiting.shift()) {
      const compared = await compareSeed(seed, left, right);
      pages += compared.pages;
      rows += compared.rows;
      if (compared.difference !== undefined) difference ??= describeDifference(seed, compared.difference);
    }
  };
  await Promise.all(Array.from({ length: seedsAtATime }, lane));
  return { pages, rows, difference };
}
