// The channel `webhook`: one POST per notice, in one of three formats.
import * as v from 'valibot';
import { checkAt, closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { type Channel, type ChannelKind, type ChannelSurroundings, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import { type Notice, noticeJson, ruleNameOf } from '../notice.js';
import { alertmanagerWebhook } from './alertmanager-format.js';
import { authEntries, httpAuth, urlSchema } from './http-settings.js';

const schema = v.pipe(
  closedObject({
    type: v.literal('webhook'),
    ...routingEntries,
    url: urlSchema,
    format: v.optional(labelled(v.picklist(['json', 'form', 'alertmanager']), 'Format'), 'json'),
    ...authEntries,
  }),
  checkAt(
    'events',
    ({ events, format }) => !(events && format === 'alertmanager'),
    'must be false: the format alertmanager has no form for events',
  ),
);

type WebhookSettings = v.InferOutput<typeof schema>;

/** Posts each notice to a URL. */
export const webhookKind: ChannelKind = {
  type: 'webhook',
  schema,
  secretUrls: ['url'],
  places: ['url'],
  open: (settings, surroundings) => openWebhook(v.parse(schema, settings), surroundings),
};

function openWebhook(settings: WebhookSettings, surroundings: ChannelSurroundings): Channel {
  const { url } = settings;
  const { headers, secrets } = httpAuth(settings);
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

/** The form format: the members of the event, null as an empty text, and a field for each annotation. */
function formBody(notice: Notice): string {
  const { alert, annotations, ...members } = noticeJson(notice);
  const fields: readonly (readonly [string, string | number | boolean | null])[] = [
    ...Object.entries(members),
    ['alert_id', alert?.id ?? null],
    ['alert_rule_id', alert?.alert_rule_id ?? null],
    ['node', alert?.node ?? null],
    ['current_value', alert?.current_value ?? null],
    ['rule', ruleNameOf(notice)],
    ...Object.entries(annotations).map(([name, value]) => [`annotation_${name}`, value] as const),
  ];
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, value === null ? '' : String(value)]),
  ).toString();
}
