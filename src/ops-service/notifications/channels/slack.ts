// The channel `slack`: an incoming webhook; joins waiting notices into one message.
import { shortened } from '../../../foundation/text/shorten-text.js';
import type { ChannelKind } from '../channel.js';
import type { Notice } from '../notice.js';
import { messageTitle, noticeFacts, noticeTitle } from '../notice-text.js';
import { incomingWebhookKind, maxDetailedNotices } from './incoming-webhook.js';

/** Slack truncates longer texts. */
const maxTextLength = 40_000;

/** Posts to an incoming webhook, whose URL is secret. */
export const slackKind: ChannelKind = incomingWebhookKind('slack', (notices) =>
  JSON.stringify({ text: textOf(notices), unfurl_links: false }),
);

function textOf(notices: readonly Notice[]): string {
  const parts = notices.map((notice) =>
    notices.length > maxDetailedNotices ? `• ${escaped(noticeTitle(notice))}` : detailed(notice),
  );
  const head = notices.length > 1 ? [`*${escaped(messageTitle(notices))}*`] : [];
  return shortened([...head, ...parts].join('\n'), maxTextLength);
}

function detailed(notice: Notice): string {
  const facts = noticeFacts(notice).map(([name, value]) => `>${escaped(name)}: ${escaped(value)}`);
  return [`*${escaped(noticeTitle(notice))}*`, ...facts].join('\n');
}

/** Escapes the three special characters of Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
