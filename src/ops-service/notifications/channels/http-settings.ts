// The settings of HTTP receivers: the URL, headers, user and password.
import * as v from 'valibot';
import { labelled } from '../../errors/describe-field.js';
import { limitedText } from '../../errors/limited-text.js';
import { namedValues } from '../../errors/named-values.js';

/** The URL of a receiver: http or https, without user and password. */
export const urlSchema = labelled(
  v.pipe(
    v.string(),
    v.maxLength(2000, 'must have at most 2000 characters'),
    v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be a URL of http or https'),
    v.check(
      (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
      'must not hold a user or a password',
    ),
    v.check((text) => !URL.canParse(text) || new URL(text).port !== '0', 'must have a port from 1 to 65535'),
  ),
  'Address',
  { example: 'https://…' },
);

/** Headers that the server sets itself. */
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

const headerValue = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{0,1000}$/, 'must be visible ASCII'));
const mostHeaders = 50;
const loginText = limitedText(1000);

/** Members of settings. */
export const authEntries = {
  headers: v.optional(
    labelled(namedValues(headerName, headerValue, mostHeaders), 'Headers', {
      isSecret: true,
      isForPrograms: true,
    }),
  ),
  username: v.optional(labelled(v.pipe(loginText, v.regex(/^[^:]*$/, 'must not hold a colon')), 'User')),
  password: v.optional(labelled(loginText, 'Password', { isSecret: true })),
};

/** Headers to send, and the texts that must not be shown. */
export interface HttpAuth {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** The headers for the settings. */
export function httpAuth(settings: {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}): HttpAuth {
  const { username, password } = settings;
  const headers = new Map([['user-agent', 'Colonnade']]);
  const secrets = password === undefined ? [] : [password];
  if (username !== undefined || password !== undefined) {
    const credentials = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
    secrets.push(credentials);
  }
  for (const [name, value] of Object.entries(settings.headers ?? {})) {
    headers.set(name.toLowerCase(), value);
    secrets.push(value);
  }
  return { headers: Object.fromEntries(headers), secrets };
}
