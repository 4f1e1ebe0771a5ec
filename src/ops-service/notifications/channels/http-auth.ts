// What a receiver over HTTP may want beside the URL: headers, user and password.
import * as v from 'valibot';
import { withoutLists } from '../../errors/without-lists.js';

/** Headers that this side writes itself. */
const ownHeaders = [
  'host',
  'content-length',
  'content-type',
  'connection',
  'transfer-encoding',
  'idempotency-key',
];

const headerName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of a header'),
  v.check((name) => !ownHeaders.includes(name.toLowerCase()), 'is written by the service itself'),
);

/** Members of settings; `headers` and `password` are secrets. */
export const authEntries = {
  headers: v.optional(
    withoutLists(
      v.record(headerName, v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{0,1000}$/, 'must be visible ASCII'))),
    ),
  ),
  username: v.optional(v.pipe(v.string(), v.regex(/^[^:]*$/, 'must not hold a colon'))),
  password: v.optional(v.string()),
};

/** The members that never come back. */
export const authSecrets = ['headers', 'password'] as const;

/** Headers to send, and the texts that must not be shown. */
export interface HttpAuth {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** What the settings ask for. */
export function httpAuth(settings: {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}): HttpAuth {
  const { username, password } = settings;
  const headers: Record<string, string> = { 'user-agent': 'Colonnade' };
  const secrets = password === undefined ? [] : [password];
  if (username !== undefined || password !== undefined) {
    const credentials = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
    headers['authorization'] = `Basic ${credentials}`;
    secrets.push(credentials);
  }
  for (const [name, value] of Object.entries(settings.headers ?? {})) {
    headers[name.toLowerCase()] = value;
    secrets.push(value);
  }
  return { headers, secrets };
}
