// Finds the state in an earlier generation that a copy refers to.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { type ArchivedState, type FileCopy, isReference } from '../format/file-copy.js';
import { type ArchivedDatabase, copyName } from '../format/names.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import { findPiece, missingPiece } from './find-pieces.js';
import { type FoundCopies, type FoundCopy, findCopies } from './list-contents.js';

/** Whether a state can be made of a copy and the pieces behind it, up to the last one of the state. */
export function leadsTo({ firstPiece, sequence }: FileCopy, last: number): boolean {
  return firstPiece - 1 <= last && sequence <= last;
}

/**
 * The copies of which a state can be made, the oldest first; at least one. `name`: of the object that names the state.
 * @throws ArchiveDamaged if the archive has none, StoreFailure
 */
export async function findStateCopies(
  store: ArchiveStore,
  name: string,
  database: ArchivedDatabase,
  { generation, sequence }: ArchivedState,
  signal?: AbortSignal,
): Promise<{ readonly copy: FoundCopy; readonly earlier: readonly FoundCopy[] }> {
  const { copies, damaged }: FoundCopies = await findCopies(store, generation, database, signal);
  const usable = copies.filter((each) => leadsTo(each, sequence));
  const copy = usable.at(-1);
  if (copy !== undefined) return { copy, earlier: usable.slice(0, -1) };
  throw (
    damaged[0]?.damage ??
    new ArchiveDamaged(
      name,
      `continues the generation ${generation}, which has no copy any more that is not later than its piece ${sequence}`,
    )
  );
}

/** The error for a reference to a state that is another one in the archive. */
export function notTheState(name: string, { generation, sequence }: ArchivedState): ArchiveDamaged {
  return new ArchiveDamaged(
    name,
    `continues the generation ${generation} behind its piece ${sequence}, and that is another one than there is`,
  );
}

/**
 * Expects that a state can be found that a reference names, and all those that it stands on. Pieces between are not
 * read. `name`: of the object that names the state. @throws ArchiveDamaged, StoreFailure
 */
export async function expectState(
  store: ArchiveStore,
  name: string,
  database: ArchivedDatabase,
  state: ArchivedState,
  signal?: AbortSignal,
): Promise<void> {
  let next: { readonly name: string; readonly state: ArchivedState } | undefined = { name, state };
  while (next !== undefined) {
    const copy: FoundCopy = await expectBase(store, next.name, database, next.state, signal);
    next = isReference(copy) ? { name: copyName(copy.folder), state: copy.state } : undefined;
  }
}

/** @throws ArchiveDamaged, StoreFailure */
async function expectBase(
  store: ArchiveStore,
  name: string,
  database: ArchivedDatabase,
  state: ArchivedState,
  signal: AbortSignal | undefined,
): Promise<FoundCopy> {
  const { generation, sequence } = state;
  const { copy } = await findStateCopies(store, name, database, state, signal);
  let sha256 = copy.previous;
  if (sequence >= copy.firstPiece) {
    const last = await findPiece(store, { generation, database }, sequence, signal);
    if (last === undefined) throw missingPiece({ generation, database }, sequence);
    ({ sha256 } = last);
  }
  if (sha256 !== state.sha256) throw notTheState(name, state);
  return copy;
}
