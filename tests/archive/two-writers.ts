// Whether two servers of one archive accepted writes at the same time, judged by what their clients noted.
import type { RecordedWriter } from './recorded-states.js';

/**
 * What is wrong, in words: every change that the old server acknowledged must have been acknowledged before the first
 * one of the new server. `stoppedMs` is when the process of the old server was stopped, if it was: a reply to a change
 * of before may be sent when it continues.
 */
export function findTwoWriters(
  old: readonly RecordedWriter[],
  next: readonly RecordedWriter[],
  stoppedMs?: number,
): readonly string[] {
  const firstMs = Math.min(...acknowledgedOf(next).map(({ acknowledgedMs }) => acknowledgedMs));
  const late = acknowledgedOf(old).filter(
    ({ acknowledgedMs, sentMs }) => acknowledgedMs > firstMs && sentMs > (stoppedMs ?? 0),
  );
  if (late.length === 0) return [];
  const mostMs = Math.max(...late.map(({ acknowledgedMs }) => acknowledgedMs - firstMs));
  return [
    `${late.length} changes were acknowledged by the old server behind the first one of the new server, ` +
      `the last one ${mostMs} ms later`,
  ];
}

function acknowledgedOf(writers: readonly RecordedWriter[]) {
  return writers.flatMap(({ changes }) =>
    changes.flatMap(({ sentMs, acknowledgedMs }) =>
      acknowledgedMs === undefined ? [] : [{ sentMs, acknowledgedMs }],
    ),
  );
}
