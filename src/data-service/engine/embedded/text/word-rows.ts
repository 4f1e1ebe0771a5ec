// Text searches: the best rows by score. A short search runs at once. Otherwise slices on the scan threads score the
// rows with all tokens, part by part. If one slice is enough, it also reads the best rows; otherwise they are read at
// the end.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { ReadOutcome } from '../../../query/read.js';
import type { WordSearch } from '../../../query/word-search.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import { indexedToken } from '../file/text-functions.js';
import type { BestRow } from '../postings/best-rows.js';
import {
  type NumbersSlice,
  runShortSearch,
  shortSearchRowBytes,
  type WordFindings,
} from '../postings/word-slices.js';
import type { SliceRunner } from '../scans/scanner.js';
import type { FilterStatement } from '../statements/filter-statement.js';
import type { OrderedPlan, RunningRead } from '../statements/ordered-plan.js';
import {
  isFiltered,
  numbersInOrder,
  rowNumberColumn,
  rowsByNumber,
  type WordMatch,
  wordMatch,
  wordsOf,
} from '../statements/text-search-statements.js';
import type { WordReadTools } from './matching-rows.js';

/** A text search under way. */
export interface RunningWordSearch extends RunningRead {
  readonly search: WordSearch;
}

/** Returns how the rows that pass the filter of a plan are found; undefined if all rows pass. */
type FilterOf = (plan: OrderedPlan) => Promise<FilterStatement | undefined>;

/** Some of the best rows may change before they are read: so many more are found. */
const spareRows = 16;

/** Rows in their stored form. */
interface FoundRows {
  readonly rows: readonly SqlRowArray[];
  readonly isCut: boolean;
}

/**
 * Runs a search.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function findByWords(
  wanted: RunningWordSearch,
  tools: WordReadTools,
  filterOf: FilterOf,
): Promise<ReadOutcome> {
  const { plan, deadline, search } = wanted;
  const { index, tokens } = search;
  const isServed = (column: unknown, analyzer: unknown) => column === index.column && analyzer !== undefined;
  const match = wordMatch(plan.filter, index, ({ column, analyzer }) => isServed(column, analyzer), tokens);
  const found =
    match.tokens.length === 0 ? { rows: [], isCut: false } : await findRows(wanted, match, tools, filterOf);
  const columns = [...plan.columns, rowNumberColumn];
  const decoded = decodeRows(found.isCut ? [] : found.rows, columns, wanted);
  return {
    columns: plan.columns,
    order: null,
    applied: { filter: true, order: true },
    chunks: [decoded.map((row) => row.slice(0, plan.columns.length))],
    endedForSize: () => found.isCut,
    deadline,
  };
}

async function findRows(
  { plan, deadline, search }: RunningWordSearch,
  match: WordMatch,
  { reader, scanner, slices }: WordReadTools,
  filterOf: FilterOf,
): Promise<FoundRows> {
  const { limit, maxBytes } = plan.page;
  const occurrences = match.tokens.map(
    (token) => search.tokens.filter((each) => indexedToken(each) === token).length,
  );
  const filter = isFiltered(match) ? await filterOf({ ...plan, filter: match.rest }) : undefined;
  const wanted = {
    ...wordsOf(plan, match),
    kind: 'score',
    sort: numbersInOrder(plan, match),
    isFiltered: isFiltered(match),
    filtered: filter?.kind === 'seek' ? filter : undefined,
    limit,
    count: limit + spareRows,
    occurrences,
    most: slices?.walk.first ?? Number.MAX_SAFE_INTEGER,
  } as const;
  const reading = rowsByNumber(plan, match, shortSearchRowBytes);
  const short = await reader.read(
    (database) => runShortSearch(database, { ...wanted, reading, above: 0, best: [] }),
    true,
  );
  if (short !== undefined) return short;
  const slice = { ...wanted, reading: rowsByNumber(plan, match) };
  let first: WordFindings | undefined;
  let best: readonly BestRow[] = [];
  for (let above: number | null = 0; above !== null; ) {
    deadline.check();
    const { statistics } = first ?? {};
    const { rows, isCut, words } = await scanner.runSlice({ ...slice, above, statistics, best }, maxBytes);
    if (words?.best === undefined) return { rows: rows[0] ?? [], isCut };
    ({ best, through: above } = words);
    first ??= words;
  }
  const { isFiltered: _, filtered: __, ...rest } = slice;
  const last = { ...rest, kind: 'numbers', age: first?.age ?? 0 } as const;
  return readBest(last, best, scanner, maxBytes, () => deadline.check());
}

async function readBest(
  slice: Omit<NumbersSlice, 'numbers'>,
  best: readonly BestRow[],
  scanner: SliceRunner,
  maxBytes: number,
  checkDeadline: () => void,
): Promise<FoundRows> {
  const found: SqlRowArray[] = [];
  let numbers = best.map(({ row }) => row);
  let bytes = 0;
  while (numbers.length > 0 && found.length < slice.limit) {
    checkDeadline();
    const request = { ...slice, numbers, limit: slice.limit - found.length };
    const { rows, isCut, words } = await scanner.runSlice(request, maxBytes - bytes);
    const [stored = []] = rows;
    found.push(...stored);
    bytes += sizeOfRows(stored);
    if (isCut) return { rows: found, isCut };
    numbers = numbers.slice(words?.through ?? numbers.length);
  }
  return { rows: found, isCut: false };
}
