// Rows and documents as files: CSV for spreadsheets, NDJSON for programs. `colonnade import` reads both.
import { csvLine, withoutFormula } from '../../src/files/write-csv.js';
import { isObject, type Json, type JsonObject, memberAt, plainText, writeJson } from '../json/exact-json.js';

/** The formats, with the type of their files. */
export const fileFormats = { CSV: 'text/csv', NDJSON: 'application/x-ndjson' } as const;

export type FileFormat = keyof typeof fileFormats;

/** What is written. */
export interface ResultFile {
  readonly rows: readonly JsonObject[];
  /** The columns of CSV that come first; further members of rows come behind them. */
  readonly columns: readonly string[];
  /** Puts `'` before texts and names of columns that spreadsheets would run. */
  readonly escapesFormulas: boolean;
}

const delimiter = ',';

/** A document as it can be inserted: the API refuses one with both a text to embed and its vector. */
export function insertableDocument(document: JsonObject): JsonObject {
  if (!Object.hasOwn(document, '$vectorize')) return document;
  const { $vector: _, ...others } = document;
  return others;
}

/** The parts of a file, one for each line: a Blob takes them as they are. */
export function fileParts(format: FileFormat, file: ResultFile): readonly string[] {
  if (format === 'NDJSON') return file.rows.map((row) => `${writeJson(row)}\n`);
  const names = [...new Set([...file.columns, ...file.rows.flatMap(Object.keys)])];
  const safe = file.escapesFormulas ? withoutFormula : (text: string) => text;
  const fieldOf = (value: Json | undefined) => (typeof value === 'string' ? safe(value) : fieldText(value));
  return [
    csvLine(names.map(safe), delimiter),
    ...file.rows.map((row) =>
      csvLine(
        names.map((name) => fieldOf(memberAt(row, name))),
        delimiter,
      ),
    ),
  ].map((line) => `${line}\r\n`);
}

/** A value as a field; null for none. Lists, objects and vectors are JSON. */
function fieldText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) return plainText(value);
  const [only, ...others] = Object.entries(value);
  if (only === undefined || others.length > 0) return writeJson(value);
  const [name, inner] = only;
  if (name === '$date') return dateText(inner) ?? writeJson(value);
  return plainObjects.includes(name) && typeof inner === 'string' ? inner : writeJson(value);
}

const plainObjects = ['$binary', '$uuid', '$objectId'];

/** RFC 3339; undefined for years that it does not have. */
function dateText(ms: Json | undefined): string | undefined {
  const date = new Date(Number(plainText(ms)));
  const year = Number.isNaN(date.getTime()) ? -1 : date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : undefined;
}
