// A read plan as this engine carries it out: in an order of columns, and behind the values that a position names.

import type { ReadPlan, RowValues } from '../../../query/read.js';
import {
  type OrderValues,
  type Position,
  type RowOrder,
  readPosition,
  writePosition,
} from '../../../query/row-order.js';
import type { Column } from '../../../schema/table.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';

/** A plan whose order is chosen and whose position is read; that of a search has none. */
export interface OrderedPlan extends Omit<ReadPlan, 'order' | 'after'> {
  readonly order: RowOrder;
  /** Only rows behind these values. */
  readonly after: OrderValues | null;
}

/** A read that is carried out, and until when. */
export interface RunningRead {
  readonly plan: OrderedPlan;
  readonly deadline: ReadTimeLimit;
}

/**
 * The plan in that order, which is its own where it has one.
 * @throws OutdatedPosition for a position in another order: an index came or went since
 */
export function orderedPlan(plan: ReadPlan, order: RowOrder): OrderedPlan {
  if (isOrdered(plan)) return plan;
  const after = plan.after === null ? null : readPosition(order, plan.after);
  return { ...plan, order, after };
}

/** Whether the plan asks for an order of columns and begins where that does: it is carried out as it is. */
function isOrdered(plan: ReadPlan): plan is ReadPlan & { readonly order: RowOrder; readonly after: null } {
  return plan.order !== null && plan.after === null;
}

/** The columns to read: those wanted, and those it takes to name the position. */
export function columnsToRead({ columns, order, wantsPosition }: OrderedPlan): readonly Column[] {
  if (!wantsPosition) return columns;
  const missing = order.map(({ column }) => column).filter((column) => !columns.includes(column));
  return missing.length === 0 ? columns : [...columns, ...missing];
}

/** Names positions behind rows of the columns to read. */
export function positionNamer(
  { order }: OrderedPlan,
  columns: readonly Column[],
): (row: RowValues) => Position {
  return (row) =>
    writePosition(
      order,
      order.map(({ column }) => row[columns.indexOf(column)]),
    );
}
