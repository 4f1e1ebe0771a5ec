// Reads the pages of a copy and of the pieces after it, and checks that none is missing, changed or of another chain.
import type { FoundCopy } from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { decodePart, expectPartFollows, type Part } from '../format/file-copy.js';
import { partName, pieceName } from '../format/names.js';
import { decodePiece, expectFollows, type Piece } from '../format/piece.js';
import type { ArchiveStore } from '../stores/archive-store.js';
import type { DatabasePoint } from './find-moment.js';
import { readObjects } from './read-objects.js';

/** The parts of a copy in order. @throws ArchiveDamaged, StoreFailure */
export async function* readParts(
  store: ArchiveStore,
  copy: FoundCopy,
  signal?: AbortSignal,
): AsyncGenerator<Part, void, undefined> {
  const names = Array.from({ length: copy.parts }, (_, at) => partName(copy.folder, at + 1));
  let before: Part | undefined;
  for await (const { name, bytes } of readObjects(store, names, signal)) {
    const part = decodePart(name, bytes);
    expectPartFollows(name, copy, before, part);
    yield part;
    before = part;
  }
}

/** The pieces that are applied to a copy, in order; none for a copy that is the state itself. */
export async function* readPieces(
  store: ArchiveStore,
  point: DatabasePoint,
  signal?: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  const { copy } = point;
  let before: Piece | undefined;
  for await (const { name, bytes } of readObjects(store, namesOfPieces(point), signal)) {
    const piece = decodePiece(name, bytes);
    if (before !== undefined) expectFollows(name, before, piece);
    else expectFirst(name, copy, piece);
    if (piece.sequence === copy.sequence && piece.sha256 !== copy.last)
      throw new ArchiveDamaged(name, `is not the piece ${piece.sequence} that the copy ${copy.folder} names`);
    yield piece;
    before = piece;
  }
}

function* namesOfPieces({ generation, database, copy, sequence }: DatabasePoint): Generator<string> {
  for (let piece = copy.firstPiece; piece <= sequence; piece += 1)
    yield pieceName(generation, database, piece);
}

function expectFirst(name: string, copy: FoundCopy, piece: Piece): void {
  if (piece.database !== copy.database || piece.generation !== copy.generation)
    throw new ArchiveDamaged(name, 'is damaged: it belongs to another chain');
  if (piece.previous !== copy.previous || piece.pageBytes !== copy.pageBytes)
    throw new ArchiveDamaged(name, `does not follow the copy ${copy.folder}`);
}
