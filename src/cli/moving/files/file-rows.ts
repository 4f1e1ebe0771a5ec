// The rows of a file as lines that insertMany accepts.
import { createHash } from 'node:crypto';
import { rowRecords } from '../../../files/csv-layout.js';
import { isCompressed } from '../../../files/file-format.js';
import type { PlannedField } from '../../../files/plan-file.js';
import { readCsv } from '../../../files/read-csv.js';
import { objectRow, recordWriter } from '../../../files/write-row.js';
import type { JsonText } from '../../../foundation/json/json-value.js';
import { chunksOf, type Line, linesOf } from '../row-file.js';
import { type InspectedFile, textOf } from './source-file.js';

/** How to write rows. */
export interface FileRows {
  readonly fields: readonly PlannedField[];
  /** Documents without an id get one that is the same each time, so that nothing is inserted twice. */
  readonly isCollection: boolean;
  /** Rows that are done, from the first one on. */
  readonly skipped: number;
}

/**
 * The rows, one for each record or line; `problem` says what is wrong with a row.
 * @throws FileProblem, RowFileProblem
 */
export async function* fileRows(file: InspectedFile, rows: FileRows): AsyncGenerator<readonly Line[]> {
  const { path, format, dialect, layout } = file;
  const chunks = chunksOf(path, isCompressed(path));
  const idOf = (line: number) => (rows.isCollection ? documentId(file.hash, line) : undefined);
  let left = rows.skipped;
  if (format === 'ndjson') {
    for await (const group of linesOf(decoded(chunks, file), path, { mayEndOpen: true })) {
      const filled = group.filter(({ text }) => text.trim() !== '');
      const wanted = filled.slice(left);
      left -= filled.length - wanted.length;
      yield wanted.map(({ number, text }) => objectRow(number, text, idOf(number)));
    }
    return;
  }
  const write = recordWriter(rows.fields, layout, idOf);
  for await (const records of rowRecords(readCsv(textOf(chunks, file), dialect, path), layout)) {
    const wanted = records.slice(left);
    left -= records.length - wanted.length;
    yield wanted.map(write);
  }
}
/** The chunks as UTF-8. */
async function* decoded(chunks: AsyncIterable<Buffer>, file: InspectedFile): AsyncGenerator<Buffer> {
  for await (const text of textOf(chunks, file)) yield Buffer.from(text);
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
