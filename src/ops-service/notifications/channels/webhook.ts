// The channel `webhook`: one POST per notice, in one of three formats.
import * as v from 'valibot';
import { type Channel, type ChannelKind, type ChannelSurroundings, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import { type Notice, noticeJson } from '../notice.js';
import { alertmanagerWebhook } from './alertmanager-format.js';
import { urlSchema } from './url-schema.js';

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

const schema = v.pipe(
  v.strictObject({
    type: v.literal('webhook'),
    ...routingEntries,
    url: urlSchema,
    format: v.optional(v.picklist(['json', 'form', 'alertmanager']), 'json'),
    headers: v.optional(
      v.record(headerName, v.pipe(v.string(), v.regex(/^[\t\x20-\x7e]{0,1000}$/, 'must be visible ASCII'))),
    ),
    username: v.optional(v.pipe(v.string(), v.regex(/^[^:]*$/, 'must not hold a colon'))),
    password: v.optional(v.string()),
  }),
  v.forward(
    v.check(
      ({ events, format }) => !(events && format === 'alertmanager'),
      'must be false: the format alertmanager has no form for events',
    ),
    ['events'],
  ),
);

type WebhookSettings = v.InferOutput<typeof schema>;

/** Posts each notice to a URL. */
export const webhookKind: ChannelKind = {
  type: 'webhook',
  schema,
  secrets: ['headers', 'password'],
  secretUrls: ['url'],
  places: ['url'],
  joining: undefined,
  open: (settings, surroundings) => openWebhook(v.parse(schema, settings), surroundings),
};

function openWebhook(settings: WebhookSettings, surroundings: ChannelSurroundings): Channel {
  const { url, username, password } = settings;
  const authorization =
    username === undefined && password === undefined
      ? undefined
      : `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`;
  const headers = Object.fromEntries(
    Object.entries(settings.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const secrets = [...Object.values(headers), ...(password === undefined ? [] : [password])];
  if (authorization !== undefined) secrets.push(authorization, authorization.slice('Basic '.length));
  return {
    async deliver(notices, _attemptId, signal) {
      const [notice] = notices;
      if (notice === undefined) return { kind: 'sent' };
      const { contentType, body } = write(notice, settings);
      return deliverOverHttp(
        surroundings,
        {
          url,
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            'user-agent': 'Colonnade',
            ...headers,
            'content-type': contentType,
            'idempotency-key': notice.id,
          },
          body,
          secrets,
        },
        signal,
      );
    },
  };
}

function write(notice: Notice, settings: WebhookSettings): { contentType: string; body: string } {
  switch (settings.format) {
    case 'json':
      return { contentType: 'application/json', body: JSON.stringify(noticeJson(notice)) };
    case 'form':
      return { contentType: 'application/x-www-form-urlencoded', body: formBody(notice) };
    case 'alertmanager':
      return {
        contentType: 'application/json',
        body: JSON.stringify(alertmanagerWebhook(notice, settings.name)),
      };
  }
}

/** The classic layout: the members of the event, null as an empty text. */
function formBody(notice: Notice): string {
  const { alert, ...members } = noticeJson(notice);
  const fields = {
    ...members,
    alert_id: alert?.id ?? null,
    alert_rule_id: alert?.alert_rule_id ?? null,
    node: alert?.node ?? null,
    current_value: alert?.current_value ?? null,
  };
  return new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      value === null ? '' : String(value),
    ]),
  ).toString();
}
