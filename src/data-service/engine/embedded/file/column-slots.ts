// Slots are the positions of column values in rows. The slot of a dropped column is free when its values are removed.
import { getOrMake } from '../../../../foundation/get-or-make.js';
import {
  type Column,
  type ColumnDefinition,
  changedTable,
  type DroppedColumn,
  makeColumn,
  type Table,
} from '../../../schema/table.js';
import { slotOf, stateOfSlot } from './engine-state.js';

/** SQLite allows 2,000 columns; the engine itself uses two. */
export const maxSlots = 1_998;

type PlacedColumns = Pick<Table, 'columns' | 'droppedColumns'>;

/** The table after columns were added at the end: in free slots of their storage class, otherwise in new slots. */
export function withColumns(table: Table, added: readonly ColumnDefinition[]): Table {
  return changedTable(table, placeColumns(table, added));
}

/** Records in this version of the table that no row has values of these dropped columns any more. */
export function withEmptied(table: Table, emptied: readonly DroppedColumn[]): Table {
  const droppedColumns = table.droppedColumns.map((column) =>
    emptied.includes(column) ? { ...column, isEmpty: true } : column,
  );
  return { ...table, droppedColumns };
}

/** The number of slots in rows of the table. */
export function slotCount({ columns, droppedColumns }: PlacedColumns): number {
  return Math.max(...[...columns, ...droppedColumns].map((column) => slotOf(column) ?? 0));
}

/** Whether there are slots for new columns. */
export function hasRoomFor(table: PlacedColumns, added: readonly ColumnDefinition[]): boolean {
  return slotCount(placeColumns(table, added)) <= maxSlots;
}

/** The dropped columns of which rows may still have values. */
export function filledColumns({ droppedColumns }: Pick<Table, 'droppedColumns'>): readonly DroppedColumn[] {
  return droppedColumns.filter(({ isEmpty }) => !isEmpty);
}

/**
 * Whether a slot of a column in an earlier version of the table now belongs, or in between belonged, to another column.
 */
export function hasLostSlots(before: Table, now: Table): boolean {
  if (before.version === now.version) return false;
  const owners = new Map(
    [...now.columns, ...now.droppedColumns].map((column) => [slotOf(column), column.id]),
  );
  return before.columns.some((column) => owners.get(slotOf(column)) !== column.id);
}

function placeColumns(
  { columns, droppedColumns }: PlacedColumns,
  added: readonly ColumnDefinition[],
): PlacedColumns {
  const free = freeSlots(droppedColumns);
  const taken = new Set<number | null>();
  let lastId = Math.max(...[...columns, ...droppedColumns].map(({ id }) => id));
  let lastSlot = slotCount({ columns, droppedColumns });
  const placed = added.map((definition): Column => {
    let slot = free.get(definition.type.sql.columnType)?.pop();
    if (slot === undefined) {
      lastSlot += 1;
      slot = lastSlot;
    }
    taken.add(slot);
    lastId += 1;
    return makeColumn(lastId, definition, stateOfSlot(lastId, slot));
  });
  const left = droppedColumns.map((column) =>
    taken.has(slotOf(column)) ? { ...column, engineState: null } : column,
  );
  return { columns: [...columns, ...placed], droppedColumns: withoutForgettable(left, placed) };
}

/** By storage class: the storage class of a SQLite column depends on the type with which it was created. */
function freeSlots(dropped: readonly DroppedColumn[]): ReadonlyMap<string, number[]> {
  const free = new Map<string, number[]>();
  for (const column of dropped) {
    const slot = slotOf(column);
    if (slot === null || !column.isEmpty) continue;
    getOrMake(free, column.type.sql.columnType, () => []).push(slot);
  }
  return free;
}

/** Without dropped columns that have no slot and whose name and type another column of the table has. */
function withoutForgettable(
  dropped: readonly DroppedColumn[],
  added: readonly Column[],
): readonly DroppedColumn[] {
  const known = new Set(added.map(({ name }) => name));
  const kept = dropped.toReversed().filter((column) => {
    const isKnown = known.has(column.name);
    known.add(column.name);
    return slotOf(column) !== null || !isKnown;
  });
  return kept.reverse();
}
