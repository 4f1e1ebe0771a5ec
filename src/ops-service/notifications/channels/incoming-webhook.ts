// The common parts of the channels for chat programs: one JSON message to a webhook whose URL is secret.
import * as v from 'valibot';
import { closedObject } from '../../errors/closed-object.js';
import { labelled } from '../../errors/describe-field.js';
import { type ChannelKind, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import type { Notice } from '../notice.js';
import { urlSchema } from './http-settings.js';

/** If there are more notices, only their titles are sent. */
export const maxDetailedNotices = 10;

/** A kind of channel that posts waiting notices as one message; `bodyOf` writes it as JSON text. */
export function incomingWebhookKind(
  type: string,
  bodyOf: (notices: readonly Notice[]) => string,
): ChannelKind {
  const schema = closedObject({
    type: v.literal(type),
    ...routingEntries,
    url: labelled(urlSchema, 'Address', { help: 'of an incoming webhook', example: 'https://…' }),
  });
  return {
    type,
    schema,
    secretUrls: ['url'],
    places: ['url'],
    joining: { waitMs: 5000, maxNotices: 100, intoIncidents: false },
    open: (settings, surroundings) => {
      const { url } = v.parse(schema, settings);
      return {
        deliver: (notices, attemptId, signal) =>
          deliverOverHttp(
            surroundings,
            {
              url,
              headers: { 'content-type': 'application/json', 'idempotency-key': attemptId },
              body: bodyOf(notices),
            },
            signal,
          ),
      };
    },
  };
}
