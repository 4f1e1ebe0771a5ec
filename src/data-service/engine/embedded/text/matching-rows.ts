// Reads the rows of a `$match` in the order of their numbers: a page reads about the postings that it needs.
import type { ReadOutcome, RowValues } from '../../../query/read.js';
import { rowsToRead } from '../../../query/read.js';
import { OutdatedPosition, type Position } from '../../../query/row-order.js';
import type { TextIndex } from '../../../schema/table.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import type { ScanSlices } from '../scans/scan.js';
import type { SliceRunner } from '../scans/scanner.js';
import type { RunningRead } from '../statements/ordered-plan.js';
import {
  rowNumberColumn,
  rowsByNumber,
  type WordMatch,
  wordsOf,
} from '../statements/text-search-statements.js';

/** A read of the rows of a match. */
export interface RunningMatch extends RunningRead {
  readonly match: WordMatch;
}

/**
 * The outcome of a read; its rows are read when they are needed.
 * @throws OutdatedPosition for a position in another order
 */
export function readMatchingRows(
  read: RunningMatch,
  scanner: SliceRunner,
  slices: ScanSlices | undefined,
): ReadOutcome {
  const { plan, match, deadline } = read;
  const position = plan.page.after;
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
  const columns = [...plan.columns, rowNumberColumn];
  const { maxBytes } = plan.page;
  const slice = {
    ...wordsOf(plan, match),
    kind: 'match',
    reading: rowsByNumber(plan, match),
    most: slices?.walk.first ?? Number.MAX_SAFE_INTEGER,
  } as const;
  let [bytes, found] = [0, 0];
  for (let above: number | null = after; above !== null && found < rowsToRead(plan); ) {
    deadline.check();
    const limit = rowsToRead(plan) - found;
    const { rows, isCut, words } = await scanner.runWords({ ...slice, above, limit }, maxBytes - bytes);
    const [stored = []] = rows;
    yield decodeRows(stored, columns, { plan, deadline });
    bytes += sizeOfRows(stored);
    found += stored.length;
    if (isCut || bytes > maxBytes) return onSizeReached();
    above = words?.through ?? null;
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
