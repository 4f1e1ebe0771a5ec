// Finds what of an archive the state of a moment is made from.
import { findWholePiece, firstPieceFrom, missingPiece } from '../contents/find-pieces.js';
import {
  type FoundCopies,
  type FoundCopy,
  type FoundGeneration,
  findCopies,
  listGenerations,
  NotInArchive,
  readArchive,
  readGeneration,
} from '../contents/list-contents.js';
import type { ArchiveDescription } from '../format/generation.js';
import { type ArchivedDatabase, archivedDatabases, filesFolder, parseFilesName } from '../format/names.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';

/** How one database is restored. */
export interface DatabasePoint {
  readonly generation: string;
  readonly database: ArchivedDatabase;
  readonly copy: FoundCopy;
  /** The copies before it, the oldest first: with the pieces behind it, one takes the place of a damaged copy. */
  readonly earlier: readonly FoundCopy[];
  /** What is wrong with copies between `copy` and the moment, in words. */
  readonly damaged: readonly string[];
  /** The last piece to apply, at least `copy.sequence`; `copy.firstPiece - 1` for none. */
  readonly sequence: number;
  /** Whether the archive has no later state of the database in this generation. */
  readonly isLast: boolean;
}

/** How the state of a moment is restored. */
export interface RestorePoint {
  readonly archive: ArchiveDescription;
  readonly generation: FoundGeneration;
  /** The operations data may be missing: the archive got them later than the rows. */
  readonly databases: readonly DatabasePoint[];
  /** The object with the small files; undefined if the archive has none. */
  readonly files: string | undefined;
  /** Whether the archive has no later state that can be restored. */
  readonly isNewest: boolean;
  /** Later generations that have no complete copy yet, so that nothing of them can be restored. */
  readonly withoutCopy: readonly string[];
}

/**
 * Finds how the state of a moment is restored: the last one at or before `atMs`, in ms since 1970.
 * @throws NotInArchive if the archive has no state of then, ArchiveDamaged, StoreFailure
 */
export async function findMoment(
  store: ArchiveStore,
  atMs = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): Promise<RestorePoint> {
  const archive = await readArchive(store, signal);
  const ids = [...(await listGenerations(store, signal)).generations].reverse();
  const withoutCopy: string[] = [];
  let first: FoundCopy | undefined;
  let isNewest = true;
  for (const id of ids) {
    const found = await findCopies(store, id, 'data', signal);
    const { copies } = found;
    const hasNone = copies.length === 0 && found.damaged.length === 0;
    if (hasNone) withoutCopy.push(id);
    first = copies[0] ?? first;
    if (copiesUntil(found, atMs).length === 0) {
      isNewest = isNewest && hasNone;
      continue;
    }
    const points: DatabasePoint[] = [];
    for (const database of archivedDatabases) {
      const point = await findPoint(store, id, database, atMs, signal);
      if (point !== undefined) points.push(point);
    }
    const generation = await readGeneration(store, id, signal);
    const files = await findFiles(store, id, atMs, signal);
    isNewest = isNewest && points.every(({ isLast }) => isLast);
    return { archive, generation, databases: points, files, isNewest, withoutCopy };
  }
  throw nothingToRestore(store, atMs, first);
}

function nothingToRestore({ title }: ArchiveStore, atMs: number, first: FoundCopy | undefined): NotInArchive {
  if (first === undefined)
    return new NotInArchive(
      `${title} has nothing to restore: no generation of it has a complete copy yet. A server writes one when it ` +
        'starts with this archive',
    );
  return new NotInArchive(
    `${title} has no state of ${new Date(atMs).toISOString()}: the first moment that it has is ` +
      new Date(first.atMs).toISOString(),
  );
}

/** The copies at or before a moment. @throws ArchiveDamaged if there is none, and damaged ones may have been */
function copiesUntil({ copies, damaged }: FoundCopies, atMs: number): readonly FoundCopy[] {
  const until = copies.filter((copy) => copy.atMs <= atMs);
  // What a copy has that began later cannot be of an earlier moment.
  const missed = until.length > 0 ? undefined : damaged.find(({ beganMs }) => beganMs <= atMs);
  if (missed !== undefined) throw missed.damage;
  return until;
}

/** Undefined if the database has no copy of before. */
async function findPoint(
  store: ArchiveStore,
  generation: string,
  database: ArchivedDatabase,
  atMs: number,
  signal: AbortSignal | undefined,
): Promise<DatabasePoint | undefined> {
  const found = await findCopies(store, generation, database, signal);
  const until = copiesUntil(found, atMs);
  const copy = until.at(-1);
  if (copy === undefined) return undefined;
  const sought = { from: copy.firstPiece, atMs, copies: found.copies };
  const last = await findWholePiece(store, { generation, database }, sought, signal);
  const sequence = last?.sequence ?? copy.firstPiece - 1;
  if (sequence < copy.sequence) throw missingPiece({ generation, database }, sequence + 1);
  const next = await firstPieceFrom(store, { generation, database }, sequence + 1, signal);
  const damaged = found.damaged
    .filter(({ beganMs }) => beganMs > copy.beganMs && beganMs <= atMs)
    .map(({ damage }) => damage.message);
  const earlier = until.slice(0, -1);
  return { generation, database, copy, earlier, damaged, sequence, isLast: next === undefined };
}

/** The small files as they were then, or the first that there are. */
async function findFiles(
  store: ArchiveStore,
  generation: string,
  atMs: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  let found: string | undefined;
  for await (const name of listAll(store, filesFolder(generation), undefined, signal)) {
    const toMs = parseFilesName(name);
    if (toMs === undefined) continue;
    if (found !== undefined && toMs > atMs) break;
    found = name;
  }
  return found;
}
