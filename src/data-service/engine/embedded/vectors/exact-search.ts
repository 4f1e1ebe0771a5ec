// The exact vector search: looks at every row of the filter, slice by slice, off the main thread.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { conjunctionOf } from '../../../query/filter.js';
import {
  comparePositions,
  type Position,
  type ReadOutcome,
  type RowOrder,
  type RowValues,
} from '../../../query/read.js';
import { chooseReadOrder } from '../../../query/read-order.js';
import { similarityColumn, similarityOf } from '../../../query/vector-search.js';
import { decodeRows } from '../reader.js';
import { type ScanLimits, scanInSlices } from '../scan.js';
import type { Scanner } from '../scanner.js';
import { readPath, type SelectStatement } from '../select-statement.js';
import { bestOfSlice, rowsByNumber, type SearchPlan } from './search-statements.js';

/** Rows found beyond those wanted: some of the best may be deleted or changed before they are read. */
const spareRows = 16;

/** What a search needs beside its plan. */
export interface SearchTools {
  readonly scanner: Scanner;
  readonly limits: ScanLimits;
}

/**
 * Carries a search out.
 * @throws EngineError `timeout`, `closed`, `schemaChanged`, `readFailed`
 */
export async function searchExactly(wanted: SearchPlan, tools: SearchTools): Promise<ReadOutcome> {
  return readRanked(wanted, await bestRows(wanted, tools), tools.scanner);
}

/**
 * Reads the rows of a search by their numbers. They are ranked anew: rows may have changed since they were found, and
 * those that no longer match are left out.
 */
export async function readRanked(
  wanted: SearchPlan,
  rowIds: readonly bigint[],
  scanner: Scanner,
): Promise<ReadOutcome> {
  const statement = rowsByNumber(wanted, rowIds);
  const { rows, isCut } = await scanner.runSlice([statement], maxBytesOf(wanted));
  return rankedOutcome(wanted, statement, rows[0] ?? [], isCut);
}

/** What a search may give, see `ReadPlan`. */
export function maxBytesOf({ plan }: SearchPlan): number {
  return plan.maxBytes ?? Number.POSITIVE_INFINITY;
}

/** The outcome of a search from the rows of its `rowsByNumber`, as they are stored. */
export function rankedOutcome(
  { plan, search }: SearchPlan,
  statement: SelectStatement,
  rows: readonly SqlRowArray[],
  isCut: boolean,
): ReadOutcome {
  const { columns } = plan;
  const ranked = decodeRows(rows, statement.columns).map(([score, ...stored]) => {
    if (!columns.includes(similarityColumn)) return stored;
    return [...stored, similarityOf(search.metric, Number(score))];
  });
  return {
    columns: [...statement.columns.slice(1), similarityColumn].filter((column) => columns.includes(column)),
    applied: { filter: true, order: true },
    chunks: [ranked],
    endedForSize: () => isCut,
  };
}

interface Found {
  readonly rowId: bigint;
  readonly score: number;
  readonly position: Position;
}

/** The numbers of the best rows, best first, some more than are wanted. */
async function bestRows(wanted: SearchPlan, { scanner, limits }: SearchTools): Promise<readonly bigint[]> {
  const { maxBytes: _, search: __, ...plan } = wanted.plan;
  const count = plan.limit + spareRows;
  // The walk goes along the index that narrows most, whatever order the rows have in the end.
  const walked = { ...plan, order: chooseReadOrder(plan.filter, plan.table) };
  const path = readPath(walked);
  const restrictions = path.kind === 'point' ? (conjunctionOf(plan.filter) ?? []) : path.restrictions;
  const slices = scanInSlices(walked, restrictions, scanner, limits, neverReached, (_, range, rows) =>
    bestOfSlice(wanted, walked, range, rows, count),
  );
  let best: readonly Found[] = [];
  for await (const rows of slices) best = mergeBest(best, rows.map(toFound), plan.order).slice(0, count);
  return best.map(({ rowId }) => rowId);
}

function neverReached(): void {
  throw new TypeError('a search without a limit of bytes reached it');
}

function toFound([rowId, score, ...position]: RowValues): Found {
  return { rowId: BigInt(String(rowId)), score: Number(score), position };
}

function mergeBest(best: readonly Found[], found: readonly Found[], order: RowOrder): readonly Found[] {
  if (found.length === 0) return best;
  return [...best, ...found].sort(
    (left, right) => right.score - left.score || comparePositions(order, left.position, right.position),
  );
}
