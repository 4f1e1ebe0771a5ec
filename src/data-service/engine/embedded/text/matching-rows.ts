// Reads the rows of a `$match` in the order of their numbers, which is the order of the postings of each token: a page
// reads no more postings than it needs.
import type { ReadOutcome, RowValues } from '../../../query/read.js';
import { rowsToRead } from '../../../query/read.js';
import { OutdatedPosition, type Position } from '../../../query/row-order.js';
import type { TextIndex } from '../../../schema/table.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import type { ScanSlices } from '../scans/scan.js';
import { ScanBudget } from '../scans/scan-budget.js';
import type { SliceRunner } from '../scans/scanner.js';
import type { RunningRead } from '../statements/ordered-plan.js';
import {
  fewRowsStatement,
  matchingRowsStatement,
  rowNumberColumn,
  type WordMatch,
} from '../statements/text-search-statements.js';
import { nextSpan, spanBounds } from './row-spans.js';

/** A read of the rows of a match. */
export interface RunningMatch extends RunningRead {
  readonly match: WordMatch;
  readonly position: Position | null;
}

const firstSpan = 100_000;
/** Rows are counted up to here to find the rarest token. */
const mostCounted = 1_000;

/**
 * The outcome of a read; its rows are read when they are needed.
 * @throws OutdatedPosition for a position in another order
 */
export function readMatchingRows(
  read: RunningMatch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): ReadOutcome {
  const { plan, match, position, deadline } = read;
  const after = position === null ? 0 : readNumber(match.index, position);
  let isCut = false;
  const onSizeReached = () => {
    isCut = true;
  };
  return {
    columns: [...plan.columns, rowNumberColumn],
    order: null,
    applied: { filter: true, order: true },
    chunks: matchingChunks(read, after, scanner, slices, onSizeReached),
    positionOf: (row) => `${startOf(match.index)}${row[plan.columns.length]}`,
    endedForSize: () => isCut,
    deadline,
  };
}

async function* matchingChunks(
  { plan, match, deadline }: RunningMatch,
  after: number,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
  onSizeReached: () => void,
): AsyncIterable<readonly RowValues[]> {
  const budget = new ScanBudget(deadline, slices?.walk ?? { ...spanBounds, first: firstSpan });
  const counting = await scanner.runSlice(
    [fewRowsStatement(plan, match, mostCounted)],
    Number.POSITIVE_INFINITY,
  );
  const [lastRow = 0, ...counts] = counting.rows[0]?.[0]?.map(Number) ?? [];
  const countOf = new Map(match.tokens.map((token, at) => [token, counts[at] ?? 0]));
  const tokens = [...match.tokens].sort(
    (left, right) => (countOf.get(left) ?? 0) - (countOf.get(right) ?? 0),
  );
  if (counts.includes(0)) return;
  const maxBytes = plan.maxBytes ?? Number.POSITIVE_INFINITY;
  let [bytes, found] = [0, 0];
  for (let above = after; above < lastRow && found < rowsToRead(plan); ) {
    const span = nextSpan(above, budget);
    const statement = matchingRowsStatement(plan, { ...match, tokens }, span, rowsToRead(plan) - found);
    const { rows, isCut } = await budget.run(() => scanner.runSlice([statement], maxBytes - bytes));
    const [stored = []] = rows;
    yield decodeRows(stored, statement.columns, { plan, deadline });
    bytes += sizeOfRows(stored);
    found += stored.length;
    if (plan.maxBytes !== undefined && (isCut || bytes > maxBytes)) return onSizeReached();
    above = span.through;
  }
}

/** Positions in this order begin so; the identity of an index is never used again. */
function startOf({ id }: TextIndex): string {
  return `text ${id} `;
}

function readNumber(index: TextIndex, position: Position): number {
  const start = startOf(index);
  const number = position.startsWith(start) ? Number(position.slice(start.length)) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new OutdatedPosition();
  return number;
}
