// Finds and scores the rows with all of some tokens: the typed interface of `words/*.as.ts`, which the build compiles
// to WebAssembly.
import { readFileSync } from 'node:fs';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { WordScoring } from '../../../query/word-search.js';
import type { ListPiece } from './posting-list.js';
import type { RowSpan } from './text-tables.js';

/** The exports of the compiled module. */
interface WordsExports {
  forgetLists(): void;
  beginList(): number;
  roomForList(bytes: number): number;
  addToList(start: number, end: number, base: number): number;
  begin(): void;
  beginFirst(first: number): void;
  roomForFirst(bytes: number): number;
  addFirst(start: number, end: number, above: number, through: number): void;
  roomForFirstNumbers(count: number): number;
  addNumbers(count: number): void;
  firstRows(): number;
  rowsIn(list: number, entries: number, base: number, above: number, through: number): number;
  addFirstOf(list: number, entries: number, base: number, above: number, through: number): void;
  endFirst(tokens: number): number;
  roomForNext(bytes: number): number;
  beginNext(token: number): void;
  isWanted(first: number, last: number): number;
  addNext(token: number, start: number, end: number, first: number): void;
  addNextOf(token: number, list: number, entries: number, base: number): void;
  endNext(token: number): number;
  drop(row: number): void;
  endDrops(): void;
  rows(): number;
  keptRows(): number;
  roomForNumbers(count: number): number;
  keepOnly(count: number): number;
  score(weights: number, averageLength: number, least: number, below: number, best: number): number;
  resultsAt(): number;
  lowestScore(): number;
}

// See `words.as.ts`.
const weightsAt = 1_024;
const listsAt = 65_536;
const listsBytes = 24 * 1024 * 1024;
const recordsAt = listsAt + listsBytes;
/** Among more scores the kernel does not look for the lowest one. */
const mostScores = 7_680;
const pageBytes = 65_536;
const mostPages = 65_536;
/** The maximum number of names that are kept of shared lists and of those that were asked for once. */
const mostLists = 10_000;
/** After this many requests for lists that have no room, all shared lists are forgotten. */
const mostRefused = 1_000;
/** The maximum size of the rows of a span. */
const rowsBytes = 14 * 1024 * 1024;
/** The memory of a row: its record and its result, and its place or a count for each token. */
const rowBytes = (tokens: number) => 32 + 4 * tokens;

let compiled: WebAssembly.Module | undefined;

function wordsModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('words.wasm', import.meta.url)));
  return compiled;
}

/** The list of a token in one segment, in the memory of a kernel. */
export interface SharedList {
  readonly address: number;
  readonly entries: number;
  readonly first: number;
  readonly last: number;
  /** See `ListPiece`. */
  readonly change: number;
}

/** Scores from `least` on and below `below`: about the `most` highest ones, and all if `most` is large. */
export interface WantedScores {
  readonly least: number;
  readonly below: number;
  readonly most: number;
}

/**
 * The rows of one span at a time, in a memory of its own, and the lists that searches share: segments never change, so
 * what a name and the number of a segment identify stays right.
 */
