// Measures jumps of the wall clock against the monotonic clock, and stops deletions by age for a time after a jump.
import type { Clock } from './clock.js';

/** Smaller differences are gradual corrections of the clock. */
const leastJumpMs = 60_000;
/** If a machine starts with a wrong clock, the clock is corrected within minutes or not at all. */
const doubtMs = 3_600_000;

/**
 * Creates a function that returns by how many milliseconds the clock jumped since its last call; 0 for differences up
 * to a minute.
 */
export function measureJumps(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const newOffsetMs = clock.nowMs() - clock.monotonicMs();
    const jumpedMs = newOffsetMs - offsetMs;
    offsetMs = newOffsetMs;
    return Math.abs(jumpedMs) > leastJumpMs ? jumpedMs : 0;
  };
}

/**
 * Returns a time in milliseconds since 1970: data that is kept for `keptMs` is too old if it is from before that time.
 */
export type KeptSince = (keptMs: number) => number;

/**
 * Creates the function that every deletion by age must call first. In the first hour, and in the hour after a jump seen
 * between two calls, nothing is too old: a clock that is years ahead for minutes must not delete history.
 */
export function makeKeptSince(clock: Clock): KeptSince {
  const takeJump = measureJumps(clock);
  let doubtedAtMs = clock.monotonicMs();
  return (keptMs) => {
    const atMs = clock.monotonicMs();
    if (takeJump() !== 0) doubtedAtMs = atMs;
    return atMs - doubtedAtMs < doubtMs ? 0 : clock.nowMs() - keptMs;
  };
}
