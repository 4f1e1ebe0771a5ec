// Reads the points of many series for one answer: in steps, each row of the file once, and within limits.
import { badRequest } from '../errors/validation.js';
import type { PointSums } from './point-sums.js';
import type { Steps } from './rollup-format.js';
import type { Series } from './series.js';
import type { NumberedSeries } from './series-index.js';

/** The maximum number of values of an answer, including missing ones. */
const mostValues = 1_000_000;
/**
 * The maximum number of rows, of 256 series each, that an answer reads, and of values in them: about two seconds of
 * work.
 */
const mostRows = 50_000;
const mostValuesRead = 2_000_000;
/** An answer up to these limits takes only a few milliseconds. */
const fewRows = 200;
const fewValues = 5000;

/** The cost of an answer: rows of the file, values in them, values of the answer. */
export interface AnswerCost {
  readonly rows: number;
  readonly read: number;
  readonly values: number;
}

/** The cost of combining these series into a number of `lists` of values. */
export function costOf(
  series: Series,
  found: readonly NumberedSeries[],
  { count }: Steps,
  lists: number,
): AnswerCost {
  const rows = series.rowsPerStep(found.map(({ id }) => id)) * count;
  return { rows, read: found.length * count, values: lists * count };
}

/** Whether an answer fits into one turn of the event loop with other work. */
export function isShort({ rows, read, values }: AnswerCost): boolean {
  return rows <= fewRows && read <= fewValues && values <= fewValues;
}

/** `path` is the parameter that the error names. @throws OpsError `BadRequest` that names the limit */
export function limitCost({ rows, read, values }: AnswerCost, path: string): void {
  const advice = 'take a longer step, a shorter time or fewer metrics';
  if (values > mostValues) {
    throw badRequest([{ path, message: `selects more than ${mostValues} values: ${advice}` }]);
  }
  if (rows <= mostRows && read <= mostValuesRead) return;
  const limit = rows > mostRows ? `${mostRows} rows of the file` : `${mostValuesRead} values of all nodes`;
  throw badRequest([{ path, message: `takes more than ${limit} to answer: ${advice}` }]);
}

/** Adds the points of each series to its sums, one row of the file in each step. */
export function sumPoints(
  series: Series,
  sumsOf: ReadonlyMap<number, PointSums>,
  steps: Steps,
): Iterable<void> {
  return series.walk([...sumsOf.keys()], steps, (id, point) => sumsOf.get(id)?.add(point));
}
