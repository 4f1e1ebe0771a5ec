// The channel `teams`: a webhook of Microsoft Teams for adaptive cards; joins waiting notices into one card.
import type { ChannelKind } from '../channel.js';
import type { Notice } from '../notice.js';
import { messageTitle, noticeFacts, noticeTitle } from '../notice-text.js';
import { incomingWebhookKind, maxDetailedNotices } from './incoming-webhook.js';

/** Teams refuses messages of more than 28 KB. */
const maxBodyBytes = 27_000;

/** Posts to the webhook of a workflow, whose URL is secret. */
export const teamsKind: ChannelKind = incomingWebhookKind('teams', bodyOf);

/** The largest message that Teams accepts: complete, or only titles, or fewer titles. */
function bodyOf(notices: readonly Notice[]): string {
  const detailed = notices.length <= maxDetailedNotices ? [notices.flatMap(detailedBlocks)] : [];
  for (const blocks of detailed) {
    const body = cardOf(notices, blocks);
    if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  }
  const titles = notices.map((notice) => textBlock(noticeTitle(notice)));
  for (let count = titles.length; ; count -= 1) {
    const more = count < titles.length ? [textBlock(`… and ${titles.length - count} more`)] : [];
    const body = cardOf(notices, [...titles.slice(0, count), ...more]);
    if (Buffer.byteLength(body) <= maxBodyBytes || count === 0) return body;
  }
}

function cardOf(notices: readonly Notice[], blocks: readonly object[]): string {
  return JSON.stringify({
    type: 'message',
    summary: messageTitle(notices),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: blocks,
        },
      },
    ],
  });
}

function detailedBlocks(notice: Notice): readonly object[] {
  const facts = noticeFacts(notice).map(([name, value]) => `${name}: ${value}`);
  return [textBlock(noticeTitle(notice), true), ...facts.map((fact) => textBlock(fact))];
}

/** A text run shows its text unchanged, but a TextBlock would interpret names as Markdown. */
function textBlock(text: string, isTitle = false): object {
  const style = isTitle ? { weight: 'Bolder' } : {};
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}
