// A text index in one snapshot: its statistics, and the rows whose texts have all of some tokens.
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import { scoreOf, type WordScoring, type WordStatistics } from '../../../query/word-search.js';
import type { BestRows } from './best-rows.js';
import type { BinaryToken } from './chunks.js';
import type { FilteredRows } from './filtered-rows.js';
import { countsIn, searchedBytes } from './logged-text.js';
import { matchedInSegments } from './matched-rows.js';
import { type RowSpan, readSegments, segmentState, type TextTables } from './text-tables.js';
import { TokenLists } from './token-lists.js';
import { WordKernel, wordKernel } from './word-kernel.js';

const tokensPerStatement = 8;
/** More rows than this are found faster by reading the log again than by their numbers. */
const mostKnownRows = 100;
/** The bounds of a short search: of the list of its rarest token, of all lists, and of the log. */
const shortSearch = { rarestBytes: 4_000, bytes: 16_000, loggedTexts: 200, loggedBytes: 200_000 } as const;
/** A span of so many numbers has room for all of its rows, of up to a thousand words. */
const leastSpan = 1_000;
/** By how much more rows are filtered each time. */
const scoresFactor = 4;
const asArrays = { returnArrays: true } as const;

/** Reads an index for a search with some different tokens. */
export class WordIndex {
  readonly #database: Database;
  readonly #tables: TextTables;
  readonly #tokens: readonly BinaryToken[];
  readonly #segments;
  readonly #kernel: WordKernel;
  readonly #lists: readonly TokenLists[];
  /** The logged rows that can change what matches, if the statistics found few. */
  #knownRows: readonly number[] | undefined;
  /** The tokens, those of the fewest rows first. */
  #order: readonly number[] | undefined;

  /** `sharesLists`: keeps long lists for later searches. */
  constructor(
    database: Database,
    tables: TextTables,
    tokens: readonly BinaryToken[],
    { sharesLists } = { sharesLists: true },
  ) {
    this.#database = database;
    this.#tables = tables;
    this.#tokens = tokens;
    this.#segments = readSegments(database, tables, segmentState.present);
    this.#kernel = wordKernel(database);
    this.#kernel.makeRoom();
    const places = {
      database,
      tables,
      segments: this.#segments,
      kernel: sharesLists ? this.#kernel : undefined,
    };
    this.#lists = tokens.map((token) => new TokenLists(places, token));
  }

  /** The age of the newest segment: if it is the same later, changed texts are logged. */
  get age(): number {
    return this.#segments.at(-1)?.last ?? 0;
  }

  /** Whether the lists and the log that a search reads are short: a word has few rows, and no list is long. */
  isShort(): boolean {
    const sizes = this.#lists.map(({ bytes }) => bytes);
    if (Math.min(...sizes) > shortSearch.rarestBytes) return false;
    if (sizes.reduce((sum, bytes) => sum + bytes, 0) > shortSearch.bytes) return false;
    const sql =
      'SELECT count(*), total(octet_length(tokens)) + total(octet_length(old)) FROM ' +
      `(SELECT tokens, old FROM ${this.#tables.recent} LIMIT ?)`;
    const [texts, bytes] = this.#database.statement(sql, asArrays).get([shortSearch.loggedTexts + 1]) ?? [];
    return Number(texts) <= shortSearch.loggedTexts && Number(bytes) <= shortSearch.loggedBytes;
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

  get #rowsOfRarest(): number {
    return this.#lists[this.#rarestFirst()[0] ?? 0]?.assumedRows ?? 0;
  }

