// The channel `slack`: an incoming webhook; joins waiting notices into one message.
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

/** Slack truncates longer texts. */
const maxTextLength = 40_000;

/** Posts to an incoming webhook, whose URL is secret. */
export const slackKind: ChannelKind = incomingWebhookKind('slack', (notices) =>
  JSON.stringify({ text: textOf(notices), unfurl_links: false }),
);

function textOf(notices: readonly Notice[]): string {
  const head = notices.length > 1 ? [`*${escaped(messageTitle(notices))}*`] : [];
  const detailed = [...head, ...notices.flatMap(detailedLines)].join('\n');
  if (notices.length <= maxDetailedNotices && detailed.length <= maxTextLength) return detailed;
  const titles = notices.map((notice) => `• ${escaped(noticeTitle(notice))}`);
  return fitted([...head, ...titles], rulesLines(notices), room).join('\n');
}

const room: Room<string> = {
  size: maxTextLength,
  sizeOf: (line) => line.length + 1,
  more: (count) => `… and ${count} more lines`,
};

function detailedLines(notice: Notice): readonly string[] {
  const facts = [...annotationFacts(notice), ...noticeFacts(notice)];
  return [`*${escaped(noticeTitle(notice))}*`, ...facts.flatMap(factLines)];
}

function rulesLines(notices: readonly Notice[]): readonly string[] {
  return annotationsByRule(notices).flatMap(({ rule, facts }) => [
    `*${escaped(rule)}*`,
    ...facts.flatMap(factLines),
  ]);
}

function factLines([name, value]: Fact): readonly string[] {
  return `${name}: ${value}`.split('\n').map((line) => `>${escaped(line)}`);
}

/** Escapes the three special characters of Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
