// The tables of a text index in the file, as the threads use them.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { binaryOf, bytesOfBinary, type Chunk } from './chunks.js';

/** The names of the tables of an index. */
export interface TextTables {
  /** Chunks: `segment, token, row, change, postings`; see `Chunk`. */
  readonly postings: string;
  /** Texts that changed lately: `row, tokens, old`. `old` are the tokens that the segments have of the row. */
  readonly recent: string;
  /** The segments; see `Segment`. */
  readonly segments: string;
  /** One row: `built, last`. Of the rows that existed before the index, those up to `built` are in it. */
  readonly progress: string;
}

/** Present; being merged from others; to be deleted. */
export const segmentState = { present: 0, merging: 1, leftover: 2 } as const;

/**
 * Changes of texts in the order of tokens. What a segment has of a row replaces what older ones have. `first` and
 * `last` are the ages that it covers: newer ones are larger. Merging segments makes one of the next level.
 */
export interface Segment {
  readonly id: number;
  readonly level: number;
  readonly first: number;
  readonly last: number;
  /** By how much it changes the number of texts. */
  readonly texts: number;
  /** By how much it changes the number of their tokens. */
  readonly length: number;
}

/** The segments in one state, older ones first. */
export function readSegments(
  database: Database,
  { segments }: TextTables,
  state: number,
): readonly Segment[] {
  return database
    .statement(`SELECT id, level, first, last, texts, length FROM ${segments} WHERE state = ? ORDER BY first`)
    .all([state])
    .map((row) => ({
      id: Number(row['id']),
      level: Number(row['level']),
      first: Number(row['first']),
      last: Number(row['last']),
      texts: Number(row['texts']),
      length: Number(row['length']),
    }));
}

/** Adds a segment; returns its number. */
export function addSegment(
  database: Database,
  { segments }: TextTables,
  state: number,
  { level, first, last, texts, length }: Omit<Segment, 'id'>,
): number {
  const { lastInsertRowid } = database
    .statement(`INSERT INTO ${segments} (state, level, first, last, texts, length) VALUES (?, ?, ?, ?, ?, ?)`)
    .run([state, level, first, last, texts, length]);
  return Number(lastInsertRowid);
}

/** Adds chunks to a segment. */
export function addChunks(
  database: Database,
  { postings }: TextTables,
  segment: number,
  chunks: readonly Chunk[],
): void {
  const statement = database.statement(`INSERT INTO ${postings} VALUES (?, ?, ?, ?, ?)`);
  for (const { token, row, change, bytes } of chunks)
    statement.run([segment, bytesOfBinary(token), row, change, bytes]);
}

const chunkColumns = 'token, row, change, postings';
const asArrays = { returnArrays: true } as const;

function chunkOf([token, row, change, bytes]: readonly unknown[]): Chunk {
  return {
    // The columns are BLOB and INTEGER, and not null.
    token: binaryOf(token as Uint8Array),
    row: Number(row),
    change: Number(change),
    bytes: bytes as Uint8Array,
  };
}

/** The only chunk of a segment that can have a token, or the last one of its list. */
export function lastChunkOf(
  database: Database,
  { postings }: TextTables,
  segment: number,
  token: Uint8Array,
): Chunk | undefined {
  const sql =
    `SELECT ${chunkColumns} FROM ${postings} WHERE segment = ? AND token <= ? ` +
    'ORDER BY token DESC, row DESC LIMIT 1';
  const found = database.statement(sql, asArrays).get([segment, token]);
  return found === undefined ? undefined : chunkOf(found);
}

/** The chunks of a segment after a key, at most `count`. */
export function chunksAfter(
  database: Database,
  { postings }: TextTables,
  segment: number,
  { token, row }: Pick<Chunk, 'token' | 'row'>,
  count: number,
): readonly Chunk[] {
  const sql =
    `SELECT ${chunkColumns} FROM ${postings} WHERE segment = ? AND (token, row) > (?, ?) ` +
    'ORDER BY token, row LIMIT ?';
  const found = database.statement(sql, asArrays).all([segment, bytesOfBinary(token), row, count]);
  return found.map(chunkOf);
}

/** The chunks of a long list with rows after `above` and up to `through`, read one by one. */
export function* longChunks(
  database: Database,
  { postings }: TextTables,
  segment: number,
  token: Uint8Array,
  { above, through }: RowSpan,
): Iterable<Chunk> {
  const ofToken = `FROM ${postings} WHERE segment = ? AND token = ? AND row`;
  const first = `coalesce((SELECT max(row) ${ofToken} <= ?), 0)`;
  const sql = `SELECT ${chunkColumns} ${ofToken} >= ${first} AND row <= ? ORDER BY row`;
  const values = [segment, token, segment, token, above + 1, through];
  for (const found of database.statement(sql, asArrays).iterate(values)) yield chunkOf(found);
}

/** The sum of `change` of a long list. */
export function changeOfLong(
  database: Database,
  { postings }: TextTables,
  segment: number,
  token: Uint8Array,
): number {
  const sql = `SELECT sum(change) FROM ${postings} WHERE segment = ? AND token = ?`;
  return Number(database.statement(sql, asArrays).get([segment, token])?.[0]);
}

/** A part of the table by row numbers: exclusive and inclusive. */
export interface RowSpan {
  readonly above: number;
  readonly through: number;
}
