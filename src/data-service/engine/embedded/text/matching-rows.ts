// Reads the rows of a `$match` in the order of their numbers: a page reads about the postings that it needs. Nothing is
// gained by reading the rows later, because at most one more than the page has is read.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { type ReadOutcome, rowsToRead } from '../../../query/read.js';
import { OutdatedPosition, type Position } from '../../../query/row-order.js';
import type { TextIndex } from '../../../schema/table.js';
import { decodeRows } from '../file/stored-rows.js';
import { sizeOfRows } from '../file/take-rows.js';
import type { Reader } from '../reads/reader.js';
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

/** What reads by words use. */
export interface WordReadTools {
  readonly reader: Pick<Reader, 'read'>;
  readonly scanner: SliceRunner;
  readonly slices?: ScanSlices | undefined;
}

/**
 * The outcome of a read with its rows: in slices, until there are as many as the plan needs. Rejects with
 * OutdatedPosition for a position in another order, and with an EngineError.
 */
export async function readMatchingRows(
  { plan, match, deadline }: RunningMatch,
  { scanner, slices }: WordReadTools,
): Promise<ReadOutcome> {
  const { after, maxBytes } = plan.page;
  const columns = [...plan.columns, rowNumberColumn];
  const slice = {
    ...wordsOf(plan, match),
    kind: 'match',
    reading: rowsByNumber(plan, match),
    most: slices?.walk.first ?? Number.MAX_SAFE_INTEGER,
  } as const;
  const found: SqlRowArray[] = [];
  let [bytes, isCut] = [0, false];
  let above: number | null = after === null ? 0 : readNumber(match.index, after);
  while (above !== null && !isCut && found.length < rowsToRead(plan)) {
    deadline.check();
    const limit = rowsToRead(plan) - found.length;
    const taken = await scanner.runSlice({ ...slice, above, limit }, maxBytes - bytes);
    const [stored = []] = taken.rows;
    found.push(...stored);
    bytes += sizeOfRows(stored);
    isCut = taken.isCut || bytes > maxBytes;
    above = taken.words?.through ?? null;
  }
  return {
    columns,
    order: null,
    applied: { filter: true, order: true },
    chunks: [decodeRows(found, columns, { plan, deadline })],
    positionOf: (row) => `${startOf(match.index)}${row[plan.columns.length]}`,
    endedForSize: () => isCut,
    deadline,
  };
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
