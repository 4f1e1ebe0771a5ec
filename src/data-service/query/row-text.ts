// Rows as replies show them, written from their values (wire: Row rendering).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Column } from '../schema/table.js';

/** Characters of the rows in a reply: a reply is held in memory until its reader has taken it. */
export const maxReplyLength = 32 * 1024 * 1024;

/** What it takes of columns to show their values. */
export type ShownColumns = readonly Pick<Column, 'label' | 'type'>[];

/** A value as replies show it, in the place of the value itself: what its type's `serialize` would give. */
export class WrittenValue {
  readonly text: JsonText;

  constructor(text: JsonText) {
    this.text = text;
  }
}

/** When a read has taken too long. */
export interface ReadDeadline {
  /** To be called between rows. @throws EngineError `timeout` once the time is over */
  check(): void;
}

/** Rows in writing: their objects with commas between them, and how many they are. */
export interface RowsText {
  readonly text: JsonText;
  readonly count: number;
}

/**
 * Writes rows until their text is longer than `maxLength` characters, at least one, and no more than a reply may have.
 * @throws EngineError `timeout`
 */
export function writeRows(
  rows: readonly (readonly unknown[])[],
  columns: ShownColumns,
  maxLength: number,
  deadline?: ReadDeadline,
): RowsText {
  let [text, count] = ['', 0];
  for (const row of rows) {
    deadline?.check();
    const own = rowText(row, columns);
    if (count > 0 && text.length + own.length >= maxReplyLength) break;
    text += count === 0 ? own : `,${own}`;
    count += 1;
    if (text.length > maxLength) break;
  }
  return { text, count };
}

/** A row as a JSON object; columns without a value are left out. One that no reply can hold ends early. */
function rowText(row: readonly unknown[], columns: ShownColumns): JsonText {
  let text = '{';
  for (let place = 0; place < columns.length; place += 1) {
    const column = columns[place];
    const value = row[place];
    if (column === undefined || value === null || value === undefined) continue;
    if (text.length > 1) text += ',';
    text += column.label;
    text += value instanceof WrittenValue ? value.text : column.type.serialize(value);
    if (text.length > maxReplyLength) break;
  }
  return `${text}}`;
}
