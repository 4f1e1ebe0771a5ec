// Detects, before a database is opened, that SQLite would start without data that existed, and would not report it.
import { readdirSync, statSync } from 'node:fs';
import { findLogDamage } from './find-log-damage.js';

/** A database file, and the files that exist only if it was used. */
export interface UsedFile {
  readonly path: string;
  /** Files and directories next to it; empty ones do not count. */
  readonly companions: readonly string[];
}

/** A message about the lost data and what to restore; undefined if nothing is lost. The database must not be open. */
export function findLostData({ path, companions }: UsedFile): string | undefined {
  const log = `${path}-wal`;
  if (!hasContent(path)) {
    const companion = [log, ...companions].find(hasContent);
    if (companion === undefined) return undefined;
    const state = statSync(path, { throwIfNoEntry: false }) === undefined ? 'missing' : 'empty';
    const problem = `${path} is ${state}, but ${companion} exists`;
    return `${problem}: a new, empty file would replace the lost data. Restore ${path}`;
  }
  const damage = findLogDamage(log);
  if (damage === undefined) return undefined;
  const { frame, offset, laterFrames, laterCommits } = damage;
  const place = frame === 0 ? 'in its header' : `at frame ${frame}, byte ${offset}`;
  return (
    `${log} is damaged ${place}: the commits from there on are lost, with ${laterFrames} intact frames of ` +
    `${laterCommits} transactions after the damage. Restore ${path} and ${log} from a copy`
  );
}

function hasContent(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return found.isDirectory() ? readdirSync(path).length > 0 : found.size > 0;
}