export class WordKernel {
  readonly #memory = new WebAssembly.Memory({
    initial: recordsAt / pageBytes + 1,
    maximum: mostPages,
    shared: true,
  });
  readonly #exports: WordsExports;
  readonly #lists = new Map<string, SharedList | 'askedFor' | 'unsharable'>();
  #isFull = false;
  /** How often a list was asked for that has no room. */
  #refused = 0;
  #bytes: Uint8Array<SharedArrayBuffer>;
  #numbers: Float64Array<SharedArrayBuffer>;
  #tokens = 0;
  /** The place of the first token among the lists of a search: 1 behind the rows of a filter. */
  #firstToken = 0;
  #mostRows = 0;
  #kept = 0;

  constructor() {
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#numbers = new Float64Array(this.#memory.buffer);
    const instance = new WebAssembly.Instance(wordsModule(), { env: { memory: this.#memory } });
    // `words.as.ts` defines the exports.
    this.#exports = instance.exports as unknown as WordsExports;
  }

  /** The number of rows that have all tokens until now. */
  get size(): number {
    return this.#kept;
  }

  /** The part of the most rows that a span can have in the list of the first token, which the last span had. */
  get load(): number {
    return this.#exports.firstRows() / this.#mostRows;
  }

  /** Before the shared lists of a search: forgets those of earlier searches if too often there was no room. */
  makeRoom(): void {
    if (this.#refused < mostRefused) return;
    this.#refused = 0;
    this.#isFull = false;
    this.#lists.clear();
    this.#exports.forgetLists();
  }

  /** The shared list of a name, if it is one already. */
  knownList(name: string): SharedList | undefined {
    const found = this.#lists.get(name);
    return typeof found === 'object' ? found : undefined;
  }

  /**
   * The list of a name, which becomes a shared one when it is asked for again. Undefined if it is not shared: it is
   * asked for the first time, can never be shared, or has no room. `pieces` are read until the list does not fit.
   */
  sharedList(name: string, pieces: () => Iterable<ListPiece>): SharedList | undefined {
    const found = this.#lists.get(name);
    if (typeof found === 'object') return found;
    if (found === 'unsharable') return undefined;
    if (found === undefined) {
      if (this.#lists.size < mostLists) this.#lists.set(name, 'askedFor');
      else this.#refused += 1;
      return undefined;
    }
    if (this.#isFull) {
      this.#refused += 1;
      return undefined;
    }
    const { beginList, roomForList, addToList } = this.#exports;
    const address = beginList();
    let list: SharedList | undefined;
    for (const piece of pieces()) {
      const { first } = list ?? piece;
      const start = roomForList(piece.end - piece.start);
      const entries = addToList(start, this.#put(piece, start), first);
      if (entries <= 0) {
        if (entries === 0) this.#isFull = true;
        else this.#lists.set(name, 'unsharable');
        return undefined;
      }
      list = { address, entries, first, last: piece.last, change: piece.change + (list?.change ?? 0) };
    }
    if (list !== undefined) this.#lists.set(name, list);
    return list;
  }

  /** Begins a search for so many tokens. */
  begin(tokens: number): void {
    this.#tokens = tokens;
    this.#firstToken = 0;
    this.#mostRows = Math.floor(rowsBytes / rowBytes(tokens));
    this.#kept = 0;
    this.#exports.begin();
  }

  /** Whether a search for so many tokens can begin with so many rows. */
  static hasRoomFor(rows: number, tokens: number): boolean {
    return rows <= rowsBytes / rowBytes(tokens + 1);
  }

  /**
   * Begins a search for so many tokens among some rows, for which there is room, with numbers in ascending order: all
   * tokens are next.
   */
  beginAmong(numbers: Float64Array, tokens: number): void {
    this.begin(tokens + 1);
    this.#firstToken = 1;
    const at = this.#exports.roomForFirstNumbers(numbers.length);
    this.#doubles().set(numbers, at / 8);
    this.#exports.addNumbers(numbers.length);
    this.#kept = this.#exports.endFirst(this.#tokens);
  }

  /**
   * The rows of a span in the pieces of the first token. Returns false if there are more than the memory is for: the
   * caller begins again with a part of the span. A span with at most half as many numbers always has room.
   */
  first(pieces: Iterable<ListPiece | SharedList>, { above, through }: RowSpan): boolean {
    const { beginFirst, roomForFirst, addFirst, addFirstOf, endFirst, firstRows, rowsIn } = this.#exports;
    for (const piece of pieces) {
      beginFirst(piece.first);
      const added =
        'entries' in piece ? rowsIn(piece.address, piece.entries, piece.first, above, through) : 0;
      if (firstRows() + added > this.#mostRows) return false;
      if ('entries' in piece) {
        addFirstOf(piece.address, piece.entries, piece.first, above, through);
        continue;
      }
      const start = roomForFirst(piece.end - piece.start);
      addFirst(start, this.#put(piece, start), above, through);
    }
    if (firstRows() > this.#mostRows) return false;
    this.#kept = endFirst(this.#tokens);
    return true;
  }

  /** Keeps the rows that are also in the pieces of the next token. `at`: the place of the token in the order. */
  next(at: number, pieces: Iterable<ListPiece | SharedList>): void {
    const { roomForNext, beginNext, isWanted, addNext, addNextOf, endNext } = this.#exports;
    const token = at + this.#firstToken;
    beginNext(token);
    for (const piece of pieces) {
      if (isWanted(piece.first, piece.last) === 0) continue;
      if ('entries' in piece) {
        addNextOf(token, piece.address, piece.entries, piece.first);
        continue;
      }
      const start = roomForNext(piece.end - piece.start);
      addNext(token, start, this.#put(piece, start), piece.first);
    }
    this.#kept = endNext(token);
  }

  /** Drops some rows. */
  drop(rows: readonly number[]): void {
    for (const row of rows) this.#exports.drop(row);
    this.#exports.endDrops();
    this.#kept = this.#exports.keptRows();
  }

  /** Keeps those of some rows, whose numbers are in ascending order. */
  keepOnly(numbers: Float64Array): void {
    const at = this.#exports.roomForNumbers(numbers.length);
    this.#doubles().set(numbers, at / 8);
    this.#kept = this.#exports.keepOnly(numbers.length);
  }

  /** The numbers of the rows in ascending order. */
  rows(): readonly number[] {
    const at = this.#exports.rows() / 8;
    return [...this.#doubles().subarray(at, at + this.#kept)];
  }

  /**
   * Gives the rows with wanted scores. `order`: the tokens in the order in which they were added. Returns the lowest
   * score of which no row is missing: if it is still `least`, these are all.
   */
  score(
    { weights, averageLength }: WordScoring,
    order: readonly number[],
    { least, below, most }: WantedScores,
    give: (row: number, score: number) => void,
  ): number {
    const numbers = this.#doubles();
    const places = new Uint32Array(numbers.buffer, weightsAt, weights.length * 4);
    for (const [at, { token, weight }] of weights.entries()) {
      numbers[weightsAt / 8 + at * 2] = weight;
      places[at * 4 + 2] = order.indexOf(token) + this.#firstToken;
    }
    const { score, resultsAt, lowestScore } = this.#exports;
    const count = score(weights.length, averageLength, least, below, most > mostScores ? 0 : most);
    const results = this.#doubles();
    const lowest = lowestScore();
    const first = resultsAt() / 8;
    for (let at = first; at < first + count * 2; at += 2) {
      const found = results[at + 1] ?? 0;
      if (found >= lowest) give(results[at] ?? 0, found);
    }
    return lowest;
  }

  #put({ bytes, start, end }: ListPiece, at: number): number {
    const size = end - start;
    if (at + size > this.#bytes.length) this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#bytes.set(bytes.subarray(start, end), at);
    return at + size;
  }

  #doubles(): Float64Array<SharedArrayBuffer> {
    const { buffer } = this.#memory;
    if (this.#numbers.buffer !== buffer) this.#numbers = new Float64Array(buffer);
    return this.#numbers;
  }
}

const kernels = new WeakMap<Database, WordKernel>();

/** The kernel of a connection. */
export function wordKernel(database: Database): WordKernel {
  const present = kernels.get(database);
  if (present !== undefined) return present;
  const kernel = new WordKernel();
  kernels.set(database, kernel);
  return kernel;
}
