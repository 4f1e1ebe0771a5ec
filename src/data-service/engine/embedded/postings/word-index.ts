// A text index in one snapshot: its statistics, and the rows whose texts have all of some tokens.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { BinaryToken } from './chunks.js';
import { countsIn, searchedBytes } from './logged-text.js';
import { type MatchedRows, matchedInSegments } from './matched-rows.js';
import { type RowSpan, readSegments, segmentState, type TextTables } from './text-tables.js';
import { TokenLists } from './token-lists.js';

/** Statistics of an index, for scores. */
export interface WordStatistics {
  /** The number of texts. */
  readonly texts: number;
  /** The number of their tokens. */
  readonly length: number;
  /** For each token of the search the number of texts that have it. */
  readonly rows: readonly number[];
}

const tokensPerStatement = 8;
const asArrays = { returnArrays: true } as const;

/** Reads an index for a search with some different tokens. */
export class WordIndex {
  readonly #database: Database;
  readonly #tables: TextTables;
  readonly #tokens: readonly BinaryToken[];
  readonly #segments;
  readonly #lists: readonly TokenLists[];

  constructor(database: Database, tables: TextTables, tokens: readonly BinaryToken[]) {
    this.#database = database;
    this.#tables = tables;
    this.#tokens = tokens;
    this.#segments = readSegments(database, tables, segmentState.present);
    this.#lists = tokens.map((token) => new TokenLists(database, tables, this.#segments, token));
  }

  /** The age of the newest segment: if it is the same later, changed texts are logged. */
  get age(): number {
    return this.#segments.at(-1)?.last ?? 0;
  }

  statistics(): WordStatistics {
    let [texts, length] = [0, 0];
    for (const segment of this.#segments) {
      texts += segment.texts;
      length += segment.length;
    }
    const rows = this.#lists.map((list) => list.rows());
    for (let from = 0; from === 0 || from < rows.length; from += tokensPerStatement) {
      const tokens = this.#tokens.slice(from, from + tokensPerStatement);
      const [loggedTexts = 0, loggedLength = 0, ...loggedRows] = this.#logged(tokens);
      if (from === 0) [texts, length] = [texts + loggedTexts, length + loggedLength];
      for (const [at, count] of loggedRows.entries()) rows[from + at] = (rows[from + at] ?? 0) + count;
    }
    return { texts, length, rows };
  }

  /** The rows of a span with all tokens, in ascending order. */
  matched(span: RowSpan): MatchedRows {
    const matched = matchedInSegments(this.#lists, span);
    const hasAll = this.#tokens.map(() => 'instr(tokens, ?)').join(' AND ');
    const searched = this.#tokens.map(searchedBytes);
    const logged = this.#database
      .statement(
        `SELECT row, iif(${hasAll}, tokens, NULL) AS found FROM ${this.#tables.recent} ` +
          'WHERE row > ? AND row <= ? AND (old IS NOT NULL OR found IS NOT NULL) ORDER BY row',
        asArrays,
      )
      .iterate([...searched, span.above, span.through]);
    replaceLogged(matched, logged, this.#tokens);
    return matched;
  }

  /** By how much logged texts change the statistics: texts, tokens, rows of each token. */
  #logged(tokens: readonly BinaryToken[]): readonly number[] {
    const parts = tokens.map(() => 'total(instr(tokens, ?) > 0) - total(instr(old, ?) > 0)');
    const length = 'total(CAST(tokens AS INTEGER)) - total(CAST(old AS INTEGER))';
    const sql = `SELECT count(tokens) - count(old), ${[length, ...parts].join(', ')} FROM ${this.#tables.recent}`;
    const values = tokens.flatMap((token) => [searchedBytes(token), searchedBytes(token)]);
    return this.#database.statement(sql, asArrays).get(values)?.map(Number) ?? [];
  }
}

/** Drops the rows that are logged, which ascend, and adds those whose logged text has all tokens. */
function replaceLogged(
  matched: MatchedRows,
  logged: Iterable<SqlRowArray>,
  tokens: readonly BinaryToken[],
): void {
  const { rows, size } = matched;
  const added: (readonly [row: number, text: Uint8Array])[] = [];
  const kept: number[] = [];
  let place = 0;
  for (const [found, text] of logged) {
    const row = Number(found);
    while (place < size && (rows[place] ?? 0) < row) kept.push(place++);
    if (place < size && rows[place] === row) place += 1;
    if (text instanceof Uint8Array) added.push([row, text]);
  }
  if (kept.length < place) {
    while (place < size) kept.push(place++);
    matched.keep(kept);
  }
  const last = matched.size === 0 ? 0 : (matched.rows[matched.size - 1] ?? 0);
  for (const [row, text] of added) {
    const { length, counts } = countsIn(text, tokens);
    matched.push(row, length, counts);
  }
  if ((added[0]?.[0] ?? last) < last) matched.sort();
}
