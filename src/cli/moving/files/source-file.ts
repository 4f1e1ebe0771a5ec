// A file of rows that people or other programs made: its format, its text, and what its columns are.
import { createHash, type Hash } from 'node:crypto';
import { usualDialect } from '../../../files/csv-dialect.js';
import type { CsvLayout } from '../../../files/csv-layout.js';
import { decodeText } from '../../../files/decode-text.js';
import { type FileFormat, isCompressed } from '../../../files/file-format.js';
import { usualValues } from '../../../files/guess-type.js';
import { type CsvOptions, inspectCsv } from '../../../files/inspect-csv.js';
import type { DescribedFile } from '../../../files/plan-text.js';
import { chunksOf, linesOf } from '../row-file.js';

/** A file to read. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  /** A label of the Encoding Standard; undefined for UTF-8 or a byte order mark. */
  readonly encoding: string | undefined;
  readonly csv: CsvOptions;
}

/** What a whole file has. */
export interface InspectedFile extends DescribedFile {
  readonly path: string;
  readonly encoding: string | undefined;
  /** Of CSV. */
  readonly layout: CsvLayout;
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
}

/**
 * Reads the whole file.
 * @throws FileProblem if it does not have its encoding, or is not CSV with names in its first line; RowFileProblem
 */
export async function inspectFile(file: SourceFile): Promise<InspectedFile> {
  const { path, format, encoding, csv } = file;
  const hash = createHash('sha256');
  const hashed = hashedChunks(path, hash);
  if (format === 'ndjson') {
    let rows = 0;
    for await (const lines of linesOf(checkedChunks(hashed, file), path, { mayEndOpen: true }))
      for (const { text } of lines) if (text.trim() !== '') rows += 1;
    return {
      ...{ format, path, name: path, encoding, dialect: usualDialect, layout: noColumns, notes: [] },
      ...{ columns: new Map(), rows },
      hash: hash.digest('hex'),
    };
  }
  const inspected = await inspectCsv(textOf(hashed, file), csv, path);
  const values = csv.values ?? usualValues;
  return { format, path, name: path, encoding, values, ...inspected, hash: hash.digest('hex') };
}

const noColumns: CsvLayout = { hasHeader: false, columns: [], width: 0, isRagged: false };

/** The text of a file. @throws FileProblem if it does not have its encoding */
export function textOf(
  chunks: AsyncIterable<Uint8Array>,
  { path, encoding }: Pick<SourceFile, 'path' | 'encoding'>,
): AsyncIterable<string> {
  return decodeText(chunks, { name: path, encoding });
}

/** The content, which is added to a hash. */
async function* hashedChunks(path: string, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(path, isCompressed(path))) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The chunks as UTF-8. @throws FileProblem if they do not have their encoding */
async function* checkedChunks(
  chunks: AsyncIterable<Buffer>,
  file: Pick<SourceFile, 'path' | 'encoding'>,
): AsyncGenerator<Buffer> {
  for await (const text of textOf(chunks, file)) yield Buffer.from(text);
}
