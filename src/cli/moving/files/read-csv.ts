// Reads records of a CSV file; the only file that imports the CSV parser.
import { CsvError, type Parser, parse } from 'csv-parse';
import { RowFileProblem } from '../row-file.js';

/** A record of a CSV file. */
export interface CsvRecord {
  /** Of its first line; the first line of the file has the number 1. */
  readonly line: number;
  /** Null for an empty field without quotes. */
  readonly fields: readonly (string | null)[];
}

/** Bytes of a record. */
const longestRecordBytes = 16 * 1024 * 1024;
const lineBreaks = /\r\n|\r|\n/g;
const leadingBreaks = /^[\r\n]*/;

/**
 * The records of a file in groups of those that are read at a time, the first of which are the names of the columns.
 * Empty lines are skipped, a byte order mark is removed. `name`: the file in messages.
 * @throws RowFileProblem with the line where the record begins, if quotes are wrong or a record is too long
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  delimiter: string,
  name: string,
): AsyncGenerator<readonly CsvRecord[]> {
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: longestRecordBytes,
    raw: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  let line = 1;
  const read = (): readonly CsvRecord[] => {
    const records: CsvRecord[] = [];
    for (let raw: RawRecord | null = parser.read(); raw !== null; raw = parser.read()) {
      const { record } = raw;
      // Skipped lines stand before the record, each as a single line break.
      const skipped = leadingBreaks.exec(raw.raw)?.[0].length ?? 0;
      const text = skipped === 0 ? raw.raw : raw.raw.slice(skipped);
      line += skipped;
      records.push({ line, fields: record.includes('') ? withNulls(record, text) : record });
      line += breaksIn(text);
    }
    return records;
  };
  parser.on('error', () => {}); // thrown below
  try {
    for await (const chunk of chunks) {
      parser.write(chunk); // parses at once; `read` takes what it found, as an asynchronous loop would do one by one
      yield read();
      if (parser.errored !== null) throw parser.errored;
    }
    await ended(parser);
    yield read();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    read(); // the records before the problem, for its line
    throw new RowFileProblem(
      `${name} cannot be read as CSV: the record at line ${line}: ${problemText(error)}`,
      { cause: error },
    );
  } finally {
    parser.destroy();
  }
}

/** Resolves when the parser has read everything. @throws CsvError */
function ended(parser: Parser): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.once('error', reject);
    parser.end(() => resolve());
  });
}

function breaksIn(text: string): number {
  // The one at the end is nearly always the only one.
  const first = text.indexOf('\n');
  if (first === text.length - 1 && first >= 0 && text.indexOf('\r') < 0) return 1;
  return text.match(lineBreaks)?.length ?? 0;
}

/** What the parser yields with `raw`. */
interface RawRecord {
  readonly record: string[];
  /** The text of the record, with line breaks of skipped lines before it and its own behind it. */
  readonly raw: string;
}

/** The parser does not say whether an empty field has quotes, so its text decides. */
function withNulls(record: readonly string[], text: string): readonly (string | null)[] {
  if (!text.includes('""')) return record.map((field) => (field === '' ? null : field));
  let at = 0;
  return record.map((field) => {
    const isQuoted = text[at] === '"';
    at += isQuoted ? field.length + field.split('"').length - 1 + 3 : field.length + 1;
    return field === '' && !isQuoted ? null : field;
  });
}

function problemText({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `it has more than ${longestRecordBytes} bytes; is a quote missing?`;
  // The parser names the line that it has reached, and counts CRLF in quotes twice.
  return message.trim().replace(/ at line \d+/, '');
}
