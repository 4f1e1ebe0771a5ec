// Schemas of texts and ports whose messages say what the limit is.
import * as v from 'valibot';

/** A text of at least `least` and at most `most` characters. */
export function limitedText(most: number, least = 0) {
  const tooShort = least === 1 ? 'must not be empty' : `must have at least ${least} characters`;
  return v.pipe(
    v.string(),
    v.minLength(least, tooShort),
    v.maxLength(most, `must have at most ${most} characters`),
  );
}

export const portNumber = v.pipe(
  v.number(),
  v.integer('must be an integer'),
  v.minValue(1, 'must be a port from 1 to 65535'),
  v.maxValue(65_535, 'must be a port from 1 to 65535'),
);

/** The name or the address of a host. */
export const hostText = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_.:-]{1,253}$/, 'must be a host name or an address'),
);
