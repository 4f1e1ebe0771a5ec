// Orders of rows by columns, and positions in them: for engines that have no others, and for orders that they leave
// undone.
import { isJsonArray } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { ValueMismatch } from '../column-types/column-type.js';
import type { Column } from '../schema/table.js';

/** A column that rows are ordered by. */
export interface OrderColumn {
  readonly column: Column;
  readonly direction: 1 | -1;
}

/** Columns whose values together are different for any two rows. */
export type RowOrder = readonly OrderColumn[];

/** The values of a row in the columns of an order. */
export type OrderValues = readonly unknown[];

/** A position of a read: a text that only its writer reads, the engine or `finishRead`. Well-formed Unicode. */
export type Position = string;

/** The error for a position in another order than the present one, or for a text that is not a position. */
export class OutdatedPosition extends Error {
  constructor() {
    super('the rows came in another order when the position was given');
  }
}

/** Compares two rows by the columns of an order. */
export function compareByOrder(order: RowOrder, left: OrderValues, right: OrderValues): number {
  // Called for every row of every reply: a counted loop allocates nothing.
  for (let at = 0; at < order.length; at += 1) {
    const part = order[at];
    const difference =
      part === undefined ? 0 : part.column.type.compare(left[at], right[at]) * part.direction;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A key has at most 65,535 bytes for each column, so its JSON text is far below this. */
const jsonLimits = { maxDepth: 4, maxNumberLength: 200_002 };

/** The position after a row with these values: the order, then the values as JSON. */
export function writePosition(order: RowOrder, values: OrderValues): Position {
  const texts = order.map(({ column }, at) => column.type.serialize(values[at]));
  return `${pathOf(order)}[${texts.join(',')}]`;
}

/** @throws OutdatedPosition for a position in another order, or whose values are none of the present types */
export function readPosition(order: RowOrder, position: Position): OrderValues {
  const path = pathOf(order);
  if (!position.startsWith(`${path}[`)) throw new OutdatedPosition();
  const values = parseJson(position.slice(path.length), jsonLimits);
  if (!isJsonArray(values)) throw new TypeError('a position holds no array');
  try {
    return order.map(({ column }, at) => column.type.parse(values[at] ?? null));
  } catch (error) {
    if (error instanceof ValueMismatch) throw new OutdatedPosition();
    throw error;
  }
}

function pathOf(order: RowOrder): string {
  return order.map(({ column, direction }) => `${column.id}:${direction}`).join(',');
}
