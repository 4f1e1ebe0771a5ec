// Query parameters of several routes. Their values are strings.
import * as v from 'valibot';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { badRequest } from '../errors/validation.js';

const maxCount = 10_000;
const countMessage = `must be an integer from 1 to ${maxCount}`;

/** The maximum number of entries of a log to list. */
export function countParameter(defaultCount: number) {
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,6}$/, countMessage),
      v.transform(Number),
      v.minValue(1, countMessage),
      v.maxValue(maxCount, countMessage),
    ),
    String(defaultCount),
  );
}

/** The time from which a log is listed, in microseconds since 1970. */
export const timestampParameter = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,19}$/, 'must be a unix timestamp in microseconds'),
    // Times of entries are far smaller; a larger one reads from the newest entry.
    v.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  ),
);

/** A time in a query: seconds since 1970. */
const secondsText = v.pipe(
  v.string(),
  v.regex(/^\d{1,11}(\.\d{1,9})?$/, 'must be a unix timestamp in seconds'),
  v.transform(Number),
);

/** The parameters of a time range. */
export const rangeParameters = { start: v.optional(secondsText), end: v.optional(secondsText) };

const secondsPerDay = 86_400;

/** The range from `start` to `end`, in seconds since 1970; by default the last day. @throws OpsError `BadRequest` */
export function rangeOf(
  asked: { readonly start?: number | undefined; readonly end?: number | undefined },
  clock: Clock,
): { readonly startS: number; readonly endS: number } {
  const endS = asked.end ?? Math.floor(clock.nowMs() / 1000);
  const startS = asked.start ?? endS - secondsPerDay;
  if (startS > endS) throw badRequest([{ path: 'start', message: 'must not be after end' }]);
  return { startS, endS };
}
