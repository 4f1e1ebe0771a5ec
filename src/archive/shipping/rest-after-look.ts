// How long the archive thread rests after a look at the logs.

/** The rest after a look that found little. */
export const restMs = 250;
/**
 * While much is written, a look begins so long after the one before, so that a page that changes often is shipped less
 * often. On a busy machine, or with a slow archive, the look itself takes a part of this time.
 */
const mostBetweenLooksMs = 750;
/** The rest after a look that took as long or longer: other threads need the processor. */
const leastRestMs = 100;
/** The rest is so many times as long as the thread worked. */
const restShare = 4;

/** The rest after a look that took some time, of which the thread worked a part; in ms. */
export function restAfterLook(tookMs: number, workedMs: number): number {
  const mostMs = Math.max(leastRestMs, mostBetweenLooksMs - tookMs);
  return Math.min(mostMs, Math.max(restMs, restShare * workedMs));
}
