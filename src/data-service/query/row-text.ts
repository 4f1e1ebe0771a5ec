// Writes rows from their values in the form of replies (wire: Row rendering).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { Column } from '../schema/table.js';

/** The maximum number of characters of the rows in a reply, which is in memory until the client has read it. */
export const maxReplyLength = 32 * 1024 * 1024;

/** The parts of columns that are needed to write their values. */
export type ShownColumns = readonly Pick<Column, 'label' | 'type'>[];

/** A value in the form of replies, instead of the value itself: the same text as `serialize` of its type. */
export class WrittenValue {
  readonly text: JsonText;

  constructor(text: JsonText) {
    this.text = text;
  }
}

/** The time limit of a read. */
export interface ReadDeadline {
  /** Called between rows. @throws EngineError `timeout` when the time is over */
  check(): void;
}

/** Rows as text: their objects separated by commas, and their number. */
export interface RowsText {
  readonly text: JsonText;
  readonly count: number;
}

/**
 * Writes rows until their text exceeds `maxLength` characters, but at least one; refuses more than a reply may have.
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

/** A row as a JSON object; columns without a value are omitted. Ends early if the row is too large for any reply. */
function rowText(row: readonly unknown[], columns: ShownColumns): JsonText {
  let text = '{';
  for (let place = 0; place < columns.length; place += 1) {
    const column = columns[place];
    const value = row[place];
    if (column === undefined || value === null || value === undefined) continue;
    const isWritten = value instanceof WrittenValue;
    if (!isWritten && column.type.isOmitted?.(value) === true) continue;
    if (text.length > 1) text += ',';
    text += column.label;
    text += isWritten ? value.text : column.type.serialize(value);
    if (text.length > maxReplyLength) break;
  }
  return `${text}}`;
}
