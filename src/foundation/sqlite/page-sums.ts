// The file of the checksums of the pages of a database, beside it: `data.db-sums`. It has the sum of each page that was
// moved from the write-ahead log into the database, so that damage of the file is found later.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeWhole } from '../machine/write-whole.js';
import { openIfThere } from './find-log-damage.js';
import type { NumberPair } from './log-format.js';
import { continueSum, sumOfPage } from './page-sum.js';

/** The head: a mark, the size of a page, the state, and the sum of these. */
const headBytes = 32;
const mark = 'colonnade-sums-1';
const pageBytesAt = 16;
const stateAt = 20;
const sumAt = 24;
/** The bytes of a sum; zeros if there is none. */
const sumBytes = 8;

/**
 * `written`: the log may have pages whose sums are not in the file yet, so the sums are of no use without the log.
 * `settled`: the file has the sums of all pages, and the log is empty or can be lost.
 */
type State = 'written' | 'settled';
const states: readonly State[] = ['written', 'settled'];

/** The path of the sums of a database. */
export function sumsPath(database: string): string {
  return `${database}-sums`;
}

/** What is known of the file of sums before it is used. */
export type FoundSums =
  | { readonly kind: 'missing' | 'damaged' }
  /** SQLite has moved pages into the database whose sums are not known, for example when a process ended. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'usable'; readonly pageBytes: number; readonly state: State };

/** Looks at the sums of a database. Call it before the database is opened: that creates a log. */
export function findSums(database: string): FoundSums {
  const file = openIfThere(sumsPath(database));
  if (file === undefined) return { kind: 'missing' };
  try {
    for (let found = readHead(file); found !== undefined; ) {
      const hasLog = (statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
      // A server can empty the log and change the state between the two looks.
      const next = readHead(file);
      if (next?.state === found.state)
        return found.state === 'written' && !hasLog ? { kind: 'outdated' } : { kind: 'usable', ...found };
      found = next;
    }
    return { kind: 'damaged' };
  } finally {
    closeSync(file);
  }
}

/** Undefined if the head is damaged. */
function readHead(file: number): { readonly pageBytes: number; readonly state: State } | undefined {
  const head = Buffer.alloc(headBytes);
  if (readSync(file, head, 0, headBytes, 0) < headBytes) return undefined;
  const state = states[head.readUInt32LE(stateAt)];
  const pageBytes = head.readUInt32LE(pageBytesAt);
  return state !== undefined && head.equals(makeHead(pageBytes, state)) ? { pageBytes, state } : undefined;
}

function makeHead(pageBytes: number, state: State): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(mark, 'latin1');
  head.writeUInt32LE(pageBytes, pageBytesAt);
  head.writeUInt32LE(states.indexOf(state), stateAt);
  writePair(head, sumAt, continueSum([1, 1], head.subarray(0, sumAt), false));
  return head;
}

/** The head of a file with the sums of all pages. */
export function packHead(pageBytes: number): Buffer {
  return makeHead(pageBytes, 'settled');
}

/** The form of sums in the file. */
export function packSums(sums: readonly NumberPair[]): Buffer {
  const packed = Buffer.alloc(sums.length * sumBytes);
  for (const [at, sum] of sums.entries()) writePair(packed, at * sumBytes, sum);
  return packed;
}

function writePair(bytes: Buffer, at: number, [first, second]: NumberPair): void {
  bytes.writeUInt32LE(first, at);
  bytes.writeUInt32LE(second, at + 4);
}

/**
 * Makes the sums of a database of which nothing is known, from the pages that it has. It yields after every 256 KiB or
 * so; the sums are of use only after the end. No connection of this process may be open: closing the file releases its
 * locks. @throws errors of the file system
 */
export function* makeSums(database: string): Generator<void, void, undefined> {
  removeSums(database);
  const file = openIfThere(database);
  const made = `${sumsPath(database)}.new`;
  const sums = openSync(made, 'w', 0o600);
  try {
    const pageBytes = file === undefined ? usualPageBytes : pageBytesOf(file);
    writeWhole(sums, makeHead(pageBytes, 'settled'), 0);
    const pages = Buffer.allocUnsafe(pagesAtOnce * pageBytes);
    for (let page = 1; file !== undefined; ) {
      const count = Math.floor(readSync(file, pages, 0, pages.length, (page - 1) * pageBytes) / pageBytes);
      if (count === 0) break;
      const found = Buffer.alloc(count * sumBytes);
      for (let at = 0; at < count; at += 1)
        writePair(
          found,
          at * sumBytes,
          sumOfPage(page + at, pages.subarray(at * pageBytes, (at + 1) * pageBytes)),
        );
      writeWhole(sums, found, sumsAt(page));
      page += count;
      yield;
    }
    fdatasyncSync(sums);
  } finally {
    closeSync(sums);
    if (file !== undefined) closeSync(file);
  }
  renameSync(made, sumsPath(database));
}

