// A file of rows that people or other programs made: its format, its text, and what its columns are.
import { createHash, type Hash } from 'node:crypto';
import { type CsvDialect, usualDialect } from '../../../files/csv-dialect.js';
import { decodeText } from '../../../files/decode-text.js';
import { delimiterOf, type FileFormat, isCompressed } from '../../../files/file-format.js';
import { inspectCsv } from '../../../files/inspect-csv.js';
import type { RowsOfFile } from '../../../files/plan-file.js';
import { chunksOf, linesOf } from '../row-file.js';

/** A file to read. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  /** Of CSV; undefined for the one that the first line has most often: comma, semicolon or tab. */
  readonly delimiter: string | undefined;
}

/** What a whole file has. */
export interface InspectedFile extends RowsOfFile {
  readonly path: string;
  /** Of CSV. */
  readonly dialect: CsvDialect;
  /** Records of CSV behind the first one, or lines. */
  readonly rows: number;
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
}

/**
 * Reads the whole file.
 * @throws FileProblem if it is not UTF-8, or not CSV with names in its first line; RowFileProblem
 */
export async function inspectFile(file: SourceFile): Promise<InspectedFile> {
  const { path, format } = file;
  const hash = createHash('sha256');
  const hashed = hashedChunks(path, hash);
  if (format === 'ndjson') {
    let rows = 0;
    for await (const lines of linesOf(checkedChunks(hashed, path), path, { mayEndOpen: true }))
      for (const { text } of lines) if (text.trim() !== '') rows += 1;
    return {
      ...{ format, path, name: path, dialect: usualDialect, columns: new Map(), rows },
      hash: hash.digest('hex'),
    };
  }
  const delimiter = file.delimiter ?? delimiterOf(path);
  const given = delimiter === undefined ? {} : { delimiter };
  const inspected = await inspectCsv(textOf(hashed, path), given, path);
  return { format, path, name: path, ...inspected, hash: hash.digest('hex') };
}

/** The text of a file. @throws FileProblem if it is not UTF-8 */
export function textOf(chunks: AsyncIterable<Uint8Array>, path: string): AsyncIterable<string> {
  return decodeText(chunks, { name: path, encoding: undefined });
}

/** The content, which is added to a hash. */
async function* hashedChunks(path: string, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(path, isCompressed(path))) {
    hash.update(chunk);
    yield chunk;
  }
}

/** @throws FileProblem if the chunks are not UTF-8 */
async function* checkedChunks(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  for await (const text of textOf(chunks, path)) yield Buffer.from(text);
}
