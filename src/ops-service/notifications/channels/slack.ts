// The channel `slack`: an incoming webhook; what waits is joined into one message.
import * as v from 'valibot';
import { type ChannelKind, routingEntries } from '../channel.js';
import { deliverOverHttp } from '../http-delivery.js';
import type { Notice } from '../notice.js';
import { messageTitle, noticeFacts, noticeTitle } from '../notice-text.js';
import { urlSchema } from './url-schema.js';

const schema = v.strictObject({ type: v.literal('slack'), ...routingEntries, url: urlSchema });

/** Slack cuts texts there. */
const maxTextLength = 40_000;
/** Of more notices only the titles are told. */
const maxDetailed = 10;

/** Posts to an incoming webhook, whose URL is the secret. */
export const slackKind: ChannelKind = {
  type: 'slack',
  schema,
  secrets: [],
  secretUrls: ['url'],
  places: ['url'],
  joining: { waitMs: 5000, maxNotices: 100 },
  refreshMs: undefined,
  open: (settings, surroundings) => {
    const { url } = v.parse(schema, settings);
    return {
      deliver: (notices, attemptId, signal) =>
        deliverOverHttp(
          surroundings,
          {
            url,
            headers: { 'content-type': 'application/json', 'idempotency-key': attemptId },
            body: JSON.stringify({ text: textOf(notices), unfurl_links: false }),
          },
          signal,
        ),
    };
  },
};

function textOf(notices: readonly Notice[]): string {
  const parts = notices.map((notice) =>
    notices.length > maxDetailed ? `• ${escaped(noticeTitle(notice))}` : detailed(notice),
  );
  const head = notices.length > 1 ? [`*${escaped(messageTitle(notices))}*`] : [];
  return [...head, ...parts].join('\n').slice(0, maxTextLength);
}

function detailed(notice: Notice): string {
  const facts = noticeFacts(notice).map(([name, value]) => `>${escaped(name)}: ${escaped(value)}`);
  return [`*${escaped(noticeTitle(notice))}*`, ...facts].join('\n');
}

/** The three characters that mean something to Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
