// The rows of a file as lines that insertMany accepts.
import { createHash } from 'node:crypto';
import { rowRecords } from '../../../files/csv-layout.js';
import { KnownKeys } from '../../../files/known-keys.js';
import type { PlannedField } from '../../../files/plan-file.js';
import { readCsv } from '../../../files/read-csv.js';
import { readJsonFile } from '../../../files/read-json-file.js';
import { RecordIds } from '../../../files/record-ids.js';
import { objectWriter } from '../../../files/write-object.js';
import { recordWriter } from '../../../files/write-row.js';
import type { Line } from '../row-file.js';
import { type InspectedFile, inspectedText } from './source-file.js';

/** How to write rows. */
export interface FileRows {
  readonly fields: readonly PlannedField[];
  /** Those of the primary key of a table; `_id` of a collection. */
  readonly keyColumns: readonly string[];
  /** Documents without an id get one of their content, so that nothing is inserted twice. */
  readonly isCollection: boolean;
  /** See `FileTarget`. */
  readonly idFrom: string | undefined;
  /** The types of the columns of a table. */
  readonly types: ReadonlyMap<string, string>;
}

/**
 * The rows, one for each record or object; `problem` says what is wrong with a row. `skipped`: rows that are done, from
 * the first one on, which are left out; `noteReplaced` is called for those of them that have the key of another one.
 * @throws FileChanged, FileProblem, RowFileProblem, Interrupted
 */
export async function* fileRows(
  file: InspectedFile,
  rows: FileRows,
  skipped: number,
  noteReplaced: () => void,
): AsyncGenerator<readonly Line[]> {
  const keys = new KnownKeys();
  let left = skipped;
  for await (const group of allRows(file, rows)) {
    const lines = group.map((line) =>
      line.key !== undefined && keys.add(line.key) ? { ...line, isRepeated: true } : line,
    );
    // Those that are done are written, too: equal records before a record are part of its id.
    const wanted = lines.slice(left);
    for (const line of lines.slice(0, left)) if (line.isRepeated === true) noteReplaced();
    left -= lines.length - wanted.length;
    yield wanted;
  }
}

async function* allRows(
  file: InspectedFile,
  { fields, keyColumns, isCollection, idFrom, types }: FileRows,
): AsyncGenerator<readonly Line[]> {
  const { name, format, dialect, layout } = file;
  const made = new RecordIds(sha256);
  const ids = isCollection ? { from: idFrom, next: (content: string) => made.next(content) } : undefined;
  if (format === 'ndjson') {
    const write = objectWriter({ ids, types, conversions: new Map(), keyColumns });
    for await (const records of readJsonFile(inspectedText(file), name)) yield records.map(write);
    return;
  }
  const write = recordWriter(fields, layout, ids, keyColumns);
  for await (const records of rowRecords(readCsv(inspectedText(file), dialect, name), layout))
    yield records.map(write);
}

/** A hash of all that decides the rows: the content of the file, and how it is read and written. */
export function hashOfRows(file: InspectedFile, { fields, isCollection, idFrom, types }: FileRows): string {
  const { hash, format, encoding, dialect, layout, values } = file;
  return sha256(
    JSON.stringify([
      ...[hash, format, encoding ?? null, Object.entries(dialect).sort(), layout],
      ...[values?.numbers ?? null, values?.nullMarks === undefined ? null : [...values.nullMarks]],
      ...[fields.map(({ name, type }) => [name, type]), isCollection, idFrom ?? null],
      format === 'ndjson' ? [...types] : [], // those of a table that CSV creates are known only later
    ]),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
