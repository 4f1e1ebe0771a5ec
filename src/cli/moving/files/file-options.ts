// Reads the options of `colonnade export` and `colonnade import` for a single file.
import { type FileFormat, formatOf } from '../../../files/file-format.js';
import type { GuessedType } from '../../../files/guess-type.js';
import type { MoveOptions, OwnValues } from '../move-options.js';

/** A file, and the table or collection that it belongs to. */
export interface FileOptions {
  readonly path: string;
  readonly kind: 'table' | 'collection';
  readonly name: string;
  readonly format: FileFormat;
  /** Undefined if the option is absent. */
  readonly delimiter: string | undefined;
}

/** What only an import has. */
export interface FileImportOptions extends FileOptions {
  readonly columns: ReadonlyMap<string, GuessedType>;
  readonly primaryKey: readonly string[] | undefined;
  readonly isDryRun: boolean;
}

/** Options of both commands that are for files. */
export const fileTexts = ['table', 'collection', 'format', 'delimiter'] as const;
/** Those of an import. */
export const fileImportTexts = [...fileTexts, 'columns', 'primary-key'] as const;

const types: ReadonlySet<string> = new Set<GuessedType>([
  'boolean',
  'int',
  'bigint',
  'varint',
  'decimal',
  'double',
  'date',
  'timestamp',
  'uuid',
  'json',
  'text',
]);

/** The options of a file; undefined if they name a directory, another string is the problem. */
export function readFileOptions(
  { place: path, tables }: MoveOptions,
  { text, flag }: OwnValues,
): FileOptions | undefined | string {
  const [table, collection] = [text('table'), text('collection')];
  const name = table ?? collection;
  if (name === undefined) {
    const given = fileImportTexts.find((option) => text(option) !== undefined);
    const needsName =
      'name the table of the file with --table NAME, or the collection with --collection NAME';
    if (given !== undefined) return `--${given} is for a file: ${needsName}`;
    return formatOf(path) === undefined ? undefined : `${path} is a file: ${needsName}`;
  }
  if (table !== undefined && collection !== undefined) return 'give --table or --collection, not both';
  if (tables !== undefined) return '--tables is for a directory';
  if (flag('compress')) return '--compress is for a directory';
  const kind = table === undefined ? 'collection' : 'table';
  if (!/^\w+$/.test(name)) return `--${kind} is "${name}"; names have letters, digits and underscores`;
  const format = text('format') ?? formatOf(path);
  if (format === undefined) return `give --format csv or --format ndjson, because ${path} does not say it`;
  if (format !== 'csv' && format !== 'ndjson') return `--format is "${format}"; it must be csv or ndjson`;
  const delimiter = text('delimiter') === 'tab' ? '\t' : text('delimiter');
  if (delimiter !== undefined && !/^[^\w\s"]$|^\t$/.test(delimiter))
    return `--delimiter is "${delimiter}"; it must be "tab" or one character such as ; or |`;
  if (format === 'ndjson' && delimiter !== undefined) return '--delimiter is for CSV';
  return { path, kind, name, format, delimiter };
}

/** The options of an import; see `readFileOptions`. */
export function readFileImportOptions(
  options: MoveOptions,
  values: OwnValues,
): FileImportOptions | undefined | string {
  const file = readFileOptions(options, values);
  const isDryRun = values.flag('dry-run');
  if (file === undefined) return isDryRun ? '--dry-run is for a file, with --table or --collection' : file;
  if (typeof file === 'string') return file;
  if (values.flag('allow-unsupported')) return '--allow-unsupported is for a directory';
  const columns = columnsIn(values.text('columns'));
  if (typeof columns === 'string') return columns;
  const primaryKey = values
    .text('primary-key')
    ?.split(',')
    .map((name) => name.trim());
  const forCsv = columns.size > 0 ? 'columns' : primaryKey === undefined ? undefined : 'primary-key';
  if (file.format === 'ndjson' && forCsv !== undefined) return `--${forCsv} is for CSV`;
  return { ...file, columns, primaryKey, isDryRun };
}

/** `id:int,price:decimal`; a string is the problem. */
function columnsIn(text: string | undefined): ReadonlyMap<string, GuessedType> | string {
  const columns = new Map<string, GuessedType>();
  for (const part of text?.split(',') ?? []) {
    const at = part.lastIndexOf(':');
    const [name, type] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    if (at <= 0 || !isType(type))
      return `--columns has "${part}"; it must be NAME:TYPE, with one of the types ${[...types].join(', ')}`;
    columns.set(name, type);
  }
  return columns;
}

function isType(text: string): text is GuessedType {
  return types.has(text);
}
