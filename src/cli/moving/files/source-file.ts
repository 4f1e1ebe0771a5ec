// A file of rows that people or other programs made: its format, its text, and what its columns are.

import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { chunksOf, linesOf, RowFileProblem } from '../row-file.js';
import { delimiterOf, type FileFormat, isCompressed } from './file-format.js';
import { TypeGuess } from './guess-type.js';
import { readCsv } from './read-csv.js';

/** A file to read. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  /** Of CSV; undefined for the one that the first line has most often: comma, semicolon or tab. */
  readonly delimiter: string | undefined;
}

/** What a whole file has. */
export interface InspectedFile {
  readonly format: FileFormat;
  readonly path: string;
  /** Of CSV; empty for NDJSON. */
  readonly delimiter: string;
  /** The names in the first record of CSV with the guesses of their types, in order; none for NDJSON. */
  readonly columns: ReadonlyMap<string, TypeGuess>;
  /** Records of CSV behind the first one, or lines. */
  readonly rows: number;
  /** SHA-256 of the content, as hexadecimal digits. */
  readonly hash: string;
}

/** Names of columns; more are not the first line of a table. */
const mostColumns = 5000;
const delimiters = [',', ';', '\t'] as const;
const lineFeed = 10;

/** Reads the whole file. @throws RowFileProblem if it is not UTF-8, or not CSV with names in its first line */
export async function inspectFile(file: SourceFile): Promise<InspectedFile> {
  const { path, format } = file;
  const hash = createHash('sha256');
  const checked = checkedChunks(path, hash);
  if (format === 'ndjson') {
    let rows = 0;
    for await (const lines of linesOf(checked, path, { mayEndOpen: true }))
      for (const { text } of lines) if (text.trim() !== '') rows += 1;
    return { format, path, delimiter: '', columns: new Map(), rows, hash: hash.digest('hex') };
  }
  const delimiter = file.delimiter ?? delimiterOf(path) ?? (await likelyDelimiter(path));
  let guesses: readonly TypeGuess[] | undefined;
  let columns: ReadonlyMap<string, TypeGuess> = new Map();
  let rows = 0;
  for await (const records of readCsv(checked, delimiter, path))
    for (const { fields } of records) {
      if (guesses === undefined) {
        columns = columnsIn(path, fields);
        guesses = [...columns.values()];
        continue;
      }
      rows += 1;
      if (fields.length !== guesses.length) continue; // refused when it is inserted
      for (let at = 0; at < fields.length; at += 1) guesses[at]?.add(fields[at] ?? null);
    }
  if (guesses === undefined)
    throw new RowFileProblem(`${path} is empty: its first line must name the columns`);
  return { format, path, delimiter, columns, rows, hash: hash.digest('hex') };
}

function columnsIn(path: string, fields: readonly (string | null)[]): ReadonlyMap<string, TypeGuess> {
  if (fields.length > mostColumns)
    throw new RowFileProblem(`${path} has ${fields.length} columns; ${mostColumns} are the most`);
  const columns = new Map<string, TypeGuess>();
  for (const [at, field] of fields.entries()) {
    const name = field?.trim() ?? '';
    if (name === '')
      throw new RowFileProblem(`${path} has no name for the column ${at + 1} in its first line`);
    if (columns.has(name)) throw new RowFileProblem(`${path} has two columns with the name ${name}`);
    columns.set(name, new TypeGuess());
  }
  return columns;
}

/** The content, which is added to a hash. @throws RowFileProblem if it is not UTF-8 */
async function* checkedChunks(path: string, hash: Hash): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const check = (chunk: Buffer, isLast: boolean) => {
    try {
      decoder.decode(chunk, { stream: !isLast });
    } catch (error) {
      throw new RowFileProblem(
        `${path} line ${line + linesBeforeProblem(chunk)} is not UTF-8: ${adviceFor(chunk)}`,
        { cause: error },
      );
    }
  };
  for await (const chunk of chunksOf(path, isCompressed(path))) {
    check(chunk, false);
    hash.update(chunk);
    yield chunk;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) line += 1;
  }
  check(Buffer.alloc(0), true);
}

/** What to do with a file that is not UTF-8 and has this chunk. Excel writes "Unicode text" as UTF-16 with a mark. */
function adviceFor(chunk: Buffer): string {
  const mark = chunk.subarray(0, 2).toString('hex');
  if (mark === '1f8b') return 'it is compressed, so its name must end with .gz';
  const encoding = mark === 'fffe' || mark === 'feff' ? 'UTF-16' : 'ISO-8859-1';
  return `save the file as UTF-8, or convert it, such as with iconv -f ${encoding} -t UTF-8`;
}

/** The number of the line in a chunk that is not UTF-8, from 0; the first one may have begun in the chunk before. */
function linesBeforeProblem(chunk: Buffer): number {
  let number = 0;
  for (let from = chunk.indexOf(lineFeed) + 1; from > 0; number += 1) {
    const next = chunk.indexOf(lineFeed, from);
    if (!isUtf8(chunk.subarray(from, next < 0 ? chunk.length : next))) return number + 1;
    from = next + 1;
  }
  return 0;
}

async function likelyDelimiter(path: string): Promise<string> {
  for await (const chunk of chunksOf(path, isCompressed(path))) {
    const [first = ''] = chunk.toString().split('\n', 1);
    const counts = delimiters.map((delimiter) => first.split(delimiter).length);
    return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
  }
  return ',';
}
