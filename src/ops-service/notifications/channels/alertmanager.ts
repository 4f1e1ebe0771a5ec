// The channel `alertmanager`: sends to Prometheus' Alertmanager, which forgets alerts that are not sent again.
import * as v from 'valibot';
import { closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { type ChannelKind, noEvents, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import type { Notice } from '../notice.js';
import { alertmanagerAlert } from './alertmanager-format.js';
import { authEntries, httpAuth, urlSchema } from './http-settings.js';

const schema = closedObject({
  type: v.literal('alertmanager'),
  ...routingEntries,
  ...noEvents,
  url: labelled(urlSchema, 'Address', {
    help: 'the base URL of the Alertmanager, `http://alertmanager:9093`, without the path of the API',
    example: 'https://…',
  }),
  ...authEntries,
});

/** Sends firing alerts again every minute: an alert that is not sent counts as resolved after five minutes. */
export const alertmanagerKind: ChannelKind = {
  type: 'alertmanager',
  schema,
  secretUrls: ['url'],
  places: ['url'],
  joining: { waitMs: 1000, maxNotices: 100, intoIncidents: false },
  refreshMs: 60_000,
  open: (settings, surroundings) => {
    const checked = v.parse(schema, settings);
    const { headers, secrets } = httpAuth(checked);
    const url = `${checked.url.replace(/\/+$/, '')}/api/v2/alerts`;
    return {
      deliver: (notices, attemptId, signal) =>
        deliverOverHttp(
          surroundings,
          {
            url,
            headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': attemptId },
            body: JSON.stringify(notices.map(alertOf)),
            secrets,
          },
          signal,
        ),
    };
  },
};

/** Without an end the Alertmanager sets one itself, some minutes ahead. */
function alertOf(notice: Notice): object {
  const { labels, annotations, startsAt, endsAt, status, generatorURL } = alertmanagerAlert(notice);
  return {
    labels,
    annotations,
    startsAt,
    ...(status === 'resolved' ? { endsAt } : {}),
    ...(generatorURL === '' ? {} : { generatorURL }),
  };
}
