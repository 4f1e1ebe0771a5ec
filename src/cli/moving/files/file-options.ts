// Reads the options of `colonnade export` and `colonnade import` for a single file.

import { characterOf } from '../../../files/csv-dialect.js';
import {
  csvFlags,
  csvLists,
  csvTexts,
  type GivenOptions,
  readCsvOptions,
  type TextOptions,
} from '../../../files/csv-options.js';
import { delimiterOf, type FileFormat, formatOf, unwritableName } from '../../../files/file-format.js';
import { type GuessedType, guessedTypeNamed, guessedTypes } from '../../../files/guess-type.js';
import { listedNames, readNames, readNameValues } from '../../../files/name-lists.js';
import type { MoveOptions } from '../move-options.js';

/** A file, and the table or collection that it belongs to. */
export interface FileOptions {
  readonly path: string;
  readonly kind: 'table' | 'collection';
  readonly name: string;
  readonly format: FileFormat;
  /** Undefined if the option is absent, empty for none. */
  readonly delimiter: string | undefined;
  /** Whether an export changes texts that spreadsheets would run as formulas. */
  readonly escapesFormulas: boolean;
}

/** A file whose format is undefined if neither an option nor its name says it. */
type NamedFile = Omit<FileOptions, 'format'> & { readonly format: FileFormat | undefined };

/** What an import has. */
export interface FileImportOptions extends NamedFile, TextOptions {
  readonly columns: ReadonlyMap<string, GuessedType>;
  readonly primaryKey: readonly string[] | undefined;
  readonly idFrom: string | undefined;
  /** One of the given options that only CSV has. */
  readonly optionForCsv: string | undefined;
  readonly isDryRun: boolean;
}

/** Options of both commands that are for files. */
export const fileTexts = ['table', 'collection', 'format', 'delimiter'] as const;
/** Those of an import. */
export const fileImportTexts = [...fileTexts, 'columns', 'primary-key', 'id-from', ...csvTexts] as const;
/** Options of an import that can be given several times. */
export const fileImportLists = csvLists;
/** Options of an import without a value. */
export const fileImportFlags = ['dry-run', ...csvFlags] as const;
/** Those of an export. */
export const fileExportFlags = ['escape-formulas'] as const;

/** The options of an export to a file; undefined if they name a directory, another string is the problem. */
export function readFileOptions(
  options: MoveOptions,
  values: GivenOptions,
): FileOptions | undefined | string {
  const { place: path } = options;
  const file = readFile(options, values);
  if (file === undefined || typeof file === 'string') return file;
  if (path === '-') return 'an export to standard output is not possible: give a new file';
  const unwritable = unwritableName(path);
  if (unwritable !== undefined) return unwritable;
  const { format } = file;
  return format === undefined
    ? `give --format csv or --format ndjson, because ${path} does not say it`
    : { ...file, format };
}

function readFile(
  { place: path, tables }: MoveOptions,
  { text, list, flag }: GivenOptions,
): NamedFile | undefined | string {
  const [table, collection] = [text('table'), text('collection')];
  const name = table ?? collection;
  if (name === undefined) {
    const given =
      fileImportTexts.find((option) => text(option) !== undefined) ??
      csvLists.find((option) => list(option) !== undefined) ??
      [...csvFlags, ...fileExportFlags].find(flag);
    const needsName =
      'name the table of the file with --table NAME, or the collection with --collection NAME';
    if (given !== undefined) return `--${given} is for a file: ${needsName}`;
    if (path === '-') return `- is standard input: ${needsName}`;
    return formatOf(path) === undefined ? undefined : `${path} is a file: ${needsName}`;
  }
  if (table !== undefined && collection !== undefined) return 'give --table or --collection, not both';
  if (tables !== undefined) return '--tables is for a directory';
  if (flag('compress')) return '--compress is for a directory';
  const kind = table === undefined ? 'collection' : 'table';
  if (!/^\w+$/.test(name)) return `--${kind} is "${name}"; names have letters, digits and underscores`;
  const format = formatNamed(text('format')) ?? formatOf(path);
  if (format === 'unknown') return `--format is "${text('format')}"; it must be csv, ndjson or json`;
  const given = text('delimiter');
  const delimiter = given === undefined ? undefined : characterOf(given);
  if (given !== undefined && (delimiter === undefined || /[\w"]/.test(delimiter)))
    return `--delimiter is "${given}"; it must be "tab", "space", "none" or one character such as ; or |`;
  if (format === 'ndjson' && delimiter !== undefined) return '--delimiter is for CSV';
  const escapesFormulas = flag('escape-formulas');
  if (format === 'ndjson' && escapesFormulas) return '--escape-formulas is for CSV';
  return { path, kind, name, format, delimiter, escapesFormulas };
}

/** The format of an option; `json` is a word for all forms of JSON objects. */
function formatNamed(text: string | undefined): FileFormat | 'unknown' | undefined {
  if (text === undefined || text === 'csv' || text === 'ndjson') return text;
  return text === 'json' ? 'ndjson' : 'unknown';
}

/** The options of an import; see `readFileOptions`. */
export function readFileImportOptions(
  options: MoveOptions,
  values: GivenOptions,
): FileImportOptions | undefined | string {
  const file = readFile(options, values);
  const isDryRun = values.flag('dry-run');
  if (file === undefined) return isDryRun ? '--dry-run is for a file, with --table or --collection' : file;
  if (typeof file === 'string') return file;
  if (values.flag('allow-unsupported')) return '--allow-unsupported is for a directory';
  const columns = columnsIn(values.text('columns'));
  if (typeof columns === 'string') return columns;
  const key = values.text('primary-key');
  const forCsv = optionForCsv(values) ?? (file.delimiter === undefined ? undefined : 'delimiter');
  if (file.format === 'ndjson' && forCsv !== undefined) return `--${forCsv} is for CSV`;
  const written = readCsvOptions(values, file.delimiter ?? delimiterOf(file.path));
  if (typeof written === 'string') return written;
  const idFrom = values.text('id-from');
  if (idFrom !== undefined && file.kind === 'table')
    return '--id-from is for a collection: the key of a table is --primary-key';
  if (idFrom !== undefined && key !== undefined) return 'give --id-from or --primary-key, not both';
  const primaryKey = key === undefined ? undefined : readNames(key);
  return { ...file, ...written, columns, primaryKey, idFrom, optionForCsv: forCsv, isDryRun };
}

/** An option that only CSV has; undefined if none is given. Every format has an encoding. */
function optionForCsv({ text, list, flag }: GivenOptions): string | undefined {
  return (
    ['columns', 'primary-key', ...csvTexts].find((name) => name !== 'encoding' && text(name) !== undefined) ??
    csvLists.find((name) => list(name) !== undefined) ??
    csvFlags.find(flag)
  );
}

/** `id:int,price:decimal`, or `"a, b":int`; a string is the problem. */
function columnsIn(text: string | undefined): ReadonlyMap<string, GuessedType> | string {
  const columns = new Map<string, GuessedType>();
  for (const { name, value } of text === undefined ? [] : readNameValues(text)) {
    const type = guessedTypeNamed(value ?? '');
    if (name === '' || type === undefined) {
      const part = `${listedNames([name])}${value === undefined ? '' : `:${value}`}`;
      return `--columns has "${part}"; it must be NAME:TYPE, with one of the types ${guessedTypes.join(', ')}`;
    }
    columns.set(name, type);
  }
  return columns;
}
