// Compares two sides by many seeds, a few at a time: much of a scenario's time goes into waiting for commits.

/** What was compared before the end, or before the sides differed. A run that finds few rows proves little. */
export interface Compared {
  readonly pages: number;
  readonly rows: number;
  /** How to see it again; undefined where nothing differs. */
  readonly difference: string | undefined;
}

const seedsAtATime = 4;

/** Plays the scenarios of all seeds; ends with the first difference. Each scenario has tables of its own. */
export async function compareSeeds(
  seeds: readonly number[],
  compare: (seed: number) => Promise<Compared>,
): Promise<Compared> {
  const waiting = [...seeds];
  let pages = 0;
  let rows = 0;
  let difference: string | undefined;
  const lane = async () => {
    for (let seed = waiting.shift(); seed !== undefined && difference === undefined; seed = waiting.shift()) {
      const compared = await compare(seed);
      pages += compared.pages;
      rows += compared.rows;
      difference ??= compared.difference;
    }
  };
  await Promise.all(Array.from({ length: seedsAtATime }, lane));
  return { pages, rows, difference };
}
