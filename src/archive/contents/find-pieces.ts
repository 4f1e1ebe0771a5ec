// Finds single pieces of a chain, without a list of all: a busy week has a million.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import {
  type ArchivedDatabase,
  beforePiece,
  parsePieceName,
  pieceName,
  piecesFolder,
} from '../format/names.js';
import { decodePiece, type Piece } from '../format/piece.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';

/** The pieces of a database in a generation. */
export interface Chain {
  readonly generation: string;
  readonly database: ArchivedDatabase;
}

/** Reads a piece by its number; undefined if there is none. @throws ArchiveDamaged, StoreFailure */
export async function findPiece(
  store: ArchiveStore,
  { generation, database }: Chain,
  sequence: number,
  signal?: AbortSignal,
): Promise<Piece | undefined> {
  const name = pieceName(generation, database, sequence);
  const found = await store.read(name, signal);
  return found && decodePiece(name, found);
}

/** The error for a piece that must be there. */
export function missingPiece({ generation, database }: Chain, sequence: number): ArchiveDamaged {
  return new ArchiveDamaged(pieceName(generation, database, sequence), 'is missing');
}

/**
 * The last piece from a number on that holds, if those that hold come before the others; undefined if none does. It
 * reads some 30 pieces, because the numbers have no gaps: with steps that double, then with halves.
 * @throws ArchiveDamaged, also if there are pieces after a gap, StoreFailure
 */
export async function findLastPiece(
  store: ArchiveStore,
  chain: Chain,
  from: number,
  holds: (piece: Piece) => boolean,
  signal?: AbortSignal,
): Promise<Piece | undefined> {
  const find = async (sequence: number) => {
    const piece = await findPiece(store, chain, sequence, signal);
    return piece !== undefined && holds(piece) ? piece : undefined;
  };
  let last: Piece | undefined;
  let tooLate = from; // no piece from here on holds
  let step = 1;
  for (let next = await find(from); next !== undefined; next = await find(tooLate)) {
    last = next;
    tooLate = next.sequence + step;
    step *= 2;
  }
  while (last !== undefined && last.sequence + 1 < tooLate) {
    const middle = Math.floor((last.sequence + tooLate) / 2);
    const next: Piece | undefined = await find(middle);
    if (next === undefined) tooLate = middle;
    else last = next;
  }
  await expectNoGap(store, chain, last === undefined ? from : last.sequence + 1, signal);
  return last;
}

/** @throws ArchiveDamaged if a piece is missing and there are later ones */
export async function expectNoGap(
  store: ArchiveStore,
  chain: Chain,
  sequence: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { generation, database } = chain;
  const after = beforePiece(generation, database, sequence);
  for await (const name of listAll(store, piecesFolder(generation, database), after, signal)) {
    const found = parsePieceName(name);
    if (found === undefined) continue; // a file of others
    if (found > sequence) throw missingPiece(chain, sequence);
    return;
  }
}

/**
 * The last piece from a number on that ends with a commit, at or before a moment; undefined if there is none. A part of
 * a transaction is followed by the rest of it, so the search goes back from it.
 * @throws ArchiveDamaged, StoreFailure
 */
export async function findWholePiece(
  store: ArchiveStore,
  chain: Chain,
  from: number,
  atMs: number,
  signal?: AbortSignal,
): Promise<Piece | undefined> {
  let piece = await findLastPiece(store, chain, from, ({ toMs }) => toMs <= atMs, signal);
  while (piece !== undefined && !piece.isWhole) {
    const { sequence }: Piece = piece;
    piece = sequence > from ? await findPiece(store, chain, sequence - 1, signal) : undefined;
  }
  return piece;
}
