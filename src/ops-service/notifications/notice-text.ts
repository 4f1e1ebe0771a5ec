// Notices as text, for mail and chats.
import { withoutBeginning } from '../alerts/alert.js';
import { annotationsOf, type Notice, oneLine, ruleNameOf } from './notice.js';

/** One line for a notice: `[WARN] firing: os-disk-usage of / on 10.0.0.1: value 93.2 above 85 (local)`. */
export function noticeTitle(notice: Notice): string {
  const { event, clusterId, status } = notice;
  return oneLine(`[${event.level_str}] ${status}: ${noticeMessage(notice)} (${clusterId})`, 200);
}

/** The message of the event without the words that the status of the notice says already. */
export function noticeMessage({ event, status }: Notice): string {
  switch (status) {
    case 'firing':
      return withoutBeginning(event.message, 'fired');
    case 'resolved':
      return withoutBeginning(event.message, 'cleared');
    case 'event':
      return event.message;
  }
}

/** One line for a message: the title of its only notice, or the number of notices. */
export function messageTitle(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return 'nothing';
  if (notices.length === 1) return noticeTitle(first);
  const counts = (['firing', 'resolved', 'event'] as const).flatMap((status) => {
    const count = notices.filter((notice) => notice.status === status).length;
    return count === 0 ? [] : [`${count} ${status === 'event' && count > 1 ? 'events' : status}`];
  });
  const worst = notices.reduce((left, right) => (right.event.level > left.event.level ? right : left), first);
  const clusters = [...new Set(notices.map(({ clusterId }) => clusterId))];
  return oneLine(`[${worst.event.level_str}] ${counts.join(', ')} (${clusters.join(', ')})`, 200);
}

/** A name and a value of a notice. */
export type Fact = readonly [name: string, value: string];

/** The facts of a notice; every value is one line. */
export function noticeFacts(notice: Notice): readonly Fact[] {
  const { id, clusterId, event, alert, rule, reason, url } = notice;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ['Cluster', clusterId],
    ['Node', alert?.node ?? event.source_node],
    ['Data center', alert?.dc],
    ['Table', alert?.table],
    ['Device', alert?.device],
    ['Value', alert === null ? undefined : String(alert.current_value)],
    ['Since', alert === null ? undefined : new Date(alert.first_fired * 1000).toISOString()],
    ['Time', new Date(Number(event.time) / 1000).toISOString()],
    ['Reason', reason],
    ['Rule', ruleNameOf(notice)],
    ['Rule id', rule?.id],
    ['Notice', id],
    ['Console', url],
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, oneLine(value, 1000)] as const],
  );
}

/** The annotations of a notice, complete: names are one line, values keep their lines. */
export function annotationFacts(notice: Pick<Notice, 'rule'>): readonly Fact[] {
  return Object.entries(annotationsOf(notice)).map(([name, value]) => [
    oneLine(name, name.length),
    linesOf(value).join('\n'),
  ]);
}

/** The lines of a text, without control characters. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => oneLine(line, line.length));
}

/** The annotations of each rule of some notices, once for each rule, below its name: for messages without details. */
export function annotationsByRule(
  notices: readonly Notice[],
): readonly { readonly rule: string; readonly facts: readonly Fact[] }[] {
  const rules = new Map(notices.flatMap(({ rule }) => (rule === null ? [] : [[rule.id, rule] as const])));
  return [...rules.values()].flatMap((rule) => {
    const facts = annotationFacts({ rule });
    return facts.length === 0 ? [] : [{ rule: oneLine(ruleNameOf({ rule }) ?? '', 200), facts }];
  });
}

/** How much room parts of a message take. */
export interface Room<Part> {
  /** The size of all parts together. */
  readonly size: number;
  sizeOf(part: Part): number;
  /** The part that stands for a number of parts for which there is no room. */
  more(count: number): Part;
}

/**
 * The parts of a message with limited room: titles, then details. If not all fit, the details take at most the larger
 * of half of the room and what the titles leave.
 */
export function fitted<Part>(
  titles: readonly Part[],
  details: readonly Part[],
  room: Room<Part>,
): readonly Part[] {
  const sum = (parts: readonly Part[]) => parts.reduce((size, part) => size + room.sizeOf(part), 0);
  const shownDetails = fitting(details, { ...room, size: Math.max(room.size / 2, room.size - sum(titles)) });
  const shownTitles = fitting(titles, { ...room, size: room.size - sum(shownDetails) });
  return [...shownTitles, ...shownDetails];
}

/** The first parts, as many as fit, and the number of the others. */
function fitting<Part>(parts: readonly Part[], { size, sizeOf, more }: Room<Part>): readonly Part[] {
  const sizes = parts.map(sizeOf);
  if (sizes.reduce((sum, one) => sum + one, 0) <= size) return parts;
  let left = size - sizeOf(more(parts.length));
  let count = 0;
  for (const one of sizes) {
    left -= one;
    if (left < 0) break;
    count += 1;
  }
  return [...parts.slice(0, count), more(parts.length - count)];
}