const usualPageBytes = 4096;
const pagesAtOnce = 64;

/** The size of the pages from the head of a database; for one without a head, the size that new files have. */
function pageBytesOf(file: number): number {
  const head = Buffer.alloc(18);
  if (readSync(file, head, 0, head.length, 0) < head.length) return usualPageBytes;
  const bytes = head.readUInt16BE(16);
  const isSize = bytes >= 512 && (bytes & (bytes - 1)) === 0;
  return bytes === 1 ? 65_536 : isSize ? bytes : usualPageBytes;
}

/** The offset of the sum of a page, from 1, in the file. */
export function sumsAt(page: number): number {
  return headBytes + (page - 1) * sumBytes;
}

/** Removes sums that would become false. A directory that cannot be changed has no database that can be. */
export function removeSums(database: string): void {
  for (const path of [sumsPath(database), `${sumsPath(database)}.new`]) {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error) || !('syscall' in error)) throw error;
    }
  }
}

/** The sums of a database in their file, which stays open until `close`. */
export class PageSums {
  readonly pageBytes: number;
  readonly #path: string;
  readonly #file: number;
  #state: State;

  /** @throws errors of the file system */
  constructor(
    database: string,
    { pageBytes, state }: Extract<FoundSums, { kind: 'usable' }>,
    mayWrite: boolean,
  ) {
    this.#path = sumsPath(database);
    this.#file = openSync(this.#path, mayWrite ? 'r+' : 'r');
    this.pageBytes = pageBytes;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** Records a state. It is on the disk afterwards only if pages can be written then. */
  setState(state: State): void {
    if (this.#state === state) return;
    writeWhole(this.#file, makeHead(this.pageBytes, state), 0);
    if (state === 'written') fdatasyncSync(this.#file);
    this.#state = state;
  }

  /** Reads the sums of `count` pages from `first`; undefined for pages without one. */
  read(first: number, count: number): readonly (NumberPair | undefined)[] {
    const bytes = Buffer.alloc(count * sumBytes);
    readSync(this.#file, bytes, 0, bytes.length, sumsAt(first));
    return Array.from({ length: count }, (_, at) => {
      const pair = [bytes.readUInt32LE(at * sumBytes), bytes.readUInt32LE(at * sumBytes + 4)] as const;
      return pair[0] === 0 && pair[1] === 0 ? undefined : pair;
    });
  }

  /** Writes sums by the numbers of their pages: those of neighbouring pages at once. */
  write(sums: ReadonlyMap<number, NumberPair>): void {
    const pages = [...sums.keys()].sort((left, right) => left - right);
    for (let from = 0; from < pages.length; ) {
      const first = pages[from] ?? 0;
      let to = from;
      while (to < pages.length && (pages[to] ?? 0) - first < sumsAtOnce) to += 1;
      const some = pages.slice(from, to);
      const bytes = Buffer.alloc(((some.at(-1) ?? first) - first + 1) * sumBytes);
      if (some.length * sumBytes < bytes.length) readSync(this.#file, bytes, 0, bytes.length, sumsAt(first));
      for (const page of some) writePair(bytes, (page - first) * sumBytes, sums.get(page) ?? [0, 0]);
      writeWhole(this.#file, bytes, sumsAt(first));
      from = to;
    }
  }

  /**
   * Removes the sums after a number of pages: the database became shorter. If it grows again, pages that it does not
   * use can be in it with another content, without having been in the log.
   */
  cut(pages: number): void {
    if (pages < this.pages) ftruncateSync(this.#file, sumsAt(pages + 1));
  }

  makeDurable(): void {
    fdatasyncSync(this.#file);
  }

  /** The number of pages for which there is room in the file. */
  get pages(): number {
    return Math.max(0, Math.floor((fstatSync(this.#file).size - headBytes) / sumBytes));
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Closes and removes the sums, because they are not true any more: the next start makes them from the pages. */
  discard(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

/** Sums that are read and written together if their pages are so near. */
const sumsAtOnce = 512;
