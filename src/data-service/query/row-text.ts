// Rows as replies show them, written from their values (wire: Row rendering).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Column } from '../schema/table.js';

/** What it takes of columns to show their values. */
export type ShownColumns = readonly Pick<Column, 'label' | 'type'>[];

/** Rows in writing: their objects with commas between them, and how many they are. */
export interface RowsText {
  readonly text: JsonText;
  readonly count: number;
}

/** Writes rows until their text is longer than `maxLength` characters, at least one. */
export function writeRows(
  rows: readonly (readonly unknown[])[],
  columns: ShownColumns,
  maxLength: number,
): RowsText {
  let [text, count] = ['', 0];
  for (const row of rows) {
    text += text === '' ? rowText(row, columns) : `,${rowText(row, columns)}`;
    count += 1;
    if (text.length > maxLength) break;
  }
  return { text, count };
}

/** A row as a JSON object; columns without a value are left out. */
function rowText(row: readonly unknown[], columns: ShownColumns): JsonText {
  let text = '{';
  for (let place = 0; place < columns.length; place += 1) {
    const column = columns[place];
    const value = row[place];
    if (column === undefined || value === null || value === undefined) continue;
    if (text.length > 1) text += ',';
    text += column.label;
    text += column.type.serialize(value);
  }
  return `${text}}`;
}
