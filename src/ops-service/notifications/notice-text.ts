// Notices as text, for mail and chats.
import { type Notice, oneLine } from './notice.js';

/** One line for a notice: `[WARN] firing: os-disk-usage above 85 on 10.0.0.1 (local)`. */
export function noticeTitle({ event, clusterId, status }: Notice): string {
  return oneLine(`[${event.level_str}] ${status}: ${event.message} (${clusterId})`, 200);
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

/** The facts of a notice, by name; every value is one line. */
export function noticeFacts({
  id,
  clusterId,
  event,
  alert,
  rule,
  reason,
}: Notice): readonly (readonly [name: string, value: string])[] {
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
    ['Rule', rule?.id],
    ...Object.entries(rule?.annotations ?? {}),
    ['Notice', id],
  ];
  return rows.flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, oneLine(value, 1000)] as const],
  );
}
