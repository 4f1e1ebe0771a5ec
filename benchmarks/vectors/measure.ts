// Measures indexes in turn by processor time, which other work on the machine disturbs least.
import { median } from '../figures.js';
import type { Contender } from './contenders.js';

/** How many rows each search wants. */
export const limit = 10;
const breadths = [10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 192, 256, 384, 512];

/** Seconds of processor time that this process has used. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The mean share of the true neighbours that searches find. */
export function recallOf(
  contender: Pick<Contender, 'search'>,
  truth: readonly ReadonlySet<number>[],
): number {
  let hits = 0;
  for (const [place, neighbours] of truth.entries()) {
    for (const label of contender.search(place, limit)) if (neighbours.has(Number(label))) hits += 1;
  }
  return hits / truth.length / limit;
}

/** Sets the smallest breadth that reaches a recall, and gives both; undefined where none does. */
export function tune(
  contender: Contender,
  truth: readonly ReadonlySet<number>[],
  wanted: number,
): { readonly breadth: number; readonly recall: number } | undefined {
  for (const breadth of breadths) {
    contender.setBreadth(breadth);
    const recall = recallOf(contender, truth);
    if (recall >= wanted) return { breadth, recall };
  }
  return undefined;
}

/** Runs of each piece of work per second of processor time: the median of rounds, in each of which all run in turn. */
export function ratesOf(
  works: readonly ((run: number) => void)[],
  rounds: number,
  seconds: number,
): readonly number[] {
  const rates = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, work] of works.entries()) {
      const startSeconds = cpuSeconds();
      let runs = 0;
      let elapsed = 0;
      while (elapsed < seconds) {
        for (let i = 0; i < 20; i += 1) work(runs++);
        elapsed = cpuSeconds() - startSeconds;
      }
      rates[at]?.push(runs / elapsed);
    }
  }
  return rates.map(median);
}
