// Makes archives of a database of tests without a server: each piece has the pages that differ from those before.
import { readFileSync } from 'node:fs';
import {
  type ArchivedState,
  encodeFileCopy,
  encodePart,
  referenceTo,
} from '../../src/archive/format/file-copy.js';
import { encodeArchive, encodeGeneration } from '../../src/archive/format/generation.js';
import type { LogPosition } from '../../src/archive/format/log-position.js';
import {
  type ArchivedDatabase,
  archiveName,
  copyFolder,
  copyName,
  filesName,
  generationName,
  makeGenerationId,
  partName,
  pieceName,
} from '../../src/archive/format/names.js';
import { PageListWriter } from '../../src/archive/format/page-list.js';
import { encodePiece } from '../../src/archive/format/piece.js';
import { encodeFiles, type SmallFile } from '../../src/archive/format/small-files.js';
import type { ArchiveStore } from '../../src/archive/stores/archive-store.js';

const pageBytes = 4_096;
const archive = 'a'.repeat(32);

interface MadeChain {
  sequence: number;
  /** The SHA-256 of the last piece, or of the description of the generation. */
  last: string;
  /** The file as it is after the last piece. */
  content: Buffer;
  to: LogPosition;
}

/** One generation, which `ship` adds pieces to. */
export class ArchiveMaker {
  readonly generation: string;
  readonly #store: ArchiveStore;
  readonly #chains = new Map<ArchivedDatabase, MadeChain>();
  #sha256 = '';

  constructor(store: ArchiveStore, madeMs: number) {
    this.#store = store;
    this.generation = makeGenerationId(madeMs, '0123abcd');
  }

  async begin(madeMs: number, engine = 'embedded'): Promise<void> {
    await this.#store.write(archiveName, encodeArchive({ archive, madeMs }));
    const { bytes, sha256 } = encodeGeneration({
      ...{ generation: this.generation, archive, madeBy: 'colonnade 0.2.0', madeMs, engine, epoch: 0 },
      reason: 'a test began it',
    });
    this.#sha256 = sha256;
    await this.#store.write(generationName(this.generation), bytes);
  }

  /** Ships what a file has now as one piece, or as two whose first ends within the transaction. Returns the names. */
  async ship(
    database: ArchivedDatabase,
    path: string,
    atMs: number,
    isHalved = false,
  ): Promise<readonly string[]> {
    const chain = this.#chain(database);
    const content = readFileSync(path);
    const changed: number[] = [];
    for (let at = 0; at < content.length; at += pageBytes)
      if (!content.subarray(at, at + pageBytes).equals(chain.content.subarray(at, at + pageBytes)))
        changed.push(at / pageBytes + 1);
    const half = isHalved ? Math.ceil(changed.length / 2) : 0;
    const names: string[] = [];
    if (isHalved) names.push(await this.#shipPages(database, content, changed.slice(0, half), atMs, false));
    names.push(await this.#shipPages(database, content, changed.slice(half), atMs, true));
    chain.content = content;
    return names;
  }

  /**
   * Makes a copy of what a file has now, to which pieces from `firstPiece` on are applied: the next one if it is not
   * given. Returns its folder.
   */
  async copy(
    database: ArchivedDatabase,
    path: string,
    atMs: number,
    before?: { firstPiece: number; previous: string },
  ) {
    const { sequence, last } = this.#chain(database);
    const { firstPiece, previous } = before ?? { firstPiece: sequence + 1, previous: last };
    const folder = copyFolder(this.generation, database, { firstPiece, beganMs: atMs });
    const content = readFileSync(path);
    const pages = content.length / pageBytes;
    const half = Math.ceil(pages / 2);
    let lastPart = '';
    for (const [at, [from, to]] of [[1, half] as const, [half + 1, pages] as const].entries()) {
      const numbers = Array.from({ length: to - from + 1 }, (_, place) => from + place);
      const head = { database, generation: this.generation, part: at + 1, firstPage: from, pageBytes };
      const part = encodePart({ ...head, previous: lastPart }, listOf(content, numbers));
      await this.#store.write(partName(folder, at + 1), part.bytes);
      lastPart = part.sha256;
    }
    const copy = {
      ...{ database, generation: this.generation, firstPiece, sequence, previous, last },
      ...{ beganMs: atMs, atMs, pageBytes, databasePages: pages, parts: 2, lastPart },
    };
    await this.#store.write(copyName(folder), encodeFileCopy(copy));
    return folder;
  }

  /** The present state, which a later generation can continue. */
  state(database: ArchivedDatabase): ArchivedState & { readonly content: Buffer } {
    const { sequence, last, content } = this.#chain(database);
    return { generation: this.generation, sequence, sha256: last, content };
  }

  /** Begins the chain with the state of an earlier generation. Returns the name of the reference. */
  async refer(
    database: ArchivedDatabase,
    { content, ...state }: ReturnType<ArchiveMaker['state']>,
    atMs: number,
  ): Promise<string> {
    const { generation } = this;
    const databasePages = content.length / pageBytes;
    const sha256 = this.#sha256;
    const copy = referenceTo({ database, generation, sha256, state, atMs, pageBytes, databasePages });
    const name = copyName(copyFolder(generation, database, copy));
    await this.#store.write(name, encodeFileCopy(copy));
    this.#chain(database).content = content;
    return name;
  }

  async files(files: readonly SmallFile[], atMs: number): Promise<void> {
    await this.#store.write(filesName(this.generation, atMs), encodeFiles(files));
  }

  /** What a copy names that begins with the next piece. */
  next(database: ArchivedDatabase): { firstPiece: number; previous: string } {
    const { sequence, last } = this.#chain(database);
    return { firstPiece: sequence + 1, previous: last };
  }

  #chain(database: ArchivedDatabase): MadeChain {
    const known = this.#chains.get(database);
    if (known !== undefined) return known;
    const to: LogPosition = { salts: [1, 2], frames: 0, sum: [3, 4] };
    const made = { sequence: 0, last: this.#sha256, content: Buffer.alloc(0), to };
    this.#chains.set(database, made);
    return made;
  }

  async #shipPages(
    database: ArchivedDatabase,
    content: Buffer,
    numbers: readonly number[],
    toMs: number,
    isWhole: boolean,
  ): Promise<string> {
    const chain = this.#chain(database);
    const to = { ...chain.to, frames: chain.to.frames + numbers.length };
    const sequence = chain.sequence + 1;
    const head = {
      ...{ database, generation: this.generation, sequence, previous: chain.last, from: chain.to, to },
      ...{ completeMs: toMs, toMs, pageBytes, isWhole },
      databasePages: isWhole ? content.length / pageBytes : 0,
    };
    const { bytes, sha256 } = encodePiece(head, listOf(content, numbers));
    const name = pieceName(this.generation, database, sequence);
    await this.#store.write(name, bytes);
    Object.assign(chain, { sequence, last: sha256, to });
    return name;
  }
}

function listOf(content: Buffer, numbers: readonly number[]): Buffer {
  const writer = new PageListWriter(pageBytes, numbers.length);
  for (const number of numbers)
    content.copy(writer.add(number), 0, (number - 1) * pageBytes, number * pageBytes);
  return writer.raw;
}
