// Where the lists of one token are in the segments of an index, for the reads of one snapshot.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { type BinaryToken, bytesOfBinary, ChunkReader } from './chunks.js';
import type { ListPiece } from './posting-list.js';
import {
  changeOfLong,
  lastChunkOf,
  longChunks,
  type RowSpan,
  type Segment,
  type TextTables,
} from './text-tables.js';
import type { SharedList, WordKernel } from './word-kernel.js';

/** A list in one segment: the whole list, or the number of the segment that has its chunks. */
type FoundList = ListPiece | SharedList | number;

/** The number of rows that a long list is assumed to have, to begin with the shorter ones. */
const assumedRows = 100_000;
const allRows: RowSpan = { above: 0, through: Number.MAX_SAFE_INTEGER };

/** Where lists are. */
export interface ListPlaces {
  readonly database: Database;
  readonly tables: TextTables;
  /** Older ones first. */
  readonly segments: readonly Segment[];
  /** The kernel with the lists that searches share; without one, none are shared. */
  readonly kernel: WordKernel | undefined;
}

/** The lists of a token in all segments. */
export class TokenLists {
  readonly #database: Database;
  readonly #tables: TextTables;
  readonly #token: Uint8Array;
  readonly #lists: readonly FoundList[];

  constructor({ database, tables, segments, kernel }: ListPlaces, token: BinaryToken) {
    this.#database = database;
    this.#tables = tables;
    this.#token = bytesOfBinary(token);
    this.#lists = segments.flatMap(({ id }): readonly FoundList[] => {
      const name = `${tables.postings} ${id} ${token}`;
      const known = kernel?.knownList(name);
      if (known !== undefined) return [known];
      const chunk = lastChunkOf(database, tables, id, this.#token);
      if (chunk === undefined) return [];
      if (chunk.row > 0)
        return chunk.token === token
          ? [kernel?.sharedList(name, () => this.#piecesIn(id, allRows)) ?? id]
          : [];
      const reader = new ChunkReader(chunk);
      return reader.find(this.#token) ? [reader.copy()] : [];
    });
  }

  /** The number of rows, without texts that are only logged. */
  rows(): number {
    let rows = 0;
    for (const list of this.#lists)
      rows +=
        typeof list === 'number'
          ? changeOfLong(this.#database, this.#tables, list, this.#token)
          : list.change;
    return rows;
  }

  /** The size of the lists that are known; infinite if one has chunks of its own. */
  get bytes(): number {
    return this.#lists.reduce<number>(
      (sum, list) =>
        sum +
        (typeof list === 'number' || 'entries' in list ? Number.POSITIVE_INFINITY : list.end - list.start),
      0,
    );
  }

  /** About the number of rows. */
  get assumedRows(): number {
    return this.#lists.reduce<number>(
      (sum, list) => sum + (typeof list === 'number' ? assumedRows : list.change),
      0,
    );
  }

  /** The pieces with rows in a span, and perhaps others; those of older segments first. */
  *pieces(span: RowSpan): Iterable<ListPiece | SharedList> {
    for (const list of this.#lists) {
      if (typeof list === 'number') yield* this.#piecesIn(list, span);
      else if (list.last > span.above && list.first <= span.through) yield list;
    }
  }

  *#piecesIn(segment: number, span: RowSpan): Iterable<ListPiece> {
    for (const chunk of longChunks(this.#database, this.#tables, segment, this.#token, span)) {
      const piece = new ChunkReader(chunk);
      if (piece.next()) yield piece;
    }
  }
}
