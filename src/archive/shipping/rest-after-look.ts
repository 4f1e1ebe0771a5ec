// How long the archive thread rests after a look at the logs.

/** The time between two looks at the logs. */
export const restMs = 250;
/**
 * The greatest time from the beginning of a look to the next one, while much is written: a page that changes often is
 * then shipped less often. Where the machine or the archive is slow, the look takes a part of it.
 */
const mostBetweenLooksMs = 750;
const leastRestMs = 100;
/** The rest is so many times as long as the thread worked. */
const restShare = 4;

/** The rest after a look that took some time, of which the thread worked a part; in ms. */
export function restAfterLook(tookMs: number, workedMs: number): number {
  const mostMs = Math.max(leastRestMs, mostBetweenLooksMs - tookMs);
  return Math.min(mostMs, Math.max(restMs, restShare * workedMs));
}
