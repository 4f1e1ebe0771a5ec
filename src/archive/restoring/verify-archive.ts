// Reads all of an archive, and finds what is damaged or missing in it.
import type { Chain } from '../contents/find-pieces.js';
import { expectState } from '../contents/find-state.js';
import {
  type FoundCopy,
  type FoundGeneration,
  findCopies,
  listGenerations,
  readArchive,
  readGeneration,
} from '../contents/list-contents.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import {
  archivedDatabases,
  beforePiece,
  copyName,
  filesFolder,
  parseFilesName,
  parsePieceName,
  pieceName,
  piecesFolder,
} from '../format/names.js';
import { decodePiece, expectFollows, type Piece } from '../format/piece.js';
import { decodeFiles } from '../format/small-files.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';
import { readParts } from './read-chain.js';
import { readObjects } from './read-objects.js';

/** So many problems are kept; the others are counted. */
const mostProblems = 1_000;

/** What was read, and what is wrong. */
export interface ArchiveFindings {
  readonly generations: number;
  readonly copies: number;
  readonly pieces: number;
  /** Sentences that begin with the name of an object; the last one may count those that are left out. */
  readonly problems: readonly string[];
  /** Folders below `generations/` that are not those of generations. */
  readonly others: readonly string[];
}

/** How the work is watched. */
export interface VerifyWatch {
  readonly signal: AbortSignal;
  /** Gets the number of objects that were read. */
  readonly onProgress?: (objects: number) => void;
}

/** Checks the content of all objects and that they follow each other. @throws NotInArchive, StoreFailure */
export function verifyArchive(store: ArchiveStore, watch: VerifyWatch): Promise<ArchiveFindings> {
  return new Verification(store, watch).run();
}

class Verification {
  readonly #store: ArchiveStore;
  readonly #watch: VerifyWatch;
  readonly #problems: string[] = [];
  readonly #counts = { generations: 0, copies: 0, pieces: 0 };
  #objects = 0;
  #leftOut = 0;

  constructor(store: ArchiveStore, watch: VerifyWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  async run(): Promise<ArchiveFindings> {
    const { signal } = this.#watch;
    await this.#noting(() => readArchive(this.#store, signal));
    const { generations, others } = await listGenerations(this.#store, signal);
    for (const id of generations) {
      this.#counts.generations += 1;
      const generation = await this.#noting(() => readGeneration(this.#store, id, signal));
      for (const database of archivedDatabases)
        await this.#verifyChain({ generation: id, database }, generation);
      await this.#noting(() => this.#verifyFiles(id));
    }
    if (this.#leftOut > 0) this.#problems.push(`and ${this.#leftOut} further problems`);
    return { ...this.#counts, problems: this.#problems, others };
  }

  /** Notes damage, and continues after it. */
  async #noting<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ArchiveDamaged)) throw error;
      this.#report(error.message);
      return undefined;
    }
  }

  #report(problem: string): void {
    if (this.#problems.length < mostProblems) this.#problems.push(problem);
    else this.#leftOut += 1;
  }

  #note(): void {
    this.#watch.signal.throwIfAborted();
    this.#objects += 1;
    this.#watch.onProgress?.(this.#objects);
  }

  async #verifyChain(chain: Chain, generation: FoundGeneration | undefined): Promise<void> {
    const { signal } = this.#watch;
    const { database } = chain;
    const found = await findCopies(this.#store, chain.generation, database, signal);
    for (const { damage } of found.damaged) this.#report(damage.message);
    const copies = [...found.copies].sort((left, right) => left.firstPiece - right.firstPiece);
    for (const copy of copies) {
      this.#counts.copies += 1;
      if (copy.firstPiece === 1 && generation !== undefined && copy.previous !== generation.sha256)
        this.#report(`${copyName(copy.folder)} does not follow the description of its generation`);
      const { state } = copy;
      if (state !== undefined)
        await this.#noting(() => expectState(this.#store, copyName(copy.folder), database, state, signal));
      await this.#noting(async () => {
        for await (const _ of readParts(this.#store, copy, signal)) this.#note();
      });
    }
    await this.#noting(() => this.#verifyPieces(chain, copies));
  }

  /** Compares each piece with the one before it, if that is there and sound. */
  async #verifyPieces(chain: Chain, copies: readonly FoundCopy[]): Promise<void> {
    const [first] = copies;
    if (first === undefined) return;
    let next = first.firstPiece;
    let before: Piece | undefined;
    const names = this.#namesOfPieces(chain, next);
    for await (const { name, bytes } of readObjects(this.#store, names, this.#watch.signal)) {
      const sequence = parsePieceName(name) ?? next;
      if (sequence > next) before = undefined;
      this.#reportMissing(chain, next, sequence);
      next = sequence + 1;
      this.#note();
      const piece = await this.#noting(async () => decodePiece(name, bytes));
      const last: Piece | undefined = before;
      before = piece;
      if (piece === undefined) continue;
      this.#counts.pieces += 1;
      if (piece.database !== chain.database || piece.generation !== chain.generation)
        this.#report(`${name} is damaged: it belongs to another chain`);
      else if (last !== undefined) await this.#noting(async () => expectFollows(name, last, piece));
      this.#compareCopies(piece, copies);
    }
    this.#reportMissing(chain, next, Math.max(...copies.map(({ sequence }) => sequence)) + 1);
  }

  async *#namesOfPieces({ generation, database }: Chain, from: number): AsyncGenerator<string> {
    const after = beforePiece(generation, database, from);
    const { signal } = this.#watch;
    for await (const name of listAll(this.#store, piecesFolder(generation, database), after, signal))
      if (parsePieceName(name) !== undefined) yield name;
  }

  #reportMissing({ generation, database }: Chain, from: number, to: number): void {
    if (to <= from) return;
    const others = to - from === 1 ? '' : `, and so are the ${to - from - 1} after it`;
    this.#report(`${pieceName(generation, database, from)} is missing${others}`);
  }

  #compareCopies(piece: Piece, copies: readonly FoundCopy[]): void {
    for (const copy of copies) {
      const isBefore = piece.sequence === copy.firstPiece - 1 && piece.sha256 !== copy.previous;
      const isFirst = piece.sequence === copy.firstPiece && piece.previous !== copy.previous;
      const isLast = piece.sequence === copy.sequence && piece.sha256 !== copy.last;
      if (isBefore || isFirst || isLast)
        this.#report(`${copyName(copy.folder)} does not name the piece ${piece.sequence} that there is`);
    }
  }

  async #verifyFiles(generation: string): Promise<void> {
    const { signal } = this.#watch;
    const names = listAll(this.#store, filesFolder(generation), undefined, signal);
    for await (const { name, bytes } of readObjects(this.#store, names, signal)) {
      if (parseFilesName(name) === undefined) continue; // a file of others
      this.#note();
      await this.#noting(async () => decodeFiles(name, bytes));
    }
  }
}