  #rarestFirst(): readonly number[] {
    this.#order ??= orderOf(this.#lists.map((list) => list.assumedRows));
    return this.#order;
  }

  /** The rows of a span with all tokens, in ascending order. */
  rows(span: RowSpan): readonly number[] {
    const logged = this.#find(span);
    if (logged === undefined) return halves(span).flatMap((half) => this.rows(half));
    const rows = this.#kernel.rows();
    if (logged.length === 0) return rows;
    return [...rows, ...logged.map(({ row }) => row)].sort((left, right) => left - right);
  }

  /**
   * Adds the rows of a span with all tokens and their scores to the best ones, as far as they can be among these.
   * Returns the part of the memory that they took, up to 1; more than 1 if the span has too many rows, and none of them
   * was added. `filtered`: the rows that pass the filter, if an index finds them.
   */
  score(span: RowSpan, scoring: WordScoring, best: BestRows, filtered?: FilteredRows): number {
    const known = filtered?.in(span);
    // It takes less time to look for few rows in the lists than to read a long list.
    const isFirst =
      known !== undefined &&
      (filtered?.known?.length ?? 0) < this.#rowsOfRarest &&
      WordKernel.hasRoomFor(known.length, this.#tokens.length);
    const logged = this.#find(span, isFirst ? known : undefined);
    if (logged === undefined) return Number.POSITIVE_INFINITY;
    if (known !== undefined && !isFirst) this.#kernel.keepOnly(known);
    for (const { row, text } of logged) {
      if (filtered?.known !== undefined && !filtered.has(row)) continue;
      const { length, counts } = countsIn(text, this.#tokens);
      best.add(row, scoreOf(scoring, length, counts));
    }
    // A filter can refuse the rows with the highest scores, and then more are needed.
    let below = Number.POSITIVE_INFINITY;
    for (let most = best.mostScores; this.#kernel.size > 0; ) {
      const { least } = best;
      const wanted = { least, below, most };
      const lowest = this.#kernel.score(scoring, this.#rarestFirst(), wanted, (row, score) =>
        best.add(row, score),
      );
      best.applyFilter();
      if (lowest <= least || lowest <= best.least) break;
      below = lowest;
      const few = filtered?.known ?? filtered?.readIfFew(best.passingShare, this.#kernel.size);
      if (few === undefined) most *= scoresFactor;
      else this.#kernel.keepOnly(few);
    }
    return this.#kernel.load;
  }

  /**
   * Finds the rows of a span with all tokens. The kernel has those that are not logged; returns the logged ones.
   * `among`: only these are wanted of the others. Undefined if the span has too many rows.
   */
  #find(span: RowSpan, among?: Float64Array): readonly LoggedRow[] | undefined {
    if (!matchedInSegments(this.#kernel, this.#lists, this.#rarestFirst(), span, among)) {
      // A sound list has a row once, so that a short span always has room: a damaged one must not be read for ever.
      if (span.through - span.above > leastSpan) return undefined;
      throw new DatabaseFailure('corrupt', `a list of ${this.#tables.postings} has more rows than there are`);
    }
    const hasAll = this.#tokens.map(() => 'instr(tokens, ?)').join(' AND ');
    const searched = this.#tokens.map(searchedBytes);
    const known = this.#knownRows?.filter((row) => row > span.above && row <= span.through);
    if (known?.length === 0) return [];
    const [condition, values] =
      known === undefined
        ? ['row > ? AND row <= ?', [span.above, span.through]]
        : ['row IN (SELECT value FROM json_each(?))', [`[${known.join(',')}]`]];
    const found = this.#database
      .statement(
        `SELECT row, iif(${hasAll}, tokens, NULL) AS found FROM ${this.#tables.recent} ` +
          `WHERE ${condition} AND (old IS NOT NULL OR found IS NOT NULL) ORDER BY row`,
        asArrays,
      )
      .iterate([...searched, ...values]);
    const [changed, logged]: [number[], LoggedRow[]] = [[], []];
    for (const [number, text] of found) {
      const row = Number(number);
      changed.push(row);
      if (text instanceof Uint8Array) logged.push({ row, text });
    }
    this.#kernel.drop(changed);
    return logged;
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

function halves({ above, through }: RowSpan): readonly RowSpan[] {
  const middle = Math.floor((above + through) / 2);
  return [
    { above, through: middle },
    { above: middle, through },
  ];
}

function orderOf(rows: readonly number[]): readonly number[] {
  return [...rows.keys()].toSorted((left, right) => (rows[left] ?? 0) - (rows[right] ?? 0));
}

/** What the log says. */
interface LoggedStatistics extends WordStatistics {
  readonly changed: readonly number[];
}

/** A logged text that has all tokens. */
interface LoggedRow {
  readonly row: number;
  readonly text: Uint8Array;
}
