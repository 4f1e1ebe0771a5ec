// Text searches: the best rows by score. Statistics are counted first, then the rows with all tokens are scored part by
// part, then the best ones are read; all of it in slices on the scan threads.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { text } from '../../../column-types/text.js';
import type { ReadOutcome } from '../../../query/read.js';
import { compareByOrder, type OrderValues, type RowOrder } from '../../../query/row-order.js';
import { tokenWeight, type WordSearch } from '../../../query/word-search.js';
import { decodeRows } from '../file/stored-rows.js';
import type { ScanSlices } from '../scans/scan.js';
import { ScanBudget } from '../scans/scan-budget.js';
import type { SliceRunner } from '../scans/scanner.js';
import type { RunningRead } from '../statements/ordered-plan.js';
import {
  bestWordsStatement,
  rowsOfWordsStatement,
  type Scoring,
  statisticsStatement,
  type WordMatch,
  wordMatch,
} from '../statements/text-search-statements.js';
import { nextSpan, spanBounds } from './row-spans.js';

/** A text search under way. */
export interface RunningWordSearch extends RunningRead {
  readonly wordSearch: WordSearch;
}

const firstCounted = 1_000_000;
/** The number of rows with the rarest token that the first slice should score. */
const firstScored = 20_000;
/** Some of the best rows may change before they are read: so many more are found. */
const spareRows = 16;

/**
 * Runs a search.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function findByWords(
  wanted: RunningWordSearch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): Promise<ReadOutcome> {
  const { plan, deadline, wordSearch } = wanted;
  const { index, tokens } = wordSearch;
  const match = wordMatch(
    plan.filter,
    index,
    ({ column, analyzer }) => column === index.column && analyzer !== undefined,
    tokens,
  );
  const found = match.tokens.length === 0 ? [] : await bestRows(wanted, match, scanner, slices);
  deadline.check();
  const statement = rowsOfWordsStatement(plan, match, found);
  const { rows, isCut } = await scanner.runSlice([statement], plan.maxBytes ?? Number.POSITIVE_INFINITY);
  const decoded = decodeRows(isCut ? [] : (rows[0] ?? []), plan.columns, wanted);
  return {
    columns: plan.columns,
    order: null,
    applied: { filter: true, order: true },
    chunks: [decoded],
    endedForSize: () => isCut,
    deadline,
  };
}

interface Statistics {
  readonly lastRow: number;
  /** Rows with a text, and the number of their tokens. */
  readonly rows: number;
  readonly length: number;
  readonly rowsOfToken: ReadonlyMap<SqlValue, number>;
}

async function readStatistics(
  { plan, deadline }: RunningWordSearch,
  match: WordMatch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): Promise<Statistics> {
  const budget = new ScanBudget(deadline, slices?.walk ?? { ...spanBounds, first: firstCounted });
  const rowsOfToken = new Map<SqlValue, number>();
  let [lastRow, rows, length] = [0, 0, 0];
  for (let above = 0; above === 0 || above < lastRow; ) {
    const span = nextSpan(above, budget);
    const statement = statisticsStatement(plan, match, span);
    const slice = await budget.run(() => scanner.runSlice([statement], Number.POSITIVE_INFINITY));
    const [last, texts, tokens, ...counts] = slice.rows[0]?.[0]?.map(Number) ?? [];
    if (above === 0) [lastRow, rows, length] = [last ?? 0, texts ?? 0, tokens ?? 0];
    for (const [at, token] of match.tokens.entries())
      rowsOfToken.set(token, (rowsOfToken.get(token) ?? 0) + (counts[at] ?? 0));
    above = span.through;
  }
  return { lastRow, rows, length, rowsOfToken };
}

interface Found {
  readonly number: number;
  readonly score: number;
  readonly values: OrderValues;
}

/** The numbers of the best rows, best first, some more than the limit. */
async function bestRows(
  wanted: RunningWordSearch,
  match: WordMatch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): Promise<readonly number[]> {
  const { plan, deadline, wordSearch } = wanted;
  const { lastRow, rows, length, rowsOfToken } = await readStatistics(wanted, match, scanner, slices);
  const byRows = [...rowsOfToken].sort(([, left], [, right]) => left - right);
  const rarest = byRows[0]?.[1] ?? 0;
  if (rarest === 0) return [];
  const sorted = { ...match, tokens: byRows.map(([token]) => token) };
  const weights = weightsOf(wordSearch.tokens, rows, rowsOfToken);
  const scoring: Scoring = { weights, averageLength: length / rows };
  const first = Math.max(spanBounds.least, Math.ceil((lastRow / rarest) * firstScored));
  const budget = new ScanBudget(deadline, slices?.walk ?? { ...spanBounds, first });
  const count = plan.limit + spareRows;
  let best: readonly Found[] = [];
  for (let above = 0; above < lastRow; ) {
    const span = nextSpan(above, budget);
    const statement = bestWordsStatement(plan, sorted, scoring, span, count);
    const slice = await budget.run(() => scanner.runSlice([statement], Number.POSITIVE_INFINITY));
    best = merge(best, foundIn(slice.rows[0] ?? [], plan.order), plan.order).slice(0, count);
    above = span.through;
  }
  return best.map(({ number }) => number);
}

/** The weight of each token, as often as the search has it. */
function weightsOf(
  tokens: readonly string[],
  rows: number,
  rowsOfToken: ReadonlyMap<SqlValue, number>,
): Scoring['weights'] {
  const weights = new Map<SqlValue, number>();
  for (const token of tokens) {
    const stored = text.sql.encode(token);
    const weight = tokenWeight(rows, rowsOfToken.get(stored) ?? 0);
    weights.set(stored, (weights.get(stored) ?? 0) + weight);
  }
  return [...weights];
}

function foundIn(stored: readonly (readonly SqlValue[])[], order: RowOrder): readonly Found[] {
  const keys = order.map(({ column }) => column);
  const values = decodeRows(
    stored.map((row) => row.slice(2)),
    keys,
  );
  return stored.map(([number, score], at) => ({
    number: Number(number),
    score: Number(score),
    values: values[at] ?? [],
  }));
}

function merge(best: readonly Found[], found: readonly Found[], order: RowOrder): readonly Found[] {
  if (best.length === 0 || found.length === 0) return best.length === 0 ? found : best;
  return [...best, ...found].sort(
    (left, right) => right.score - left.score || compareByOrder(order, left.values, right.values),
  );
}
