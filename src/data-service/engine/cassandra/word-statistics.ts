// Numbers of texts by which searches by words are scored. The first texts in the order of tokens stand for all where
// there are more of them: the tokens of documents are spread evenly, so the share of all tokens up to the last one that
// was read is about the share of the texts.
import { matchAll } from '../../query/filter.js';
import { finishLimits, tooManyToLookAt } from '../../query/finish-limits.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../query/read.js';
import { distinctTokens, tokensOf, type WordSearch, type WordStatistics } from '../../query/word-search.js';
import { isCollection } from '../../schema/collection.js';
import type { Column } from '../../schema/table.js';
import { hasTokenTerms } from './schema/engine-state.js';
import { tokenColumn } from './statements/select-statements.js';

/** Texts that are counted; the number of more texts is estimated. */
const mostCounted = 1_000;
/** Counts of texts that are under way at the same time. */
const mostAtOnce = 8;

/**
 * Reads rows in the order of tokens of partitions. Of a plan that searches by words, all rows with the words come, and
 * others may; without words, all rows that have a text.
 */
export type ReadCandidates = (plan: ReadPlan) => Promise<ReadOutcome>;

/** The words of a text. */
export interface CountedWords {
  /** How often the text has each word of the search. */
  readonly counts: readonly number[];
  /** How many words the text has. */
  readonly length: number;
}

/** Counts the words of a search in texts. */
export class WordCounter {
  readonly #search: WordSearch;
  /** Each word once, with its place. */
  readonly #places: ReadonlyMap<string, number>;

  constructor(search: WordSearch) {
    this.#search = search;
    this.#places = new Map(distinctTokens(search.tokens).map((token, at) => [token, at]));
  }

  /** Undefined for null. */
  count(text: unknown): CountedWords | undefined {
    if (typeof text !== 'string') return undefined;
    const words = tokensOf(text, this.#search.index.analyzer);
    const counts = new Array<number>(this.#places.size).fill(0);
    for (const word of words) {
      const place = this.#places.get(word);
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
    }
    return { counts, length: words.length };
  }
}

/** Whether a text has each word of the search. */
export function hasAllWords({ counts }: CountedWords): boolean {
  return !counts.includes(0);
}

/**
 * The numbers for the scores of a search. Where terms find texts, they are exact up to `mostCounted` texts, otherwise
 * estimated; else all texts are counted.
 * @throws EngineError; ApiError TIMEOUT_READING_DATA beyond the limits
 */
export function wordStatistics(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<WordStatistics> {
  const { table } = plan;
  const isByTerms = isCollection(table) && hasTokenTerms(table);
  return (isByTerms ? countByTerms : countAll)(plan, search, readCandidates);
}

/** The weight of a single word changes no order, so its texts are not counted. */
async function countByTerms(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<WordStatistics> {
  const tokens = distinctTokens(search.tokens);
  const single = tokens.length === 1 ? [] : tokens.map((token) => [token]);
  const counts = new Array<TextCount>(1 + single.length).fill(noTexts);
  const waiting = [[], ...single].entries();
  const countNext = async () => {
    for (const [at, words] of waiting)
      counts[at] = await countTexts(plan, { ...search, tokens: words }, readCandidates);
  };
  await Promise.all(Array.from({ length: mostAtOnce }, countNext));
  const [{ texts, length } = noTexts, ...ofTokens] = counts;
  // Estimates of both can differ the other way round.
  return { texts, length, rows: ofTokens.map((own) => Math.min(own.texts, texts)) };
}

/** The number of some texts, and of their words. */
interface TextCount {
  readonly texts: number;
  readonly length: number;
}

const noTexts: TextCount = { texts: 0, length: 0 };

/** Counts the texts that have all words of a search. */
async function countTexts(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<TextCount> {
  const columns = [tokenColumn, search.column];
  const read = await readCandidates(countingPlan(plan, search, columns, mostCounted + 1));
  const counter = new WordCounter(search);
  const [tokenPlace, textPlace] = [read.columns.indexOf(tokenColumn), read.columns.indexOf(search.column)];
  let [texts, length] = [0, 0];
  for await (const row of rowsIn(read)) {
    const counted = counter.count(row[textPlace]);
    if (counted === undefined || !hasAllWords(counted)) continue;
    texts += 1;
    length += counted.length;
    if (texts > mostCounted) return estimated({ texts, length }, row[tokenPlace] as bigint); // its type
  }
  return { texts, length };
}

/** Counts every text of a table. */
async function countAll(
  plan: ReadPlan,
  search: WordSearch,
  readCandidates: ReadCandidates,
): Promise<WordStatistics> {
  const read = await readCandidates(countingPlan(plan, search, [search.column], finishLimits.rows + 1));
  const counter = new WordCounter(search);
  const textPlace = read.columns.indexOf(search.column);
  const rows = distinctTokens(search.tokens).map(() => 0);
  let [texts, length] = [0, 0];
  for await (const row of rowsIn(read)) {
    const counted = counter.count(row[textPlace]);
    if (counted === undefined) continue;
    texts += 1;
    length += counted.length;
    for (const [at, count] of counted.counts.entries()) if (count > 0) rows[at] = (rows[at] ?? 0) + 1;
  }
  return { texts, length, rows };
}

function countingPlan(
  plan: ReadPlan,
  search: WordSearch,
  columns: readonly Column[],
  limit: number,
): ReadPlan {
  const page = { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
  return { ...plan, columns, filter: matchAll, order: null, search, page };
}

/** The rows of a read, as many as the server looks at. @throws ApiError TIMEOUT_READING_DATA for more */
async function* rowsIn({ chunks, deadline }: ReadOutcome): AsyncIterable<RowValues> {
  let looked = 0;
  for await (const chunk of chunks) {
    deadline?.check();
    looked += chunk.length;
    if (looked > finishLimits.rows) throw tooManyToLookAt(finishLimits);
    yield* chunk;
  }
}

const leastToken = -(2n ** 63n);

/** The count of all texts, of those up to a token. The last text, which has this token, only ends the count. */
function estimated({ texts, length }: TextCount, token: bigint): TextCount {
  const share = Number(token - leastToken) / 2 ** 64;
  const all = (texts - 1) / share;
  return { texts: all, length: (all * length) / texts };
}
