// The segments that are merged: their entries together, in the order of tokens.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { type BinaryToken, bytesOfBinary, ChunkReader } from './chunks.js';
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
  constructor(database: Database, tables: TextTables, { id }: Segment, after: BinaryToken | null) {
    this.#database = database;
    this.#tables = tables;
    this.#segment = id;
    this.#key = { token: after ?? '', row: after === null ? -1 : Number.MAX_SAFE_INTEGER };
    const before = after === null ? undefined : lastChunkOf(database, tables, id, bytesOfBinary(after));
    if (before !== undefined && before.row === 0) this.entry = new ChunkReader(before);
    do this.advance();
    while (this.entry !== undefined && after !== null && this.entry.token <= after);
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
    const chunk = lastChunkOf(this.#database, this.#tables, this.#segment, bytesOfBinary(entry.token));
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
  begin(token: BinaryToken, isLong: boolean): void;
  piece(piece: ListPiece): void;
  posting(row: number, count: number, length: number, change: number): void;
  end(): void;
}

/** Merges the tokens of some segments, older ones first. `onToken` is called after each token; false ends. */
export function mergeTokens(
  inputs: readonly MergeInput[],
  writer: MergedTokens,
  onToken: (token: BinaryToken) => boolean,
): void {
  for (;;) {
    let token: BinaryToken | undefined;
    for (const { entry } of inputs)
      if (entry !== undefined && (token === undefined || entry.token < token)) ({ token } = entry);
    if (token === undefined) return;
    const own = inputs.filter(({ entry }) => entry?.token === token);
    const isLong = own.some(({ entry }) => entry?.isLong === true);
    writer.begin(token, isLong);
    if (isAscending(own)) for (const input of own) addPieces(input, token, writer);
    else mergePostings(own, token, writer);
    writer.end();
    if (!onToken(token)) return;
  }
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

function addPieces(input: MergeInput, token: BinaryToken, writer: MergedTokens): void {
  while (input.entry?.token === token) {
    writer.piece(input.entry);
    input.advance();
  }
}

/** Of postings of the same row those of the newest segment stay. */
function mergePostings(inputs: readonly MergeInput[], token: BinaryToken, writer: MergedTokens): void {
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
  readonly #token: BinaryToken;

  constructor(input: MergeInput, token: BinaryToken) {
    this.#input = input;
    this.#token = token;
    this.posting = new PieceReader(input.entry ?? noBytes);
    this.advance();
  }

  advance(): void {
    while (!this.posting.next()) {
      this.#input.advance();
      const { entry } = this.#input;
      if (entry?.token !== this.#token) {
        this.row = Number.POSITIVE_INFINITY;
        return;
      }
      this.posting = new PieceReader(entry);
    }
    ({ row: this.row } = this.posting);
  }
}

const noBytes = { bytes: new Uint8Array(0), start: 0, end: 0 };
