// Decides before a database is opened whether its chain can continue where an earlier process ended it.
import { statSync } from 'node:fs';
import { isEqualPair } from '../../foundation/sqlite/log-format.js';
import { readRoundEnd } from '../../foundation/sqlite/round-end.js';
import type { ChainEnd } from './archive-state.js';
import { closeSource, hasPosition, openLog } from './read-log.js';

/** How a chain continues: in the log, behind the rest of an earlier round, or not at all, for a reason. */
export type Continuation =
  | { readonly kind: 'log' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'gap'; readonly reason: string };

/** The database at `path` has not been opened by this process. */
export function findContinuation(path: string, end: ChainEnd): Continuation {
  const log = openLog(path);
  try {
    if (log === undefined) return withoutLog(path, end);
    if (hasPosition(log, end.position)) return { kind: 'log' };
    if (isEqualPair(log.salts, end.position.salts))
      return { kind: 'gap', reason: 'the log lacks what was shipped: the machine lost power' };
    const rest = readRoundEnd(path);
    // SQLite counts the rounds in the first salt.
    const isNext = rest !== undefined && log.salts[0] === (rest.salts[0] + 1) >>> 0;
    return isNext && isWithin(rest, end)
      ? { kind: 'rest' }
      : { kind: 'gap', reason: 'the log continued without being shipped' };
  } finally {
    if (log !== undefined) closeSource(log);
  }
}

function isWithin(rest: NonNullable<ReturnType<typeof readRoundEnd>>, { position }: ChainEnd): boolean {
  const { salts, frames } = position;
  return isEqualPair(rest.salts, salts) && frames >= rest.from && frames <= rest.to;
}

/** All of the log was in the database file: it must be the one that was shipped. */
function withoutLog(path: string, { file, sequence }: ChainEnd): Continuation {
  const found = fileMark(path);
  const isNew = found === undefined && file === undefined && sequence === 0;
  return isNew || (file !== undefined && found?.bytes === file.bytes && found.changed === file.changed)
    ? { kind: 'log' }
    : { kind: 'gap', reason: 'the database has changed since it was shipped, or the end was not recorded' };
}

/** The size of a database file and the time of its last change; undefined if there is none. */
export function fileMark(path: string): ChainEnd['file'] {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : { bytes: Number(found.size), changed: String(found.mtimeNs) };
}
