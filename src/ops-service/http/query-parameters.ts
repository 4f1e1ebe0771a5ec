// Query parameters that several routes take. They come as text.
import * as v from 'valibot';

const maxCount = 10_000;
const countMessage = `must be an integer from 1 to ${maxCount}`;

/** How many entries of a log to list. */
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

/** The moment from which a log is listed: microseconds since 1970. */
export const timestampParameter = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,19}$/, 'must be a unix timestamp in microseconds'),
    // Times of entries are far below; what is above reads from the newest one.
    v.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  ),
);
