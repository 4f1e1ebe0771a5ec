// A text index in one snapshot: its statistics, and the rows whose texts have all of some tokens.
import type { Database, SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { WordStatistics } from '../../../query/word-search.js';
import type { BinaryToken } from './chunks.js';
import { countsIn, searchedBytes } from './logged-text.js';
import { type MatchedRows, matchedInSegments } from './matched-rows.js';
import { type RowSpan, readSegments, segmentState, type TextTables } from './text-tables.js';
import { TokenLists } from './token-lists.js';

const tokensPerStatement = 8;
/** More rows than this are found faster by reading the log again than by their numbers. */
const mostKnownRows = 100;
const asArrays = { returnArrays: true } as const;

/** Reads an index for a search with some different tokens. */
export class WordIndex {
  readonly #database: Database;
  readonly #tables: TextTables;
  readonly #tokens: readonly BinaryToken[];
  readonly #segments;
  readonly #lists: readonly TokenLists[];
  /** The logged rows that can change what matches, if the statistics found few. */
  #knownRows: readonly number[] | undefined;
  /** The tokens, those of the fewest rows first. */
  #order: readonly number[] | undefined;

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
      const logged = this.#logged(tokens);
      if (from === 0) [texts, length] = [texts + logged.texts, length + logged.length];
      for (const [at, count] of logged.rows.entries()) rows[from + at] = (rows[from + at] ?? 0) + count;
      if (rows.length <= tokensPerStatement && logged.changed.length <= mostKnownRows)
        this.#knownRows = logged.changed;
    }
    return { texts, length, rows };
  }

  /** The statistics are known from an earlier search in this or another snapshot: they only order the lists. */
  beginWithRarest({ rows }: WordStatistics): void {
    this.#order = orderOf(rows);
  }

  #rarestFirst(): readonly number[] {
    this.#order ??= orderOf(this.#lists.map((list) => list.assumedRows));
    return this.#order;
  }

  /** The rows of a span with all tokens, in ascending order. */
  matched(span: RowSpan): MatchedRows {
    const matched = matchedInSegments(this.#lists, this.#rarestFirst(), span);
    const hasAll = this.#tokens.map(() => 'instr(tokens, ?)').join(' AND ');
    const searched = this.#tokens.map(searchedBytes);
    const known = this.#knownRows?.filter((row) => row > span.above && row <= span.through);
    if (known?.length === 0) return matched;
    const [condition, values] =
      known === undefined
        ? ['row > ? AND row <= ?', [span.above, span.through]]
        : ['row IN (SELECT value FROM json_each(?))', [`[${known.join(',')}]`]];
    const logged = this.#database
      .statement(
        `SELECT row, iif(${hasAll}, tokens, NULL) AS found FROM ${this.#tables.recent} ` +
          `WHERE ${condition} AND (old IS NOT NULL OR found IS NOT NULL) ORDER BY row`,
        asArrays,
      )
      .iterate([...searched, ...values]);
    replaceLogged(matched, logged, this.#tokens);
    return matched;
  }

  /**
   * By how much logged texts change the statistics, and the rows whose texts have all tokens or may have had them. One
   * read, which looks for each token in each text once: SQLite runs a query with a limit by itself.
   */
  #logged(tokens: readonly BinaryToken[]): LoggedStatistics {
    const has = tokens.map((_, at) => `instr(tokens, ?) > 0 AS has${at}, instr(old, ?) > 0 AS had${at}`);
    const length = 'ifnull(CAST(tokens AS INTEGER), 0) - ifnull(CAST(old AS INTEGER), 0) AS length';
    const isText = 'tokens IS NOT NULL AS isText, old IS NOT NULL AS wasText';
    const texts = `SELECT ${['row', isText, length, ...has].join(', ')} FROM ${this.#tables.recent} LIMIT -1`;
    const rows = tokens.map((_, at) => `total(has${at}) - total(had${at})`);
    const isChanged = ['isText', ...tokens.map((_, at) => `has${at}`)].join(' AND ');
    const changed = `group_concat(iif(wasText OR (${isChanged}), row, NULL))`;
    const sums = ['total(isText) - total(wasText)', 'total(length)', changed, ...rows].join(', ');
    const values = tokens.flatMap((token) => [searchedBytes(token), searchedBytes(token)]);
    const found = this.#database.statement(`SELECT ${sums} FROM (${texts})`, asArrays).get(values) ?? [];
    const [textsFound, lengthFound, numbers, ...rowsFound] = found;
    return {
      texts: Number(textsFound),
      length: Number(lengthFound),
      rows: rowsFound.map(Number),
      changed: typeof numbers === 'string' ? numbers.split(',').map(Number) : [],
    };
  }
}

function orderOf(rows: readonly number[]): readonly number[] {
  return [...rows.keys()].toSorted((left, right) => (rows[left] ?? 0) - (rows[right] ?? 0));
}

/** What the log says. */
interface LoggedStatistics extends WordStatistics {
  readonly changed: readonly number[];
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
