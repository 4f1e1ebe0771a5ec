// Writes records and lines of files as the rows that insertMany accepts.

import { isJsonObject, type JsonText } from '../foundation/json/json-value.js';
import { shortened } from '../foundation/text/shorten-text.js';
import type { PlannedField } from './plan-file.js';
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

/** Writes records of CSV with these fields. `idOf`: the `_id` of a row that has none; undefined to give it none. */
export function recordWriter(
  fields: readonly PlannedField[],
  idOf: (line: number) => JsonText | undefined,
): (record: CsvRecord) => FileRow {
  const idAt = fields.findIndex(({ name }) => name === '_id');
  const labels = fields.map(({ name }) => `${JSON.stringify(name)}:`);
  return ({ line: number, fields: record, problem }) => {
    const refused = (reason: string): FileRow => ({ number, text: '', problem: reason });
    if (problem !== undefined) return refused(problem);
    if (record.length !== fields.length)
      return refused(`the record has ${record.length} fields and not ${fields.length}`);
    const hasId = idAt >= 0 && (record[idAt] ?? null) !== null;
    const id = hasId ? undefined : idOf(number);
    let text = id === undefined ? '' : `"_id":${id}`;
    for (let at = 0; at < fields.length; at += 1) {
      const value = record[at] ?? null;
      const field = fields[at];
      if (value === null || field === undefined) continue;
      const json = field.write(value);
      if (json === undefined)
        return refused(
          `the column ${field.name} is ${field.type}, which ${JSON.stringify(shortened(value, 100))} is not`,
        );
      text += `${text === '' ? '' : ','}${labels[at]}${json}`;
    }
    return { number, text: `{${text}}` };
  };
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
