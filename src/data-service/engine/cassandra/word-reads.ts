// Searches by words in collections. Cassandra has no index of words, so all texts are read, split and scored for each
// search, up to the limits of what the server does itself.
import { comparedColumns, matchAll, matchesFilter } from '../../query/filter.js';
import { bytesOf, finishLimits, tooManyToHold, tooManyToLookAt } from '../../query/finish-limits.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../query/read.js';
import { compareByOrder, type OrderValues } from '../../query/row-order.js';
import { distinctTokens, scoreOf, type WordSearch, weightsOf } from '../../query/word-search.js';
import type { Column } from '../../schema/table.js';

/** A row that has all words and matches the filter. */
interface FoundRow {
  readonly row: RowValues;
  /** How often its text has each word of the search, and how many words it has. */
  readonly counts: readonly number[];
  readonly length: number;
  readonly key: OrderValues;
}

/**
 * The best rows of a search by words. `readWhole` carries out a read of all rows.
 * @throws EngineError; ApiError TIMEOUT_READING_DATA beyond the limits
 */
export async function readWords(
  plan: ReadPlan,
  search: WordSearch,
  readWhole: (plan: ReadPlan) => Promise<ReadOutcome>,
): Promise<ReadOutcome> {
  const { table, filter, page } = plan;
  const needed = [...plan.columns, search.column, ...table.keyColumns, ...comparedColumns(filter)];
  const limit = finishLimits.rows + 1;
  const whole: ReadPlan = {
    ...plan,
    columns: [...new Set(needed)],
    filter: matchAll,
    order: null,
    search: null,
    page: { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
  };
  const outcome = await readWhole(whole);
  const texts = new SearchedTexts(plan, search, outcome.columns);
  for await (const chunk of outcome.chunks) {
    outcome.deadline?.check();
    for (const row of chunk) texts.add(row);
  }
  const chunks = [texts.best(page.limit)];
  return { ...outcome, order: plan.order, applied: { filter: true, order: true }, chunks };
}

/** The texts of a search, as they are read: numbers of all, and the rows that are found. */
class SearchedTexts {
  readonly #plan: ReadPlan;
  readonly #search: WordSearch;
  readonly #columns: readonly Column[];
  readonly #places: ReadonlyMap<Column, number>;
  /** Each word of the search once, with its place. */
  readonly #tokens: ReadonlyMap<string, number>;
  readonly #rowsWithToken: number[];
  readonly #found: FoundRow[] = [];
  #looked = 0;
  #texts = 0;
  #length = 0;
  #bytes = 0;

  constructor(plan: ReadPlan, search: WordSearch, columns: readonly Column[]) {
    this.#plan = plan;
    this.#search = search;
    this.#columns = columns;
    this.#places = new Map(columns.map((column, at) => [column, at]));
    const tokens = distinctTokens(search.tokens);
    this.#tokens = new Map(tokens.map((token, at) => [token, at]));
    this.#rowsWithToken = tokens.map(() => 0);
  }

  add(row: RowValues): void {
    this.#looked += 1;
    if (this.#looked > finishLimits.rows) throw tooManyToLookAt(finishLimits);
    const valueIn = (column: Column) => row[this.#places.get(column) ?? -1] ?? null;
    const text = valueIn(this.#search.column);
    if (typeof text !== 'string') return;
    const words = this.#search.index.analyzer.analyze(text);
    const counts = this.#countsOf(words);
    this.#texts += 1;
    this.#length += words.length;
    for (const [token, count] of counts.entries())
      if (count > 0) this.#rowsWithToken[token] = (this.#rowsWithToken[token] ?? 0) + 1;
    if (counts.includes(0) || !matchesFilter(this.#plan.filter, valueIn)) return;
    this.#bytes += bytesOf(row, this.#columns);
    if (this.#bytes > finishLimits.bytes) throw tooManyToHold(finishLimits);
    const key = this.#plan.table.keyColumns.map(valueIn);
    this.#found.push({ row, counts, length: words.length, key });
  }

  /** The best rows, equally good ones in the order of the key. */
  best(limit: number): readonly RowValues[] {
    const { keyOrder } = this.#plan.table;
    const { tokens } = this.#search;
    const scoring = weightsOf(
      { texts: this.#texts, length: this.#length, rows: this.#rowsWithToken },
      [...this.#tokens.keys()].map((token) => tokens.filter((each) => each === token).length),
    );
    return this.#found
      .map((found) => ({
        found,
        score: scoreOf(
          scoring,
          found.length,
          found.counts.map((count) => [count]),
          0,
        ),
      }))
      .sort(
        (one, other) => other.score - one.score || compareByOrder(keyOrder, one.found.key, other.found.key),
      )
      .slice(0, limit)
      .map(({ found }) => found.row);
  }

  #countsOf(words: readonly string[]): readonly number[] {
    const counts = new Array<number>(this.#tokens.size).fill(0);
    for (const word of words) {
      const token = this.#tokens.get(word);
      if (token !== undefined) counts[token] = (counts[token] ?? 0) + 1;
    }
    return counts;
  }
}
