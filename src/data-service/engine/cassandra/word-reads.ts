// Searches by words. In collections, terms find the texts that have the words of a search; in tables, all texts are
// read. The server splits them and scores those that have the words, up to the limits of what it does itself.
import { comparedColumns, matchesFilter } from '../../query/filter.js';
import {
  bytesOf,
  FirstRows,
  finishLimits,
  tooManyToHold,
  tooManyToLookAt,
} from '../../query/finish-limits.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../query/read.js';
import { compareByOrder, type OrderValues } from '../../query/row-order.js';
import {
  distinctTokens,
  scoreOf,
  type WordScoring,
  type WordSearch,
  weightsOf,
} from '../../query/word-search.js';
import type { Column } from '../../schema/table.js';
import {
  type CountedWords,
  hasAllWords,
  type ReadCandidates,
  WordCounter,
  wordStatistics,
} from './word-statistics.js';

/** A row that has all words and matches the filter. */
interface FoundRow extends CountedWords {
  readonly row: RowValues;
  readonly key: OrderValues;
}

interface ScoredRow extends FoundRow {
  readonly score: number;
}

/**
 * The best rows of a search by words, equally good ones in the order of the key.
 * @throws EngineError; ApiError TIMEOUT_READING_DATA beyond the limits
 */
export async function readWords(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<ReadOutcome> {
  const { page } = plan;
  const read = await readCandidates(candidatesOf(plan, search));
  const found = new FoundRows(plan, search, read.columns);
  let scoring: WordScoring | undefined;
  let looked = 0;
  for await (const chunk of read.chunks) {
    read.deadline?.check();
    looked += chunk.length;
    if (looked > finishLimits.rows) throw tooManyToLookAt(finishLimits);
    found.take(chunk);
    // Most searches find few rows; the order of one needs no scores.
    if (found.unscored > page.limit || found.unscoredBytes > finishLimits.bytes) {
      scoring ??= await scoringOf(plan, search, readCandidates);
      found.score(scoring);
    }
  }
  if (found.unscored > 1 || scoring !== undefined)
    found.score(scoring ?? (await scoringOf(plan, search, readCandidates)));
  return { ...read, order: plan.order, applied: { filter: true, order: true }, chunks: [found.best()] };
}

/** The read of all rows that may be found, with what is compared of them. */
function candidatesOf(plan: ReadPlan, search: WordSearch): ReadPlan {
  const { table, filter } = plan;
  const needed = [...plan.columns, search.column, ...table.keyColumns, ...comparedColumns(filter)];
  const limit = finishLimits.rows + 1;
  const page = { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
  return { ...plan, columns: [...new Set(needed)], page };
}

async function scoringOf(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<WordScoring> {
  const occurrences = distinctTokens(search.tokens).map(
    (token) => search.tokens.filter((each) => each === token).length,
  );
  return weightsOf(await wordStatistics(plan, search, readCandidates), occurrences);
}

/** The rows that are found, of which the best are kept. */
class FoundRows {
  readonly #plan: ReadPlan;
  readonly #search: WordSearch;
  readonly #counter: WordCounter;
  readonly #places: ReadonlyMap<Column, number>;
  readonly #best: FirstRows<ScoredRow>;
  readonly #columns: readonly Column[];
  #unscored: FoundRow[] = [];
  /** The bytes of the rows that were taken and have no score. */
  unscoredBytes = 0;

  constructor(plan: ReadPlan, search: WordSearch, columns: readonly Column[]) {
    const { keyOrder } = plan.table;
    this.#plan = plan;
    this.#search = search;
    this.#columns = columns;
    this.#counter = new WordCounter(search);
    this.#places = new Map(columns.map((column, at) => [column, at]));
    this.#best = new FirstRows(
      { wanted: plan.page.limit, columns, mostBytes: finishLimits.bytes },
      (one, other) => other.score - one.score || compareByOrder(keyOrder, one.key, other.key),
      () => tooManyToHold(finishLimits),
    );
  }

  /** The number of rows that were taken and have no score. */
  get unscored(): number {
    return this.#unscored.length;
  }

  /** Takes the rows that match. */
  take(rows: readonly RowValues[]): void {
    const { table, filter } = this.#plan;
    for (const row of rows) {
      const valueIn = (column: Column) => row[this.#places.get(column) ?? -1] ?? null;
      const counted = this.#counter.count(valueIn(this.#search.column));
      if (counted === undefined || !hasAllWords(counted) || !matchesFilter(filter, valueIn)) continue;
      this.#unscored.push({ ...counted, row, key: table.keyColumns.map(valueIn) });
      this.unscoredBytes += bytesOf(row, this.#columns);
    }
  }

  /** @throws ApiError TIMEOUT_READING_DATA for rows that are too large to be held */
  score(scoring: WordScoring): void {
    for (const found of this.#unscored)
      this.#best.add({ ...found, score: scoreOf(scoring, found.length, found.counts) });
    this.#unscored = [];
    this.unscoredBytes = 0;
  }

  /** The best rows; those without a score where none has one. */
  best(): readonly RowValues[] {
    const best: readonly FoundRow[] = this.#unscored.length > 0 ? this.#unscored : this.#best.sorted();
    return best.map(({ row }) => row);
  }
}
