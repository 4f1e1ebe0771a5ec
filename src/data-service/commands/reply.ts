// What a command answers, before the envelope puts it into text.
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ApiError } from '../errors/api-error.js';
import type { ReadResult } from '../query/read.js';
import type { Column } from '../schema/table.js';

/** What a command answers; members without a value are left out of the text. */
export interface Reply {
  /** The member `data`; left out when there is an error. */
  readonly data?: JsonText;
  /** Members of `status`, in order. */
  readonly status?: readonly (readonly [name: string, value: JsonText])[];
  readonly warnings?: readonly ApiError[];
  readonly errors?: readonly ApiError[];
}

/** What it takes of columns to show their values. */
type ShownColumns = readonly Pick<Column, 'label' | 'type'>[];

/** The reply of a schema command that was carried out. */
export const okReply: Reply = { status: [['ok', '1']] };

/** The rows of a read as a JSON array holds them. */
export function rowsText({ rows, written }: ReadResult, columns: ShownColumns): JsonText {
  return written?.text ?? rows.map((row) => rowText(row, columns)).join(',');
}

/** A row as a JSON object; columns without a value are left out (wire: Row rendering). */
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
