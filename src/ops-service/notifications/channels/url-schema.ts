// The URL of a receiver.
import * as v from 'valibot';

/** http or https, without user and password in it. */
export const urlSchema = v.pipe(
  v.string(),
  v.maxLength(2000, 'must have at most 2000 characters'),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be a URL of http or https'),
  v.check(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'must not hold a user or a password',
  ),
  v.check((text) => !URL.canParse(text) || new URL(text).port !== '0', 'must have a port from 1 to 65535'),
);
