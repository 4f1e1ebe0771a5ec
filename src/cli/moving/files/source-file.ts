// A file of rows that people or other programs made: its format, its text, and what its columns are.
import { createHash, type Hash } from 'node:crypto';
import { decodeText } from '../../../files/decode-text.js';
import type { ValueForm } from '../../../files/extended-json.js';
import { type FileFormat, formatOfText } from '../../../files/file-format.js';
import { FileProblem } from '../../../files/file-problem.js';
import type { CsvOptions } from '../../../files/inspect-csv.js';
import { type InspectedText, inspectText } from '../../../files/inspect-text.js';
import type { OpenSource } from '../sources/open-source.js';

/** A file to read. */
export interface SourceFile {
  readonly source: OpenSource;
  /** Undefined for the one that the text of the file begins like. */
  readonly format: FileFormat | undefined;
  /** A label of the Encoding Standard; undefined for UTF-8 or a byte order mark. */
  readonly encoding: string | undefined;
  readonly csv: CsvOptions;
  /** An option that was given and that only CSV has; undefined if there is none. */
  readonly optionForCsv: string | undefined;
}

/** What a whole file has. */
export interface InspectedFile extends InspectedText {
  readonly source: OpenSource;
  readonly encoding: string | undefined;
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
}

/**
 * Reads the whole file. `form`: that of the values of JSON.
 * @throws FileProblem if it does not have its encoding or its format; RowFileProblem, Interrupted
 */
export async function inspectFile(file: SourceFile, form: ValueForm): Promise<InspectedFile> {
  const { source, encoding, csv } = file;
  const { name } = source;
  const format = file.format ?? (await formatOfSource(file));
  if (format === 'ndjson' && file.optionForCsv !== undefined)
    throw new FileProblem(
      `${name} has JSON objects, and --${file.optionForCsv} is for CSV: leave it out, or give --format csv`,
    );
  const hash = createHash('sha256');
  const text = decodeText(hashedChunks(source, hash), { name, encoding });
  const inspected = await inspectText(text, { name, format, csv, form });
  return { ...inspected, source, encoding, hash: hash.digest('hex') };
}

/** The file has another content than when it was inspected. */
export class FileChanged extends FileProblem {}

/** The text of an inspected file. @throws FileChanged at its end; as `textOf` */
export function inspectedText(file: InspectedFile): AsyncIterable<string> {
  const { source, encoding } = file;
  return decodeText(inspectedChunks(file), { name: source.name, encoding });
}

async function* inspectedChunks({ source, hash: inspected }: InspectedFile): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  yield* hashedChunks(source, hash);
  if (hash.digest('hex') === inspected) return;
  throw new FileChanged(
    `${source.name} has changed during the import: rows that were inserted remain, perhaps some of both contents. ` +
      'Import it again when no program writes to it, or import a copy of it',
  );
}

async function formatOfSource(file: SourceFile): Promise<FileFormat> {
  for await (const beginning of textOf(file)) if (beginning.trim() !== '') return formatOfText(beginning);
  return 'ndjson';
}

/** The text of a file. @throws FileProblem if it does not have its encoding */
function textOf({ source, encoding }: Pick<SourceFile, 'source' | 'encoding'>): AsyncIterable<string> {
  return decodeText(source.chunks(), { name: source.name, encoding });
}

/** The content, which is added to a hash. */
async function* hashedChunks(source: OpenSource, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.chunks()) {
    hash.update(chunk);
    yield chunk;
  }
}
