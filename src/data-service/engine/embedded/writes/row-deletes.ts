// Deletes of the rows of a range: many of them in portions, between which other writes have their turn.
import type { Database } from '../../../../foundation/sqlite/open-database.js';
import type { Clock } from '../../../../foundation/telemetry/clock.js';
import { conjunctionOf } from '../../../query/filter.js';
import { wholeKeyOf } from '../../../query/key-filter.js';
import type { DeletePlan } from '../../../query/write.js';
import {
  deleteStatements,
  fittingRows,
  hasMoreRows,
  portionStatements,
} from '../statements/delete-statements.js';
import type { WriteRows } from './row-changes.js';

/** The rows of the first portion. Large rows, or those with many index entries, can take 100 µs each. */
const firstPortion = 500;
const [leastPortion, mostPortion] = [50, 20_000];
/** Where texts are analyzed again, the sizes of those of a portion are read before. */
const mostWithTexts = 2_000;
/** A portion that took less is followed by a larger one, and one that took more by a smaller one. */
const [shortMs, longMs] = [25, 100];

/** What deletes need of their engine. */
export interface RowDeleteParts {
  /** Writes as a part of an accepted call: also while the engine closes. */
  readonly write: WriteRows;
  /** Runs a short read. Rejects with an EngineError. */
  readonly read: <Result>(run: (database: Database) => Result) => Promise<Result>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Whether the engine closes, so that nothing waits for a turn between portions. */
  readonly isClosing: () => boolean;
}

/** Deletes rows by a condition. */
export class RowDeletes {
  readonly #parts: RowDeleteParts;

  constructor(parts: RowDeleteParts) {
    this.#parts = parts;
  }

  /**
   * Deletes the rows that match, each portion in a commit of its own, and the last one together with static values.
   * While the engine closes, the last one has all that are left. Rejects with an EngineError; then the rows of earlier
   * portions may be deleted.
   */
  async delete(plan: DeletePlan): Promise<void> {
    const { write, read, clock, isClosing } = this.#parts;
    const hasMore = (rows: number) => read((database) => hasMoreRows(database, plan, rows));
    const hasTexts = plan.table.indexes.some(({ kind }) => kind === 'text');
    const most = hasTexts ? mostWithTexts : mostPortion;
    for (let wanted = firstPortion; !isClosing(); ) {
      const rows = hasTexts ? await read((database) => fittingRows(database, plan, wanted)) : wanted;
      if (!(await hasMore(rows)) || isClosing()) break;
      const beganMs = clock.monotonicMs();
      await write(plan.table, portionStatements(plan, rows));
      wanted = Math.min(nextPortion(wanted, clock.monotonicMs() - beganMs), most);
    }
    return write(plan.table, deleteStatements(plan));
  }
}

/** Whether a delete is about one row, by its key. */
export function isOneRow({ filter, table }: DeletePlan): boolean {
  const comparisons = conjunctionOf(filter);
  return comparisons !== undefined && wholeKeyOf(comparisons, table) !== undefined;
}

function nextPortion(rows: number, tookMs: number): number {
  if (tookMs < shortMs) return Math.min(rows * 4, mostPortion);
  return tookMs > longMs ? Math.max(Math.floor(rows / 4), leastPortion) : rows;
}
