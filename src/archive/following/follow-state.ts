// What a data directory knows of the archive that it follows: `follow.json`, by which a later start continues.
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { LogPosition } from '../format/log-position.js';
import { Members } from '../format/members.js';
import { type ArchivedDatabase, generationPattern } from '../format/names.js';

/** The name of the file in the data directory. */
export const followStateName = 'follow.json';

/** The directory in the data directory that takes its place when it is complete. */
export const nextName = 'follow-next';

/** Whether a state is complete that is not in its place yet. */
export function hasNext({ dataDir }: { readonly dataDir: string }): boolean {
  return existsSync(join(dataDir, nextName, followStateName));
}

/** Where one database is in its chain. */
export interface ChainPlace {
  /** The number of the last piece that is applied; that before the first piece of the copy if there is none. */
  readonly sequence: number;
  /** The SHA-256 of that piece, or what the next one names as the one before it. */
  readonly sha256: string;
  /** Where that piece ends; undefined without one. */
  readonly to: LogPosition | undefined;
  readonly toMs: number;
  readonly pageBytes: number;
  /**
   * The database has every piece up to here, or none after `sequence`: it is not known which. All of them are applied
   * in one transaction then, which gives the same state in both cases.
   */
  readonly target: number;
}

/** What is known of the archive. */
export interface FollowState {
  /** The id of the archive. */
  readonly archive: string;
  readonly generation: string;
  /** `promoted`: the server has become the first one, and applies nothing any more. */
  readonly role: 'follows' | 'promoted';
  readonly places: Readonly<Record<ArchivedDatabase, ChainPlace>>;
}

/** Undefined if there is none. @throws ArchiveDamaged, errors of the file system */
export function readFollowState(dataDir: string): FollowState | undefined {
  const path = join(dataDir, followStateName);
  try {
    return decode(path, JSON.parse(readRegularFile(path).toString()));
  } catch (error) {
    if (error instanceof SyntaxError) throw new ArchiveDamaged(path, 'is damaged: it is not JSON');
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EACCES' && !isSearchable(dataDir)) return undefined;
    throw error;
  }
}

/** To lock a directory that this user may not search fails, and the message says for whom it must be writable. */
function isSearchable(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function decode(path: string, value: unknown): FollowState {
  const members = new Members(path, value);
  const format = members.integer('format');
  if (format !== stateFormat)
    throw new ArchiveDamaged(path, `has the format ${format}, and this release knows ${stateFormat}`);
  const places = members.members('places');
  return {
    archive: members.text('archive'),
    generation: members.text('generation', generationPattern),
    role: members.word('role', ['follows', 'promoted'] as const),
    places: { data: placeOf(places.members('data')), ops: placeOf(places.members('ops')) },
  };
}

function placeOf(members: Members): ChainPlace {
  return {
    sequence: members.integer('sequence'),
    sha256: members.sha256('sha256'),
    to: members.has('to') ? members.position('to') : undefined,
    toMs: members.integer('toMs'),
    pageBytes: members.integer('pageBytes'),
    target: members.integer('target'),
  };
}

/** Replaces the state, durably. @throws FileNotWritten */
export function writeFollowState(dataDir: string, state: FollowState): void {
  const text = JSON.stringify({ format: stateFormat, ...state }, undefined, 2);
  replaceFile(join(dataDir, followStateName), Buffer.from(`${text}\n`));
}

const stateFormat = 1;
