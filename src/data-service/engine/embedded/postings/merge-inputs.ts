// The segments that are merged: their entries together, in the order of tokens.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { compareTokens, type TokenPlace } from '../file/token-table.js';
import { type BinaryToken, binaryOf, ChunkReader, placeOf } from './chunks.js';
import { type ListPiece, PieceReader } from './posting-list.js';
import { chunksAfter, lastChunkOf, type Segment, type TextTables } from './text-tables.js';

const chunksPerRead = 4;

/** Reads the entries of one segment after a token; `entry` is the present one, undefined at the end. */
export class MergeInput {
  entry: ChunkReader | undefined;
  readonly #database: Database;
  readonly #tables: TextTables;
  readonly #segment: number;
  #key: { readonly token: BinaryToken; readonly row: number };
  #chunks: ChunkReader[] = [];

  /** `after`: null for all entries. */
  constructor(database: Database, tables: TextTables, { id }: Segment, after: Uint8Array | null) {
    this.#database = database;
    this.#tables = tables;
    this.#segment = id;
    if (after === null) {
      this.#key = { token: '', row: -1 };
      this.advance();
      return;
    }
    this.#key = { token: binaryOf(after), row: Number.MAX_SAFE_INTEGER };
    const before = lastChunkOf(database, tables, id, after);
    if (before !== undefined && before.row === 0) this.entry = new ChunkReader(before);
    const last = placeOf(after);
    do this.advance();
    while (this.entry !== undefined && compareTokens(this.entry.token, last) <= 0);
  }

  advance(): void {
    while (this.entry?.next() !== true) {
      this.entry = this.#chunks.shift() ?? this.#nextChunk();
      if (this.entry === undefined) return;
    }
  }

  /** The last row of the present token. */
  lastRow(): number {
    const { entry } = this;
    if (entry?.isLong !== true) return entry?.last ?? 0;
    const { bytes, start, end } = entry.token;
    const chunk = lastChunkOf(this.#database, this.#tables, this.#segment, bytes.subarray(start, end));
    const last = new ChunkReader(chunk ?? { token: '', row: 0, change: 0, bytes: noBytes.bytes });
    return last.next() ? last.last : 0;
  }

  #nextChunk(): ChunkReader | undefined {
    const chunks = chunksAfter(this.#database, this.#tables, this.#segment, this.#key, chunksPerRead);
    this.#key = chunks.at(-1) ?? this.#key;
    this.#chunks = chunks.map((chunk) => new ChunkReader(chunk));
    return this.#chunks.shift();
  }
}

/** Takes what is merged: for each token `begin`, its pieces or postings in the order of rows, then `end`. */
export interface MergedTokens {
  begin(token: TokenPlace, isLong: boolean): void;
  piece(piece: ListPiece): void;
  posting(row: number, count: number, length: number, change: number): void;
  end(): void;
}

/** Merges the tokens of some segments, older ones first. `onToken` is called after each token; false ends. */
export function mergeTokens(
  inputs: readonly MergeInput[],
  writer: MergedTokens,
  onToken: (token: TokenPlace) => boolean,
): void {
  for (;;) {
    const own = inputsOfFirst(inputs);
    const token = own[0]?.entry?.token;
    if (token === undefined) return;
    const isLong = own.some(({ entry }) => entry?.isLong === true);
    writer.begin(token, isLong);
    if (isAscending(own)) for (const input of own) addPieces(input, token, writer);
    else mergePostings(own, token, writer);
    writer.end();
    if (!onToken(token)) return;
  }
}

/** The inputs that have the first of all present tokens. */
function inputsOfFirst(inputs: readonly MergeInput[]): readonly MergeInput[] {
  const found: MergeInput[] = [];
  let first: TokenPlace | undefined;
  for (const input of inputs) {
    if (input.entry === undefined) continue;
    const order = first === undefined ? 0 : compareTokens(input.entry.token, first);
    if (order > 0) continue;
    if (order < 0) found.length = 0;
    first = input.entry.token;
    found.push(input);
  }
  return found;
}

/** Whether an input is at a token. */
function isAt({ entry }: MergeInput, token: TokenPlace): boolean {
  return entry !== undefined && compareTokens(entry.token, token) === 0;
}

/** Whether each segment only has rows after those of the older ones. */
function isAscending(inputs: readonly MergeInput[]): boolean {
  let last = 0;
  for (const [at, input] of inputs.entries()) {
    if ((input.entry?.first ?? 0) <= last) return false;
    if (at < inputs.length - 1) last = input.lastRow();
  }
  return true;
}

function addPieces(input: MergeInput, token: TokenPlace, writer: MergedTokens): void {
  while (input.entry !== undefined && isAt(input, token)) {
    writer.piece(input.entry);
    input.advance();
  }
}

/** Merges the postings of a token. If several segments have postings of a row, those of the newest one stay. */
function mergePostings(inputs: readonly MergeInput[], token: TokenPlace, writer: MergedTokens): void {
  const lists = inputs.map((input) => new ListReader(input, token));
  for (;;) {
    let row = Number.POSITIVE_INFINITY;
    for (const list of lists) if (list.row < row) ({ row } = list);
    if (row === Number.POSITIVE_INFINITY) return;
    let [count, length, change] = [0, 0, 0];
    for (const list of lists) {
      if (list.row !== row) continue;
      ({ count, length } = list.posting);
      change += list.posting.change;
      list.advance();
    }
    // Nothing is left of a row that one of the segments added and a newer one removed.
    if (count > 0 || change < 0) writer.posting(row, count, length, change);
  }
}

/** Reads the postings of a token in one segment; `row` is infinite at the end. */
class ListReader {
  row = 0;
  posting: PieceReader;
  readonly #input: MergeInput;
  readonly #token: TokenPlace;

  constructor(input: MergeInput, token: TokenPlace) {
    this.#input = input;
    this.#token = token;
    this.posting = new PieceReader(input.entry ?? noBytes);
    this.advance();
  }

  advance(): void {
    while (!this.posting.next()) {
      this.#input.advance();
      const { entry } = this.#input;
      if (entry === undefined || !isAt(this.#input, this.#token)) {
        this.row = Number.POSITIVE_INFINITY;
        return;
      }
      this.posting = new PieceReader(entry);
    }
    ({ row: this.row } = this.posting);
  }
}

const noBytes = { bytes: new Uint8Array(0), start: 0, end: 0 };
