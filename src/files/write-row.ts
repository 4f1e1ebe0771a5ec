// Writes records and lines of files as the rows that insertMany accepts.
import type { JsonText } from '../foundation/json/json-value.js';
import { type CsvLayout, widthProblem } from './csv-layout.js';
import type { PlannedField } from './plan-file.js';
import { printable, quotedExcerpt } from './printable-text.js';
import type { CsvRecord } from './read-csv.js';

export interface FileRow {
  /** The number of its first line; the first line of the file has the number 1. */
  readonly number: number;
  /** JSON of the row; empty if it has a problem. */
  readonly text: JsonText;
  /** Why the row cannot be inserted. */
  readonly problem?: string;
  /**
   * The key as it is written in the file, such that rows with the same one replace each other; absent for an id that is
   * made. Equal values in other forms, such as 1.0 and 1.00, are others.
   */
  readonly key?: JsonText;
}

/** The ids of documents. */
export interface RowIds {
  /** The column or member whose value is also the id; undefined if there is none. */
  readonly from: string | undefined;
  /** The id of a document without one, by its content; undefined if there are too many documents. */
  readonly next: (content: string) => JsonText | undefined;
}

/** The reason for a row that `RowIds` has no id for. */
export const tooManyWithoutId =
  'the file has too many rows for ids from their content: give --id-from COLUMN';

/**
 * Writes records of CSV with these fields, one for each column of the layout. `ids`: undefined for a table.
 * `keyColumns`: those of the primary key, or `_id`, if keys are wanted.
 */
export function recordWriter(
  fields: readonly PlannedField[],
  layout: CsvLayout,
  ids: RowIds | undefined,
  keyColumns: readonly string[] = [],
): (record: CsvRecord) => FileRow {
  const columns = layout.columns.flatMap(({ at }, index) => {
    const field = fields[index];
    if (field === undefined) return [];
    return [{ at, field, label: `${JSON.stringify(field.name)}:`, isKey: keyColumns.includes(field.name) }];
  });
  const idColumn = columns.find(({ field }) => field.name === '_id');
  const from = columns.find(({ field }) => field.name !== '_id' && field.name === ids?.from);
  return ({ line: number, fields: record, problem }) => {
    const wrong = problem ?? widthProblem(record, layout);
    if (wrong !== undefined) return { number, text: '', problem: wrong };
    const given = idColumn === undefined ? null : (record[idColumn.at] ?? null);
    const hasId = given !== null && idColumn?.field.isNull?.(given) !== true;
    let [text, key] = ['', ''];
    if (from !== undefined) {
      const value = record[from.at] ?? '';
      if (value === '' || from.field.isNull?.(value) === true)
        return {
          number,
          text,
          problem: `the column ${printable(from.field.name)}, which gives the id, is empty`,
        };
      const id = from.field.write(value) ?? 'null'; // a value of another type is refused below
      text = `"_id":${id}`;
      if (keyColumns.length > 0) key = id;
    } else if (ids !== undefined && !hasId) {
      // The texts of the fields: they are the same whatever types the columns have.
      const id = ids.next(JSON.stringify(record.map((field) => field ?? '')));
      if (id === undefined) return { number, text, problem: tooManyWithoutId };
      text = `"_id":${id}`;
    }
    for (const { at, field, label, isKey } of columns) {
      const value = record[at] ?? null;
      if (value === null || field.isNull?.(value) === true) continue;
      const json = field.write(value);
      if (json === undefined) return { number, text: '', problem: valueProblem(field, value) };
      text += `${text === '' ? '' : ','}${label}${json}`;
      if (isKey) key = key === '' ? json : `${key},${json}`;
    }
    return key === '' ? { number, text: `{${text}}` } : { number, text: `{${text}}`, key };
  };
}

function valueProblem({ name, type }: PlannedField, value: string): string {
  return `the column ${printable(name)} is ${type}, which ${quotedExcerpt(value)} is not`;
}
