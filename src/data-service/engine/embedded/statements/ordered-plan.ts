// A read plan with the order in which this engine runs it, and with the values of its position.

import { type ReadPlan, type RowValues, wantsPosition } from '../../../query/read.js';
import {
  type OrderValues,
  type Position,
  type RowOrder,
  readPosition,
  writePosition,
} from '../../../query/row-order.js';
import type { Column, ContainerIndex } from '../../../schema/table.js';
import type { ReadTimeLimit } from '../../read-time-limit.js';

/** A plan with a chosen order and a parsed position; a search has no position. */
export interface OrderedPlan extends Omit<ReadPlan, 'order'> {
  readonly order: RowOrder;
  /** Only rows after these values: the position of the page. Absent if the read begins at the first row. */
  readonly after?: OrderValues;
  /** The rows are found by these members in a container index; the order is that of the key. */
  readonly members?: MemberEntries;
}

/** Rows that have one of some members, found in a container index. */
export interface MemberEntries extends MembersOfIndex {
  /** The rows must also have one of the members of each of these. */
  readonly probes: readonly MembersOfIndex[];
}

/** Members in a container index. */
export interface MembersOfIndex {
  readonly index: ContainerIndex;
  /** Different, at least one. */
  readonly identities: readonly string[];
}

/** A read under way, with its time limit. */
export interface RunningRead {
  readonly plan: OrderedPlan;
  readonly deadline: ReadTimeLimit;
}

/**
 * The plan with this order, which is its own order if it has one.
 * @throws OutdatedPosition for a position in another order: an index was created or dropped since
 */
export function orderedPlan(plan: ReadPlan, order: RowOrder): OrderedPlan {
  if (isOrdered(plan)) return plan;
  const { after } = plan.page;
  return after === null ? { ...plan, order } : { ...plan, order, after: readPosition(order, after) };
}

/** Whether the plan has an order and no position, so that it can run unchanged. */
function isOrdered(plan: ReadPlan): plan is ReadPlan & { readonly order: RowOrder } {
  return plan.order !== null && plan.page.after === null;
}

/** The columns to read: those of the plan, and those of its position. */
export function columnsToRead({ columns, order, page }: OrderedPlan): readonly Column[] {
  if (!wantsPosition(page)) return columns;
  const missing = order.map(({ column }) => column).filter((column) => !columns.includes(column));
  return missing.length === 0 ? columns : [...columns, ...missing];
}

/** Creates the function that writes positions from rows with the columns to read. */
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
