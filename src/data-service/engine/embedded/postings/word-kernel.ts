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
/** So often a list is asked for without room before the shared ones are forgotten: to share one takes longer. */
const mostRefused = 1_000;
/** A memory with more for rows is given up after a search: most searches need less than a megabyte. */
const usualBytes = recordsAt + 16 * 1024 * 1024;

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
  readonly #lists = new Map<string, SharedList | null>();
  #isFull = false;
  /** How often a list was asked for since there is no room for it. */
  #refused = 0;
  #bytes: Uint8Array<SharedArrayBuffer>;
  #numbers: Float64Array<SharedArrayBuffer>;
  #tokens = 0;
  #kept = 0;

  constructor() {
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#numbers = new Float64Array(this.#memory.buffer);
    const instance = new WebAssembly.Instance(wordsModule(), { env: { memory: this.#memory } });
    // `words.as.ts` defines the exports.
    this.#exports = instance.exports as unknown as WordsExports;
  }

  get isLarge(): boolean {
    return this.#memory.buffer.byteLength > usualBytes;
  }

  /** The number of rows that have all tokens until now. */
  get size(): number {
    return this.#kept;
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
    return this.#lists.get(name) ?? undefined;
  }

  /**
   * The list of a name, which becomes a shared one when it is asked for again. Undefined if it is not shared: it is
   * asked for the first time, is too large, or there is no room until the next search.
   */
  sharedList(name: string, pieces: () => Iterable<ListPiece>): SharedList | undefined {
    const found = this.#lists.get(name);
    if (found !== null) {
      if (found !== undefined) return found;
      if (this.#lists.size < mostLists) this.#lists.set(name, null);
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
      if (entries === 0) {
        this.#isFull = true;
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
    this.#kept = 0;
    this.#exports.begin();
  }

  /** The rows of a span in the pieces of the first token. */
  first(pieces: Iterable<ListPiece | SharedList>, { above, through }: RowSpan): void {
    const { beginFirst, roomForFirst, addFirst, addFirstOf, endFirst } = this.#exports;
    for (const piece of pieces) {
      beginFirst(piece.first);
      if ('entries' in piece) {
        addFirstOf(piece.address, piece.entries, piece.first, above, through);
        continue;
      }
      const start = roomForFirst(piece.end - piece.start);
      addFirst(start, this.#put(piece, start), above, through);
    }
    this.#kept = endFirst(this.#tokens);
  }

  /** Keeps the rows that are also in the pieces of the next token: the place of the token in the order. */
  next(token: number, pieces: Iterable<ListPiece | SharedList>): void {
    const { roomForNext, beginNext, isWanted, addNext, addNextOf, endNext } = this.#exports;
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
      places[at * 4 + 2] = order.indexOf(token);
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
  if (present?.isLarge === false) return present;
  const kernel = new WordKernel();
  kernels.set(database, kernel);
  return kernel;
}
