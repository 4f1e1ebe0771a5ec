// What a data directory knows of its archive: `archive-state.json`, by which a later start continues the chain.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { LogPosition } from '../format/log-position.js';
import { Members } from '../format/members.js';
import { type ArchivedDatabase, generationPattern } from '../format/names.js';

/** The end of the chain of one database. */
export interface ChainEnd {
  /** The number of the last piece; 0 if there is none. */
  readonly sequence: number;
  /** The SHA-256 of the last piece, or of the description of the generation. */
  readonly sha256: string;
  readonly toMs: number;
  /** Every commit that was acknowledged before is in the chain, in ms since 1970. */
  readonly completeMs: number;
  readonly position: LogPosition;
  /** Whether the last piece ends with a commit. */
  readonly isWhole: boolean;
  /** See `PieceHead.until`, of the last piece. The chain continues only if the log has everything up to this place. */
  readonly until?: LogPosition | undefined;
  readonly pageBytes: number;
  /** The size of the database after the last whole piece; 0 if there is none. */
  readonly databasePages: number;
  /** The piece with the first frame of the round of the log in which the chain ends. */
  readonly roundPiece: number;
  /** What that piece names as the one before it. */
  readonly roundPrevious: string;
  /** Set when the log was empty and all of it was shipped: the size of the database file and its time in ns. */
  readonly file?: { readonly bytes: number; readonly changed: string } | undefined;
  /** Set until the first piece of a generation that continues the state of an earlier one. */
  readonly continuesState?: true | undefined;
  /** Since when commits wait behind it that an outage keeps from the archive; in ms since 1970. */
  readonly waitingSinceMs?: number | undefined;
}

/** The archive that a data directory was shipped to last. */
export interface KnownArchive {
  /** Its id. */
  readonly archive: string;
  /** Its address: the directory, or `s3://bucket/prefix`. */
  readonly title: string;
  /** If the chains were given up: since when there are changes that it does not have; in ms since 1970. */
  readonly lackingSinceMs?: number | undefined;
}

/** What is known of the chains of a data directory. */
export interface ArchiveState extends KnownArchive {
  readonly generation: string;
  /** The SHA-256 of the description of the generation. */
  readonly generationSha256: string;
  readonly ends: Readonly<Record<ArchivedDatabase, ChainEnd>>;
}

/** The archive, with the chains if they were not given up; undefined if there is no state that can be used. */
export function readArchiveState(dataDir: string): KnownArchive | ArchiveState | undefined {
  const path = statePath(dataDir);
  try {
    const members = new Members(path, JSON.parse(readRegularFile(path).toString()));
    if (members.integer('format') !== stateFormat) return undefined;
    const known = { archive: members.text('archive'), title: members.text('title') };
    if (!members.has('ends'))
      return members.has('lackingSinceMs')
        ? { ...known, lackingSinceMs: members.integer('lackingSinceMs') }
        : known;
    const ends = members.members('ends');
    return {
      ...known,
      generation: members.text('generation', generationPattern),
      generationSha256: members.sha256('generationSha256'),
      ends: { data: readEnd(ends.members('data')), ops: readEnd(ends.members('ops')) },
    };
  } catch (error) {
    // A state that is missing or damaged is not needed: a new generation begins.
    if (error instanceof ArchiveDamaged || error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

/** Since when an archive lacks changes of its data directory, as far as the directory knows; in ms since 1970. */
export function lackingSinceOf(known: KnownArchive | ArchiveState): number | undefined {
  if (!('ends' in known)) return known.lackingSinceMs;
  return earliest(Object.values(known.ends).map(({ waitingSinceMs }) => waitingSinceMs));
}

/** The earliest of some times; undefined without one. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function readEnd(members: Members): ChainEnd {
  return {
    sequence: members.integer('sequence'),
    sha256: members.sha256('sha256'),
    toMs: members.integer('toMs'),
    completeMs: members.integer('completeMs'),
    position: members.position('position'),
    isWhole: members.boolean('isWhole'),
    ...(members.has('until') ? { until: members.position('until') } : {}),
    pageBytes: members.integer('pageBytes'),
    databasePages: members.integer('databasePages'),
    roundPiece: members.integer('roundPiece'),
    roundPrevious: members.sha256('roundPrevious'),
    ...(members.has('file') ? { file: readFile(members.members('file')) } : {}),
    ...(members.has('continuesState') && members.boolean('continuesState') ? { continuesState: true } : {}),
    ...(members.has('waitingSinceMs') ? { waitingSinceMs: members.integer('waitingSinceMs') } : {}),
  };
}

/** Reads what `fileMark` returned. @throws ArchiveDamaged */
export function readFile(members: Members): NonNullable<ChainEnd['file']> {
  return { bytes: members.integer('bytes'), changed: members.text('changed') };
}

/**
 * Replaces the state. It need not be on the disk: after a power failure an older state is found, and what the log or
 * the archive has after it decides whether the chain continues. @throws errors of the file system
 */
export function writeArchiveState(dataDir: string, state: KnownArchive | ArchiveState): void {
  const path = statePath(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify({ format: stateFormat, ...state }, undefined, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(`${path}.new`, path);
}

/**
 * Gives the chains up: the next start with an archive begins a new generation. `lackingSinceMs`: see `KnownArchive`.
 * @throws errors of the file system
 */
export function forgetChains(dataDir: string, lackingSinceMs?: number): void {
  const state = readArchiveState(dataDir);
  if (state === undefined) rmSync(statePath(dataDir), { force: true });
  else writeArchiveState(dataDir, { archive: state.archive, title: state.title, lackingSinceMs });
}

/** The path of the state in a data directory. */
export function statePath(dataDir: string): string {
  return join(dataDir, 'archive-state.json');
}

/** The version of the state. */
export const stateFormat = 2;
