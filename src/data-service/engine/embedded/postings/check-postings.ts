// Compares a text index with its rows: checksums of all postings, which do not depend on their order.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { inSnapshot } from '../file/open-for-reading.js';
import type { TokenPlace } from '../file/token-table.js';
import type { BuildSegments } from './build-segments.js';
import { blobOrNull } from './keep-segments.js';
import { TokenReader } from './logged-text.js';
import { MergeInput, mergeTokens } from './merge-inputs.js';
import { type ListPiece, PieceReader } from './posting-list.js';
import { readSegments, segmentState } from './text-tables.js';
import { WordIndex } from './word-index.js';

/** What is compared: the tables of an index, and how the texts of its rows are read. */
export type CheckedPostings = Pick<BuildSegments, 'tables' | 'rows' | 'tokens'>;

const asArrays = { returnArrays: true } as const;

/**
 * Whether the index has exactly the tokens of the texts of the rows, in one snapshot.
 * @throws DatabaseFailure
 */
export function hasRightPostings(database: Database, checked: CheckedPostings): boolean {
  return inSnapshot(database, () => {
    const [expected, found] = [sumOfRows(database, checked), sumOfIndex(database, checked)];
    const { texts, length } = new WordIndex(database, checked.tables, []).statistics();
    return (
      expected.value === found.value &&
      expected.postings === found.postings &&
      expected.texts === texts &&
      expected.length === length
    );
  });
}

/** A sum over postings. */
class Checksum {
  value = 0;
  postings = 0;
  texts = 0;
  length = 0;
  #token = 0;

  begin({ bytes, start, end }: TokenPlace): void {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    this.#token = hash;
  }

  posting(row: number, count: number, length: number): void {
    let hash = Math.imul(this.#token ^ row, 0x9e3779b1) ^ Math.imul(count, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15) ^ length, 0x2c1b3c6d);
    this.value = (this.value + (hash ^ (hash >>> 13))) >>> 0;
    this.postings += 1;
  }

  text(row: number, logged: Uint8Array): void {
    const reader = new TokenReader(logged);
    this.texts += 1;
    this.length += reader.length;
    while (reader.next()) {
      this.begin({ bytes: logged, start: reader.start, end: reader.end });
      this.posting(row, reader.count, reader.length);
    }
  }
}

function sumOfRows(database: Database, { rows, tokens }: CheckedPostings): Checksum {
  const sum = new Checksum();
  for (const [row, logged] of database
    .statement(`SELECT row_id, ${tokens} FROM ${rows}`, asArrays)
    .iterate()) {
    const text = blobOrNull(logged);
    if (text !== null) sum.text(Number(row), text);
  }
  return sum;
}

function sumOfIndex(database: Database, { tables }: CheckedPostings): Checksum {
  const sum = new Checksum();
  const logged = new Set<number>();
  for (const [row, tokens] of database
    .statement(`SELECT row, tokens FROM ${tables.recent}`, asArrays)
    .iterate()) {
    logged.add(Number(row));
    const text = blobOrNull(tokens);
    if (text !== null) sum.text(Number(row), text);
  }
  const segments = readSegments(database, tables, segmentState.present);
  const inputs = segments.map((segment) => new MergeInput(database, tables, segment, null));
  const posting = (row: number, count: number, length: number) => {
    if (count > 0 && !logged.has(row)) sum.posting(row, count, length);
  };
  const piece = (each: ListPiece) => {
    const reader = new PieceReader(each);
    while (reader.next()) posting(reader.row, reader.count, reader.length);
  };
  const sink = { begin: (token: TokenPlace) => sum.begin(token), posting, piece, end: () => undefined };
  mergeTokens(inputs, sink, () => true);
  return sum;
}
