// Finds where the frames are that follow the end of a chain, or why there is a gap.
import { statSync } from 'node:fs';
import { isEqualPair } from '../../foundation/sqlite/log-format.js';
import { type RoundEnd, readRoundEnd } from '../../foundation/sqlite/round-end.js';
import type { LogPosition } from '../format/log-position.js';
import type { ChainEnd } from './archive-state.js';
import { closeSource, type FrameSource, hasPosition, isPresent, openLog } from './read-log.js';

/**
 * The next frames are in the present round of the log; or in the file with the rest of an earlier round, and then in
 * the log; or there are none (`none`), because all of the log is in the database file; or the chain cannot continue,
 * for a reason.
 */
export type NextPlace =
  | { readonly kind: 'log' | 'rest' | 'none' }
  | { readonly kind: 'gap'; readonly reason: string };

/** What there is beside a database. */
export interface LogFiles {
  /** The path of the database. */
  readonly path: string;
  /** The present round; undefined if the log is empty. */
  readonly present: FrameSource | undefined;
  readonly rest: RoundEnd | undefined;
  /** Whether this server has used the log since the end of the chain was known. Otherwise others may have. */
  readonly isOwn: boolean;
}

/** Where frames follow the end of a chain that has a place in a log. */
export function findPlace(end: ChainEnd, { path, present, rest, isOwn }: LogFiles): NextPlace {
  const { position, until } = end;
  if (present !== undefined && isEqualPair(present.salts, position.salts))
    return hasPosition(present, position) && (until === undefined || hasPosition(present, until))
      ? { kind: 'log' }
      : gap('the log lacks what was shipped: the machine lost power');
  const isKnownFile = () => {
    const found = fileMark(path);
    return end.file !== undefined && found?.bytes === end.file.bytes && found.changed === end.file.changed;
  };
  if (rest !== undefined && isRestNeeded(position, rest)) {
    const isOfRound = isEqualPair(rest.salts, position.salts);
    if (isOfRound && (position.frames < rest.from || (until !== undefined && rest.to < until.frames)))
      return gap('frames of the log are missing');
    const isSame = present !== undefined && isEqualPair(present.salts, rest.salts);
    const isNext = present === undefined ? isOwn : isSame || isNextRound(present, rest);
    return isNext || isKnownFile() ? { kind: 'rest' } : gap('the log continued without being shipped');
  }
  const isWhole =
    rest !== undefined && isEqualPair(rest.salts, position.salts) && rest.to === position.frames;
  const isNext = isWhole && (present === undefined ? isOwn : isNextRound(present, rest));
  // A log that was removed begins with any salts: then the file must be the one that was noted.
  if (!isNext && !isKnownFile())
    return gap(
      present === undefined
        ? 'the database has changed since it was shipped, or the end was not recorded'
        : 'the log continued without being shipped',
    );
  return { kind: present === undefined ? 'none' : 'log' };
}

/**
 * Whether the log of a database, or the noted end of a round, reaches a place. The piece of a server on a copy of the
 * data directory follows the chain as well, but not this database.
 */
export function hasLogged(path: string, to: LogPosition): boolean {
  const present = openLog(path);
  try {
    if (present !== undefined && isEqualPair(present.salts, to.salts)) {
      if (hasPosition(present, to)) return true;
      if (isPresent(path, present)) return false;
    }
  } finally {
    if (present !== undefined) closeSource(present);
  }
  const rest = readRoundEnd(path);
  return rest !== undefined && isEqualPair(rest.salts, to.salts) && to.frames <= rest.to;
}

/** Whether the file with the rest of a round has frames that follow a place. */
export function isRestNeeded(position: LogPosition, rest: RoundEnd): boolean {
  if (isEqualPair(rest.salts, position.salts)) return position.frames < rest.to;
  const { before } = rest;
  return (
    before !== undefined && isEqualPair(before.salts, position.salts) && before.frames === position.frames
  );
}

/** SQLite counts the rounds in the first salt. */
function isNextRound(present: FrameSource, rest: RoundEnd): boolean {
  return present.salts[0] === (rest.salts[0] + 1) >>> 0;
}

/** Decides whether the chain of an earlier process continues. No connection of this process may write the database. */
export function findContinuation(path: string, end: ChainEnd): NextPlace {
  const present = openLog(path);
  try {
    if (present === undefined && end.sequence === 0 && fileMark(path) === undefined && end.file === undefined)
      return { kind: 'none' }; // there is no database yet
    const rest = readRoundEnd(path);
    // The end names no round that it could follow, and after a power failure the file can have its old time.
    if (end.continuesState === true && rest !== undefined)
      return gap('a round of the log ended before its first piece was shipped');
    return findPlace(end, { path, present, rest, isOwn: false });
  } finally {
    if (present !== undefined) closeSource(present);
  }
}

function gap(reason: string): NextPlace {
  return { kind: 'gap', reason };
}

/** The size of a database file and the time of its last change; undefined if there is none. */
export function fileMark(path: string): ChainEnd['file'] {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : { bytes: Number(found.size), changed: String(found.mtimeNs) };
}
