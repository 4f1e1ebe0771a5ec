// Primary keys as insert commands report them (wire: insertedIds).
import type { JsonText } from '../../foundation/json/json-value.js';
import { describeColumns } from '../schema/describe-columns.js';
import type { Assignments } from '../schema/parse-row.js';
import type { Table } from '../schema/table.js';

/** `["a",5]`: the values in the order of the key. */
export function insertedKey({ columns, values }: Assignments, table: Table): JsonText {
  const key = table.keyColumns.map((column) => {
    const value = values[columns.indexOf(column)];
    return column.type.serializeInKey?.(value) ?? column.type.serialize(value);
  });
  return `[${key.join(',')}]`;
}

/** The columns that the values of `insertedKey` belong to, in that order. */
export function primaryKeySchema(table: Table): JsonText {
  return describeColumns(table.keyColumns);
}
