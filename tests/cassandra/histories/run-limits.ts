// When a run of histories ends, and where its seeds begin, as the command line says it.

/** More milliseconds than a timer takes. */
const tooManyMs = 2 ** 31;
const msPerHour = 3_600_000;

export interface RunLimits {
  /** In milliseconds, > 0. */
  readonly timeMs: number;
  /** Rounds at most, ≥ 1; Infinity for any number. */
  readonly rounds: number;
  /** The seed of the first round, ≥ 0. */
  readonly seed: number;
}

/** Reads what the options say. @throws RangeError whose message names the option */
export function runLimits(options: {
  readonly hours: string;
  /** Undefined for any number. */
  readonly rounds?: string;
  readonly seed: string;
}): RunLimits {
  const timeMs = Number(options.hours) * msPerHour;
  if (!(timeMs > 0 && timeMs < tooManyMs))
    throw new RangeError(`--hours is "${options.hours}"; it must be a number above 0 and at most 596`);
  const rounds = options.rounds === undefined ? Number.POSITIVE_INFINITY : wholeNumber(options.rounds);
  if (!(rounds >= 1))
    throw new RangeError(`--rounds is "${options.rounds}"; it must be a whole number from 1`);
  const seed = wholeNumber(options.seed);
  if (!(seed >= 0)) throw new RangeError(`--seed is "${options.seed}"; it must be a whole number`);
  return { timeMs, rounds, seed };
}

/** NaN for a text that is not a whole number. */
function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Whether an error says only that the signal was aborted, and not that anything failed. */
export function isAbort(error: unknown, signal: AbortSignal): boolean {
  return (
    signal.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason))
  );
}
