// Members of lists, sets and maps that CQL can be asked for.
import { type ColumnType, containerOf, type PartName } from '../../../column-types/column-type.js';
import { isExact } from '../../../column-types/text-fold.js';
import { type Column, containerIndexOn, type Table } from '../../../schema/table.js';

/** A member that a list, set or map must have. */
export interface AskedMember {
  readonly column: Column;
  readonly part: PartName;
  /** A value of the type of the part. */
  readonly value: unknown;
}

/** Whether a built index of the table finds rows by such members, which it compares as the type does. */
export function isMemberServed(table: Table, { column, part }: AskedMember): boolean {
  const index = containerIndexOn(table, column, part);
  if (index === undefined || index.isBuilding === true) return false;
  // Stored values of a user-defined type lack the fields that were added to it later: other bytes, another term.
  const hasOneForm = ({ userType, cql }: ColumnType) =>
    userType === undefined && cql.hasSeveralForms !== true;
  const isSame = containerOf(column.type)?.members.every(hasOneForm) === true;
  return isSame && (index.fold === null || isExact(index.fold));
}
