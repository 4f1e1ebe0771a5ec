// A file that was chosen in the browser: what it is, its text, and its rows.
import { contentKind, kindBytes } from '../../src/files/content-kind.js';
import { characterOf, usualDialect } from '../../src/files/csv-dialect.js';
import { type CsvLayout, rowRecords } from '../../src/files/csv-layout.js';
import { type GivenOptions, readCsvOptions, type TextOptions } from '../../src/files/csv-options.js';
import { decodeText } from '../../src/files/decode-text.js';
import { type Conversions, conversionsText } from '../../src/files/extended-json.js';
import { delimiterOf, type FileFormat, formatOf, formatOfText } from '../../src/files/file-format.js';
import { FileProblem } from '../../src/files/file-problem.js';
import { type GuessedType, usualValues } from '../../src/files/guess-type.js';
import { inspectCsv } from '../../src/files/inspect-csv.js';
import { inspectJson } from '../../src/files/inspect-json.js';
import { type FilePlan, planFile, typesOf } from '../../src/files/plan-file.js';
import { type DescribedFile, fileLines } from '../../src/files/plan-text.js';
import { readCsv } from '../../src/files/read-csv.js';
import { csvLine } from '../../src/files/write-csv.js';
import { recordWriter } from '../../src/files/write-row.js';
import type { NewRow } from './insert-batches.js';
import { columnTypes, jsonRows, madeIds } from './new-rows.js';
import { type Item, keyOf } from './schema.js';

/** What the form says about a file, by the names of the options of `colonnade import`; empty is not said. */
export type FileChoices = Readonly<Record<string, string>>;

/** A file of which everything is known that an import needs. */
export interface ReadableFile extends DescribedFile {
  readonly file: File;
  readonly options: TextOptions;
  readonly layout: CsvLayout;
  readonly plan: FilePlan;
  /** For a collection: the types that are guessed or chosen for its columns. */
  readonly types: ReadonlyMap<string, GuessedType>;
  /** What is decided, as lines for people. */
  readonly lines: readonly string[];
}

const noColumns: CsvLayout = { hasHeader: false, columns: [], width: 0, isRagged: false };

/**
 * Reads the whole file, and decides how its rows go into the table or collection. `types`: corrections for a
 * collection. @throws FileProblem, or the reason of `signal`
 */
export async function inspectFile(
  file: File,
  item: Item,
  choices: FileChoices,
  { types, signal }: { readonly types: ReadonlyMap<string, GuessedType>; readonly signal: AbortSignal },
): Promise<ReadableFile> {
  const options = readOptions(file, choices);
  const format = await formatOfFile(file, options, choices['format'] ?? '', signal);
  const { name } = file;
  const text = textOf(file, options, signal);
  const described = await (format === 'csv'
    ? inspectCsv(text, options.csv, name)
    : inspectJson(text, item.kind === 'table' ? 'row' : 'document', name));
  const known = { layout: noColumns, dialect: usualDialect, columns: new Map(), notes: [], ...described };
  const found = { ...known, name, format, values: options.csv.values ?? usualValues };
  const target = {
    ...{ kind: item.kind, name: item.name, primaryKey: undefined },
    columns: new Map([...types].filter(([column]) => found.columns.has(column))),
  };
  const { partition, clustering } = keyOf(item.definition);
  const keyColumns = item.kind === 'table' ? [...partition, ...clustering] : ['_id'];
  const plan = planFile(found, target, { kind: item.kind, columns: columnTypes(item), keyColumns });
  const converted = 'conversions' in described ? conversionsOf(described.conversions) : [];
  const lines = [...fileLines(found, plan.notes), ...converted];
  return { ...found, file, options, plan, lines, types: typesOf(found, target) };
}

function conversionsOf(conversions: Conversions): readonly string[] {
  const text = conversionsText(conversions);
  return text === undefined ? [] : [text];
}

/** @throws FileProblem for a choice that is not possible */
function readOptions(file: File, choices: FileChoices): TextOptions {
  const chosen = (name: string) => {
    const value = choices[name] ?? '';
    return value === '' ? undefined : value;
  };
  const values: GivenOptions = {
    text: chosen,
    list: (name) => (chosen(name) === undefined ? undefined : [chosen(name) ?? '']),
    flag: (name) => chosen(name) === 'yes' || chosen('header') === name,
  };
  const given = chosen('delimiter');
  const delimiter = given === undefined ? delimiterOf(file.name) : characterOf(given);
  if (given !== undefined && delimiter === undefined)
    throw new FileProblem(`the delimiter is "${given}"; it must be one character`);
  const options = readCsvOptions(values, delimiter);
  if (typeof options === 'string') throw new FileProblem(options);
  return options;
}

async function formatOfFile(
  file: File,
  options: TextOptions,
  chosen: string,
  signal: AbortSignal,
): Promise<FileFormat> {
  if (chosen === 'csv' || chosen === 'ndjson') return chosen;
  const named = formatOf(file.name);
  if (named !== undefined) return named;
  for await (const piece of textOf(file, options, signal))
    if (piece.trim() !== '') return formatOfText(piece);
  return 'ndjson';
}

/** The text of a file from its beginning, decompressed where it is compressed by gzip. */
async function* textOf(file: File, { encoding }: TextOptions, signal: AbortSignal): AsyncGenerator<string> {
  yield* decodeText(await chunksOf(file, signal), { name: file.name, encoding });
}

/** @throws FileProblem for what has no rows, or is compressed by what browsers do not read */
async function chunksOf(file: File, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const kind = contentKind(new Uint8Array(await file.slice(0, kindBytes).arrayBuffer()));
  if (kind === undefined) return readChunks(file.stream(), file.name, signal);
  if ('title' in kind) throw new FileProblem(`${file.name} is ${kind.title}: ${kind.advice}`);
  if (kind.compression !== 'gzip')
    throw new FileProblem(
      `${file.name} is compressed by ${kind.compression}, which browsers do not read: ` +
        'decompress it first, or use colonnade import',
    );
  return readChunks(file.stream().pipeThrough(new DecompressionStream('gzip')), file.name, signal);
}

/** Not every browser iterates over a stream. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new FileProblem(`${name} cannot be read: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // of a stream that failed
  }
}

/** The rows of the file, from the first one on. @throws FileProblem, or the reason of `signal` */
export async function* rowsOfFile(
  found: ReadableFile,
  item: Item,
  signal: AbortSignal,
): AsyncGenerator<readonly NewRow[]> {
  const { file, options, dialect, layout, plan, name } = found;
  const text = textOf(file, options, signal);
  if (found.format === 'ndjson') {
    yield* jsonRows(text, item, name);
    return;
  }
  const { ids, noting } = madeIds(item);
  const write = noting(recordWriter(plan.fields, layout, ids));
  for await (const records of rowRecords(readCsv(text, dialect, name), layout))
    yield records.map((record) => write(record, () => csvLine(record.fields, dialect.delimiter || ',')));
}

/** The line with the names of the columns, for a file of refused rows; undefined for JSON. */
export function headerOf({ format, layout, dialect }: ReadableFile): string | undefined {
  if (format === 'ndjson') return undefined;
  const names: string[] = Array.from({ length: layout.width }, () => '');
  for (const { name, at } of layout.columns) names[at] = name;
  return csvLine(names, dialect.delimiter || ',');
}
