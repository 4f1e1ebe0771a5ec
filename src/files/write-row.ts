// Writes records and lines of files as the rows that insertMany accepts.
import { isJsonObject, type JsonText } from '../foundation/json/json-value.js';
import { type CsvLayout, widthProblem } from './csv-layout.js';
import type { PlannedField } from './plan-file.js';
import { printable, quotedExcerpt } from './printable-text.js';
import type { CsvRecord } from './read-csv.js';
import { readJson } from './read-json.js';

/** A row of a file. */
export interface FileRow {
  /** Of its first line; the first line of the file has the number 1. */
  readonly number: number;
  /** JSON of the row; empty if it has a problem. */
  readonly text: JsonText;
  /** Why the row cannot be inserted. */
  readonly problem?: string;
}

/**
 * Writes records of CSV with these fields, one for each column of the layout. `idOf`: the `_id` of a row that has none;
 * undefined to give it none.
 */
export function recordWriter(
  fields: readonly PlannedField[],
  layout: CsvLayout,
  idOf: (line: number) => JsonText | undefined,
): (record: CsvRecord) => FileRow {
  const columns = layout.columns.flatMap(({ at }, index) => {
    const field = fields[index];
    return field === undefined ? [] : [{ at, field, label: `${JSON.stringify(field.name)}:` }];
  });
  const idAt = columns.find(({ field }) => field.name === '_id')?.at;
  return ({ line: number, fields: record, problem }) => {
    const wrong = problem ?? widthProblem(record, layout);
    if (wrong !== undefined) return { number, text: '', problem: wrong };
    const hasId = idAt !== undefined && (record[idAt] ?? null) !== null;
    const id = hasId ? undefined : idOf(number);
    let text = id === undefined ? '' : `"_id":${id}`;
    for (const { at, field, label } of columns) {
      const value = record[at] ?? null;
      if (value === null || field.isNull?.(value) === true) continue;
      const json = field.write(value);
      if (json === undefined) return { number, text: '', problem: valueProblem(field, value) };
      text += `${text === '' ? '' : ','}${label}${json}`;
    }
    return { number, text: `{${text}}` };
  };
}

function valueProblem({ name, type }: PlannedField, value: string): string {
  return `the column ${printable(name)} is ${type}, which ${quotedExcerpt(value)} is not`;
}

/** A line of NDJSON as a row; `id` is the `_id` if the line has none. */
export function objectRow(number: number, line: string, id: JsonText | undefined): FileRow {
  const text = line.replace(/^\ufeff/, '').trim();
  const object = readJson(text);
  if (object === undefined || !isJsonObject(object))
    return { number, text: '', problem: 'the line is not a JSON object' };
  if (id === undefined || object.has('_id')) return { number, text };
  return { number, text: `{"_id":${id}${object.size === 0 ? '' : ','}${text.slice(1)}` };
}
