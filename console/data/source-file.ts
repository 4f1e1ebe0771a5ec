// A file that was chosen in the browser: what it is, and its text.
import { checkedContent, compressionOf } from '../../src/files/checked-content.js';
import { type Compression, kindBytes, officeKind } from '../../src/files/content-kind.js';
import { characterOf } from '../../src/files/csv-dialect.js';
import { type GivenOptions, readCsvOptions, type TextOptions } from '../../src/files/csv-options.js';
import { decodeText } from '../../src/files/decode-text.js';
import type { ValueForm } from '../../src/files/extended-json.js';
import { delimiterOf, type FileFormat, formatOf, formatOfText } from '../../src/files/file-format.js';
import { FileProblem } from '../../src/files/file-problem.js';
import { type InspectedText, inspectText } from '../../src/files/inspect-text.js';
import { zipEndBytes, zipNames } from '../../src/files/zip-names.js';

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
 * The text of a file from its beginning, decompressed where it is compressed by gzip or zstd.
 * @throws FileProblem, or the reason of `signal`
 */
export async function* textOf(
  file: File,
  { encoding }: TextOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield* decodeText(chunksOf(file, signal), { name: file.name, encoding });
}

/** @throws FileProblem for what has no rows, or is compressed by what the console does not read */
async function* chunksOf(file: File, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { name } = file;
  const compression = compressionOf(await bytesOf(file.slice(0, kindBytes), name), name);
  if (compression === undefined) yield* readChunks(file.stream(), signal, (error) => notRead(name, error));
  else yield* checkedContent(await decompressed(file, compression, signal), name, compression);
}

async function decompressed(
  file: File,
  compression: Compression,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { name } = file;
  if (compression === 'gzip' || compression === 'zstd') {
    const decompress = await loadDecompression(compression);
    return decompress(
      readChunks(file.stream(), signal, (error) => notRead(name, error)),
      name,
    );
  }
  const office =
    compression === 'zip' ? officeKind(zipNames(await bytesOf(file.slice(-zipEndBytes), name))) : undefined;
  if (office !== undefined)
    throw new FileProblem(`${name} is ${office}, which is not read: save or export it as CSV`);
  throw new FileProblem(
    compression === 'zip'
      ? `${name} is a ZIP archive, which the console does not read: extract it first, or use colonnade import`
      : `${name} is compressed by ${compression}, which the console does not read: ` +
          `decompress it first with ${compression} -d, or use colonnade import`,
  );
}

/** Loads the code for a compression, which only few files need. @throws FileProblem if it cannot be loaded */
async function loadDecompression(compression: 'gzip' | 'zstd') {
  try {
    // The decompression of browsers refuses what is behind the first member of gzip.
    if (compression === 'gzip') return (await import('./decompress-gzip.js')).decompressGzip;
    return (await import('../../src/files/decompress-zstd.js')).decompressZstd;
  } catch (error) {
    throw new FileProblem(
      `The part of the console that reads ${compression} could not be loaded. ` +
        'If the server was upgraded since this tab was opened, load the page again',
      { cause: error },
    );
  }
}

/** @throws FileProblem if the browser cannot read the file any more */
async function bytesOf(part: Blob, name: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await part.arrayBuffer());
  } catch (error) {
    throw notRead(name, error);
  }
}

function notRead(name: string, error: unknown): FileProblem {
  // Some browsers end it with a full stop.
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  const advice = 'If it was changed or moved, close this form and choose it again';
  return new FileProblem(`${name} cannot be read: ${reason}. ${advice}`, { cause: error });
}

/** Reads a stream by its reader, because not every browser iterates over a stream. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  problemOf: (error: unknown) => FileProblem,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw problemOf(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // of a stream that failed
  }
}
