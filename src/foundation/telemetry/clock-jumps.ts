// Jumps of the clock of the wall against the one that never falls, and how long they cast doubt on what is old.
import type { Clock } from './clock.js';

/** A smaller difference is the clock being set right little by little. */
const leastJumpMs = 60_000;
/** A machine that starts with a wrong clock has it corrected within minutes, if at all. */
const doubtMs = 3_600_000;

/** Makes the function that gives by how many milliseconds the clock jumped since its last call; 0 up to a minute. */
export function measureJumps(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const newOffsetMs = clock.nowMs() - clock.monotonicMs();
    const jumpedMs = newOffsetMs - offsetMs;
    offsetMs = newOffsetMs;
    return Math.abs(jumpedMs) > leastJumpMs ? jumpedMs : 0;
  };
}

/** What is kept for so many milliseconds is too old when it is from before the result, in milliseconds since 1970. */
export type KeptSince = (keptMs: number) => number;

/**
 * Makes the function to ask before anything is deleted for its age. In the first hour, and in the hour that follows a
 * jump seen between two calls, nothing is too old: a clock that is years ahead for minutes must not cost any history.
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
