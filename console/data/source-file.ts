// A file that was chosen in the browser: what it is, and its text.
import { contentKind, kindBytes } from '../../src/files/content-kind.js';
import { characterOf } from '../../src/files/csv-dialect.js';
import { type GivenOptions, readCsvOptions, type TextOptions } from '../../src/files/csv-options.js';
import { decodeText } from '../../src/files/decode-text.js';
import type { ValueForm } from '../../src/files/extended-json.js';
import { delimiterOf, type FileFormat, formatOf, formatOfText } from '../../src/files/file-format.js';
import { FileProblem } from '../../src/files/file-problem.js';
import { type InspectedText, inspectText } from '../../src/files/inspect-text.js';

/** What the form says about a file, by the names of the options of `colonnade import`; empty is not said. */
export type FileChoices = Readonly<Record<string, string>>;

/** A file that was read once. */
export interface InspectedFile extends InspectedText {
  readonly file: File;
  readonly options: TextOptions;
}

/** Reads the whole file. `form`: that of the values of JSON. @throws FileProblem, or the reason of `signal` */
export async function inspectFile(
  file: File,
  form: ValueForm,
  choices: FileChoices,
  signal: AbortSignal,
): Promise<InspectedFile> {
  const options = readOptions(file, choices);
  const format = await formatOfFile(file, options, choices['format'] ?? '', signal);
  const { name } = file;
  const text = textOf(file, options, signal);
  return { ...(await inspectText(text, { name, format, csv: options.csv, form })), file, options };
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

/**
 * The text of a file from its beginning, decompressed where it is compressed by gzip.
 * @throws FileProblem, or the reason of `signal`
 */
export async function* textOf(
  file: File,
  { encoding }: TextOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
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
