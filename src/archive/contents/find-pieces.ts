// Finds single pieces of a chain, without a list of all: a busy week has a million.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import type { FileCopy } from '../format/file-copy.js';
import {
  type ArchivedDatabase,
  beforePiece,
  parsePieceName,
  pieceName,
  piecesFolder,
} from '../format/names.js';
import { decodePiece, decodePieceHead, type NamedHead, type Piece, type PieceHead } from '../format/piece.js';
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

/** The pieces that a search is about. */
export interface SoughtPieces {
  /** The first number. */
  readonly from: number;
  /** The moment, in ms since 1970. */
  readonly atMs: number;
  /** Copies of the chain, which also say of some moments what the last piece was. */
  readonly copies?: readonly FileCopy[];
}

/**
 * The last piece from a number on that ends with a commit, at or before a moment; undefined if there is none. A part of
 * a transaction is followed by the rest of it, so the search goes back from it. Damage after that piece does not matter
 * if it is certain that what is damaged is later than the moment.
 * @throws ArchiveDamaged, also if there are pieces after a gap, StoreFailure
 */
export async function findWholePiece(
  store: ArchiveStore,
  chain: Chain,
  sought: SoughtPieces,
  signal?: AbortSignal,
): Promise<PieceHead | undefined> {
  const search = new PieceSearch(store, chain, sought, signal);
  let piece = await search.findLast();
  while (piece !== undefined && !piece.isWhole)
    piece = piece.sequence > sought.from ? await search.expectHead(piece.sequence - 1) : undefined;
  if (piece !== undefined) search.expectSoundUntil(piece.sequence);
  return piece;
}

/** The number of the first piece from a number on; undefined without one. @throws StoreFailure */
export async function firstPieceFrom(
  store: ArchiveStore,
  { generation, database }: Chain,
  sequence: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const after = beforePiece(generation, database, sequence);
  for await (const name of listAll(store, piecesFolder(generation, database), after, signal)) {
    const found = parsePieceName(name);
    if (found !== undefined) return found; // other names are files of others
  }
  return undefined;
}

/** @throws ArchiveDamaged if a piece is missing and there are later ones */
export async function expectNoGap(
  store: ArchiveStore,
  chain: Chain,
  sequence: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await firstPieceFrom(store, chain, sequence, signal);
  if (found !== undefined && found > sequence) throw missingPiece(chain, sequence);
}

/** Finds the last piece at or before a moment. */
class PieceSearch {
  readonly #store: ArchiveStore;
  readonly #chain: Chain;
  readonly #sought: SoughtPieces;
  readonly #signal: AbortSignal | undefined;
  readonly #damages = new Map<number, ArchiveDamaged>();

  constructor(store: ArchiveStore, chain: Chain, sought: SoughtPieces, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#chain = chain;
    this.#sought = sought;
    this.#signal = signal;
  }

  /**
   * It reads some 30 pieces, because the numbers have no gaps and the times do not decrease: with steps that double,
   * then with halves. What cannot be read counts as too late, until the end shows whether that matters.
   */
  async findLast(): Promise<PieceHead | undefined> {
    const { from } = this.#sought;
    let last: PieceHead | undefined;
    let tooLate = from; // no piece from here on is sought
    let step = 1;
    for (let next = await this.#find(from); next !== undefined; next = await this.#find(tooLate)) {
      last = next;
      tooLate = next.sequence + step;
      step *= 2;
    }
    while (last !== undefined && last.sequence + 1 < tooLate) {
      const middle = Math.floor((last.sequence + tooLate) / 2);
      const next: PieceHead | undefined = await this.#find(middle);
      if (next === undefined) tooLate = middle;
      else last = next;
    }
    if (!this.#isKnownLast(last)) await this.#expectLast(last?.sequence ?? from - 1);
    return last;
  }

  /** What a piece is that must be there. */
  async expectHead(sequence: number): Promise<PieceHead> {
    const head = await this.#head(sequence);
    if (head !== undefined) return head;
    throw this.#damages.get(sequence) ?? missingPiece(this.#chain, sequence);
  }

  /** @throws ArchiveDamaged if damage was seen up to a piece */
  expectSoundUntil(last: number): void {
    for (const [sequence, damage] of this.#damages) if (sequence <= last) throw damage;
  }

  async #find(sequence: number): Promise<PieceHead | undefined> {
    const head = await this.#head(sequence);
    return head !== undefined && head.toMs <= this.#sought.atMs ? head : undefined;
  }

  async #head(sequence: number): Promise<PieceHead | undefined> {
    try {
      return await findPiece(this.#store, this.#chain, sequence, this.#signal);
    } catch (error) {
      if (!(error instanceof ArchiveDamaged)) throw error;
      this.#damages.set(sequence, error);
      return this.#provenHead(sequence);
    }
  }

  /** What a damaged piece is, if another object names the SHA-256 of its description. */
  async #provenHead(sequence: number): Promise<PieceHead | undefined> {
    const head = await this.#readHead(sequence);
    if (head === undefined) return undefined;
    const { copies = [] } = this.#sought;
    const isNamed = copies.some(
      ({ sequence: last, last: sha256 }) => last === sequence && sha256 === head.sha256,
    );
    if (isNamed) return head;
    const next = await this.#readHead(sequence + 1);
    return next?.previous === head.sha256 ? head : undefined;
  }

  async #readHead(sequence: number): Promise<NamedHead | undefined> {
    const { generation, database } = this.#chain;
    const name = pieceName(generation, database, sequence);
    const found = await this.#store.read(name, this.#signal);
    try {
      return found && decodePieceHead(name, found);
    } catch (error) {
      if (error instanceof ArchiveDamaged) return undefined;
      throw error;
    }
  }

  /** Whether the piece itself, or a copy after it, says that the next piece is later than the moment. */
  #isKnownLast(last: PieceHead | undefined): boolean {
    const { from, atMs, copies = [] } = this.#sought;
    const sequence = last?.sequence ?? from - 1;
    if (last !== undefined && last.completeMs >= atMs) return true;
    return copies.some((copy) => copy.sequence === sequence && copy.atMs >= atMs);
  }

  /** @throws ArchiveDamaged if the piece after the last one may be at or before the moment, too */
  async #expectLast(sequence: number): Promise<void> {
    const next = sequence + 1;
    const damage = this.#damages.get(next);
    if (damage !== undefined && (await this.#provenHead(next)) === undefined) throw damage;
    await expectNoGap(this.#store, this.#chain, next, this.#signal);
  }
}
