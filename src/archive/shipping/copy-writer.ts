// Writes copies of a database file to an archive, part after part, while the server writes to the file.
import { fstatSync, readSync } from 'node:fs';
import { memoryOutside } from '../../foundation/memory-outside.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { encodeFileCopy, encodePart } from '../format/file-copy.js';
import { type ArchivedDatabase, copyFolder, copyName, partName } from '../format/names.js';
import { PageListWriter } from '../format/page-list.js';
import { type ArchiveStore, StoreFailure } from '../stores/archive-store.js';
import { writeOnce } from '../stores/write-once.js';
import type { ChainEnd } from './archive-state.js';
import { objectPageBytes } from './database-shipper.js';

/** What a copy is made of. */
export interface CopyParts {
  readonly database: ArchivedDatabase;
  /** The open database file. It stays open: to close it releases the locks that SQLite has on it in this process. */
  readonly file: number;
  readonly store: ArchiveStore;
  readonly clock: Clock;
  readonly generation: string;
}

/** Where the pages are that a checkpoint may have been writing while the last part was read. */
interface LastChange {
  /** Pieces up to a complete look at the log that begins later have them. */
  readonly readMs: number;
}

/**
 * One copy. It takes no transaction and no lock. Pages that a checkpoint writes meanwhile can be torn or new: they are
 * in the present round of the log or in later ones, so pieces from that with the first frame of the round repair them.
 * These pieces also have the pages by which the file becomes longer meanwhile.
 */
export class CopyWriter {
  readonly #parts: CopyParts;
  readonly #folder: string;
  readonly #begin: { readonly firstPiece: number; readonly previous: string; readonly beganMs: number };
  readonly #pageBytes: number;
  readonly #list: PageListWriter;
  /** The last page of the file at the beginning: a file that grows all the time would have no last part. */
  readonly #lastPage: number;
  #part = 0;
  #lastPart = '';
  #nextPage = 1;
  #made: { readonly name: string; readonly bytes: Buffer; readonly sha256: string } | undefined;
  #read: LastChange | undefined;
  #description: Buffer | undefined;

  /** `end`: of the chain now. */
  constructor(parts: CopyParts, end: ChainEnd) {
    this.#parts = parts;
    this.#begin = {
      firstPiece: end.roundPiece,
      previous: end.roundPrevious,
      beganMs: Math.max(end.toMs, parts.clock.nowMs()),
    };
    this.#folder = copyFolder(parts.generation, parts.database, this.#begin);
    this.#pageBytes = pageBytesOf(parts.file);
    this.#lastPage = this.#pagesOfFile;
    this.#list = new PageListWriter(this.#pageBytes, Math.floor(objectPageBytes / this.#pageBytes));
  }

  /** Whether a file has the head of a database. */
  static canCopy(file: number): boolean {
    return pageBytesOf(file) >= 512;
  }

  /** The folder of its objects. */
  get folder(): string {
    return this.#folder;
  }

  /** Whether the whole file was read; then `finish` can be called. */
  get isRead(): boolean {
    return this.#read !== undefined;
  }

  /** Reads and writes the next part. @throws StoreFailure, errors of the file system */
  async writePart(signal?: AbortSignal): Promise<void> {
    const made = this.#made ?? this.#makePart();
    if (made === undefined) {
      this.#read ??= { readMs: this.#parts.clock.monotonicMs() };
      return;
    }
    this.#made = made;
    await this.#write(made.name, made.bytes, signal);
    this.#made = undefined;
    memoryOutside.release(made.bytes, made.bytes.length);
    this.#lastPart = made.sha256;
    this.#part += 1;
    this.#nextPage += this.#list.pages;
  }

  /**
   * Writes the description if everything is shipped that was in the log when the last part was read: `completeMs` is
   * the monotonic time at which the look at the log began that found everything up to `end`. Returns whether it did.
   */
  async finish(end: ChainEnd, completeMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#description === undefined) {
      if (this.#read === undefined || completeMs <= this.#read.readMs || !end.isWhole) return false;
      this.#description = this.#describe(end);
    }
    // It is written again after a lost answer, although more is shipped now: the archive may have it.
    await this.#write(copyName(this.#folder), this.#description, signal);
    return true;
  }

  #describe(end: ChainEnd): Buffer {
    const { database, generation, clock } = this.#parts;
    const hasPieces = end.sequence >= this.#begin.firstPiece;
    return encodeFileCopy({
      ...{ database, generation, ...this.#begin },
      sequence: hasPieces ? end.sequence : this.#begin.firstPiece - 1,
      last: hasPieces ? end.sha256 : this.#begin.previous,
      atMs: hasPieces ? Math.max(end.toMs, this.#begin.beganMs) : Math.max(end.toMs, clock.nowMs()),
      pageBytes: this.#pageBytes,
      databasePages: end.databasePages || this.#pagesOfFile,
      ...{ parts: this.#part, lastPart: this.#lastPart },
    });
  }

  /** The name has a time, and only one copy is made at a time: what exists is an earlier attempt. */
  async #write(name: string, bytes: Buffer, signal: AbortSignal | undefined): Promise<void> {
    const { store } = this.#parts;
    if (!(await writeOnce(store, name, bytes, signal)))
      throw new StoreFailure(`the archive ${store.title} has another ${name}`, false);
  }

  get #pagesOfFile(): number {
    return Math.floor(fstatSync(this.#parts.file).size / this.#pageBytes);
  }

  /** Undefined at the end of the file. */
  #makePart(): { readonly name: string; readonly bytes: Buffer; readonly sha256: string } | undefined {
    const { database, generation, file } = this.#parts;
    const pageBytes = this.#pageBytes;
    const mostPages = Math.floor(objectPageBytes / pageBytes);
    const left = Math.min(this.#lastPage, this.#pagesOfFile) - (this.#nextPage - 1);
    this.#list.clear();
    for (let at = 0; at < Math.min(left, mostPages); at += 1) {
      const content = this.#list.add(this.#nextPage + at);
      const read = readSync(file, content, 0, pageBytes, (this.#nextPage + at - 1) * pageBytes);
      content.fill(0, read); // the file became shorter: the pieces have its new size
    }
    if (this.#list.pages === 0) return undefined;
    const part = this.#part + 1;
    const head = {
      database,
      generation,
      part,
      previous: this.#lastPart,
      firstPage: this.#nextPage,
      pageBytes,
    };
    return { name: partName(this.#folder, part), ...encodePart(head, this.#list.raw) };
  }
}

/** 0 if the file has no head of a database. */
function pageBytesOf(file: number): number {
  const head = Buffer.alloc(18);
  readSync(file, head, 0, head.length, 0);
  const bytes = head.readUInt16BE(16);
  return bytes === 1 ? 65_536 : bytes;
}
