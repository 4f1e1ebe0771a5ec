// Reads all of an archive, and finds what is damaged or missing in it.
import { ArchiveDamaged } from '../format/archive-damaged.js';
import {
  archivedDatabases,
  beforePiece,
  copyName,
  filesFolder,
  parseFilesName,
  parsePieceName,
  piecesFolder,
} from '../format/names.js';
import type { Piece } from '../format/piece.js';
import { decodeFiles } from '../format/small-files.js';
import { type ArchiveStore, listAll } from '../stores/archive-store.js';
import {
  type FoundCopy,
  type FoundGeneration,
  listCopies,
  listGenerations,
  readArchive,
  readGeneration,
} from './find-moment.js';
import type { Chain } from './find-pieces.js';
import { readParts, readPieces } from './read-chain.js';
import { readObjects } from './read-objects.js';

/** What was read, and what is wrong. */
export interface ArchiveFindings {
  readonly generations: number;
  readonly copies: number;
  readonly pieces: number;
  /** Sentences that begin with the name of an object. */
  readonly problems: readonly string[];
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

  constructor(store: ArchiveStore, watch: VerifyWatch) {
    this.#store = store;
    this.#watch = watch;
  }

  async run(): Promise<ArchiveFindings> {
    const { signal } = this.#watch;
    await this.#noting(() => readArchive(this.#store, signal));
    for (const id of await listGenerations(this.#store, signal)) {
      this.#counts.generations += 1;
      const generation = await this.#noting(() => readGeneration(this.#store, id, signal));
      for (const database of archivedDatabases)
        await this.#verifyChain({ generation: id, database }, generation);
      await this.#noting(() => this.#verifyFiles(id));
    }
    return { ...this.#counts, problems: this.#problems };
  }

  /** Notes damage, and continues after it. */
  async #noting<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ArchiveDamaged)) throw error;
      this.#problems.push(error.message);
      return undefined;
    }
  }

  #note(): void {
    this.#watch.signal.throwIfAborted();
    this.#objects += 1;
    this.#watch.onProgress?.(this.#objects);
  }

  async #verifyChain(chain: Chain, generation: FoundGeneration | undefined): Promise<void> {
    const { signal } = this.#watch;
    const { database } = chain;
    const found = await this.#noting(() => listCopies(this.#store, chain.generation, database, signal));
    const copies = [...(found ?? [])].sort((left, right) => left.firstPiece - right.firstPiece);
    for (const copy of copies) {
      this.#counts.copies += 1;
      if (copy.firstPiece === 1 && generation !== undefined && copy.previous !== generation.sha256)
        this.#problems.push(`${copyName(copy.folder)} does not follow the description of its generation`);
      await this.#noting(async () => {
        for await (const _ of readParts(this.#store, copy, signal)) this.#note();
      });
    }
    const [first] = copies;
    if (first === undefined) return;
    let to = Math.max(...copies.map(({ sequence }) => sequence));
    const after = beforePiece(chain.generation, database, first.firstPiece);
    for await (const name of listAll(this.#store, piecesFolder(chain.generation, database), after, signal))
      to = Math.max(to, parsePieceName(name) ?? 0);
    await this.#verifyPieces(chain, copies, to);
  }

  /** Behind damage the next copy begins the chain again. */
  async #verifyPieces(chain: Chain, copies: readonly FoundCopy[], to: number): Promise<void> {
    let reached = 0;
    for (const copy of copies) {
      if (copy !== copies[0] && copy.firstPiece <= reached + 1) continue;
      const point = { ...chain, copy, sequence: to, isLast: true };
      const isWhole = await this.#noting(async () => {
        for await (const piece of readPieces(this.#store, point, this.#watch.signal)) {
          reached = piece.sequence;
          this.#counts.pieces += 1;
          this.#note();
          this.#compareBases(piece, copies);
        }
        return true;
      });
      if (isWhole === true) return;
    }
  }

  #compareBases(piece: Piece, copies: readonly FoundCopy[]): void {
    for (const copy of copies) {
      const isBefore = piece.sequence === copy.firstPiece - 1 && piece.sha256 !== copy.previous;
      const isLast = piece.sequence === copy.sequence && piece.sha256 !== copy.last;
      if (isBefore || isLast)
        this.#problems.push(
          `${copyName(copy.folder)} does not name the piece ${piece.sequence} that there is`,
        );
    }
  }

  async #verifyFiles(generation: string): Promise<void> {
    const { signal } = this.#watch;
    const names = listAll(this.#store, filesFolder(generation), undefined, signal);
    for await (const { name, bytes } of readObjects(this.#store, names, signal)) {
      if (parseFilesName(name) === undefined) continue;
      this.#note();
      await this.#noting(async () => decodeFiles(name, bytes));
    }
  }
}
