// The rows of a file as lines that insertMany accepts.
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonText } from '../../../foundation/json/json-value.js';
import { readReply } from '../../operations-port.js';
import { chunksOf, type Line, linesOf } from '../row-file.js';
import { isCompressed } from './file-format.js';
import type { PlannedField } from './plan-file.js';
import { readCsv } from './read-csv.js';
import type { InspectedFile } from './source-file.js';

/** How to write rows. */
export interface FileRows {
  readonly fields: readonly PlannedField[];
  /** Documents without an id get one that is the same each time, so that nothing is inserted twice. */
  readonly isCollection: boolean;
  /** Rows that are done, from the first one on. */
  readonly skipped: number;
}

/** The rows, one for each record or line; `problem` says what is wrong with a row. @throws RowFileProblem */
export async function* fileRows(file: InspectedFile, rows: FileRows): AsyncGenerator<readonly Line[]> {
  const { path, format, delimiter } = file;
  const chunks = chunksOf(path, isCompressed(path));
  const idOf = (line: number) => (rows.isCollection ? documentId(file.hash, line) : undefined);
  let left = rows.skipped;
  if (format === 'ndjson') {
    for await (const group of linesOf(chunks, path, { mayEndOpen: true })) {
      const filled = group.filter(({ text }) => text.trim() !== '');
      const wanted = filled.slice(left);
      left -= filled.length - wanted.length;
      yield wanted.map(({ number, text }) => objectLine(number, text, idOf(number)));
    }
    return;
  }
  const { fields } = rows;
  const idAt = fields.findIndex(({ name }) => name === '_id');
  const labels = fields.map(({ name }) => `${JSON.stringify(name)}:`);
  left += 1; // the names of the columns
  for await (const records of readCsv(chunks, delimiter, path)) {
    const wanted = records.slice(left);
    left -= records.length - wanted.length;
    yield wanted.map((record) => {
      const hasId = idAt >= 0 && (record.fields[idAt] ?? null) !== null;
      const id = hasId ? undefined : idOf(record.line);
      return recordLine(record.line, record.fields, { fields, labels, id });
    });
  }
}

interface RecordPlan {
  readonly fields: readonly PlannedField[];
  readonly labels: readonly string[];
  readonly id: JsonText | undefined;
}

function recordLine(
  number: number,
  record: readonly (string | null)[],
  { fields, labels, id }: RecordPlan,
): Line {
  if (record.length !== fields.length)
    return { number, text: '', problem: `the record has ${record.length} fields and not ${fields.length}` };
  let text = id === undefined ? '' : `"_id":${id}`;
  for (let at = 0; at < fields.length; at += 1) {
    const value = record[at] ?? null;
    const field = fields[at];
    if (value === null || field === undefined) continue;
    const json = field.write(value);
    if (json === undefined)
      return {
        number,
        text: '',
        problem: `the column ${field.name} is ${field.type}, which ${JSON.stringify(value.slice(0, 100))} is not`,
      };
    text += `${text === '' ? '' : ','}${labels[at]}${json}`;
  }
  return { number, text: `{${text}}` };
}

function objectLine(number: number, line: string, id: JsonText | undefined): Line {
  const text = line.replace(/^\ufeff/, '').trim();
  const object = readReply(text);
  if (!isJsonObject(object)) return { number, text: '', problem: 'the line is not a JSON object' };
  if (id === undefined || object.has('_id')) return { number, text };
  return { number, text: `{"_id":${id}${object.size === 0 ? '' : ','}${text.slice(1)}` };
}

/** A UUID of version 8, made of the content of the file and the line. */
function documentId(hash: string, line: number): JsonText {
  const hex = createHash('sha256').update(`${hash} ${line}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4] ?? '8';
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
  ];
  return `{"$uuid":"${parts.join('-')}-${hex.slice(20, 32)}"}`;
}
