// The channel `teams`: a webhook of Microsoft Teams for adaptive cards; joins waiting notices into one card.
import type { ChannelKind } from '../channel.js';
import type { Notice } from '../notice.js';
import {
  annotationFacts,
  annotationsByRule,
  type Fact,
  fitted,
  messageTitle,
  noticeFacts,
  noticeTitle,
  type Room,
} from '../notice-text.js';
import { incomingWebhookKind, maxDetailedNotices } from './incoming-webhook.js';

/** Teams refuses messages of more than 28 KB. */
const maxBodyBytes = 27_000;

/** Posts to the webhook of a workflow, whose URL is secret. */
export const teamsKind: ChannelKind = incomingWebhookKind('teams', bodyOf);

/** The largest message that Teams accepts: complete, or titles and the annotations of rules, or fewer of these. */
function bodyOf(notices: readonly Notice[]): string {
  if (notices.length <= maxDetailedNotices) {
    const body = cardOf(notices, notices.flatMap(detailedBlocks));
    if (Buffer.byteLength(body) <= maxBodyBytes) return body;
  }
  const empty = Buffer.byteLength(cardOf(notices, []));
  const titles = notices.map((notice) => textBlock(noticeTitle(notice)));
  return cardOf(notices, fitted(titles, rulesBlocks(notices), { ...room, size: maxBodyBytes - empty }));
}

const room: Omit<Room<object>, 'size'> = {
  sizeOf: (block) => Buffer.byteLength(JSON.stringify(block)) + 1,
  more: (count) => textBlock(`… and ${count} more lines`),
};

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
  const facts = [...annotationFacts(notice), ...noticeFacts(notice)];
  return [textBlock(noticeTitle(notice), true), ...facts.flatMap(factBlocks)];
}

function rulesBlocks(notices: readonly Notice[]): readonly object[] {
  return annotationsByRule(notices).flatMap(({ rule, facts }) => [
    textBlock(rule, true),
    ...facts.flatMap(factBlocks),
  ]);
}

/** One block for each line. */
function factBlocks([name, value]: Fact): readonly object[] {
  return `${name}: ${value}`.split('\n').map((line) => textBlock(line));
}

/** A text run shows its text unchanged, but a TextBlock would interpret names as Markdown. */
function textBlock(text: string, isTitle = false): object {
  const style = isTitle ? { weight: 'Bolder' } : {};
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}
