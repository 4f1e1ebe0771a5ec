// Reads the records of a CSV file from pieces of its text.
import type { CsvDialect } from './csv-dialect.js';
import { FileProblem } from './file-problem.js';

/** A record of a CSV file. */
export interface CsvRecord {
  /** The number of its first line; the first line of the file has the number 1. */
  readonly line: number;
  /** Null for an empty field without quotes. */
  readonly fields: readonly (string | null)[];
  /** What is wrong with its quotes; the fields are then not reliable. */
  readonly problem?: string;
}

/** Characters of a record. */
export const longestRecord = 16 * 1024 * 1024;
const lineBreaks = /\r\n|\r|\n/g;
const lineFeed = '\n';
const carriageReturn = '\r';

/**
 * The records in groups of those that a piece completes. Records end with CR, LF or CRLF, also mixed; empty lines are
 * skipped. `name`: the file in messages.
 * @throws FileProblem with the line where the record begins, if a quote is not closed or a record is too long
 */
export async function* readCsv(
  pieces: AsyncIterable<string>,
  dialect: CsvDialect,
  name: string,
): AsyncGenerator<readonly CsvRecord[]> {
  const reader = new CsvReader(dialect, name);
  for await (const piece of pieces) yield reader.read(piece);
  yield reader.end();
}

/** A reader of one text. */
export class CsvReader {
  readonly #dialect: CsvDialect;
  readonly #name: string;
  /** The beginning of a record whose end is not here yet. */
  #rest: string[] = [];
  #restLength = 0;
  /** An incomplete record is read again when the text has twice its length, so that each part is read few times. */
  #wantedLength = 0;
  #line = 1;
  #linesToSkip: number;
  #mayFollowReturn = false;

  constructor(dialect: CsvDialect, name: string) {
    this.#dialect = dialect;
    this.#name = name;
    this.#linesToSkip = dialect.skippedLines;
  }

  /** The line where the next record begins. */
  get line(): number {
    return this.#line;
  }

  /** Characters that are read and belong to no record yet. */
  get waiting(): number {
    return this.#restLength;
  }

  /** The records that this piece completes. @throws FileProblem */
  read(piece: string): readonly CsvRecord[] {
    this.#rest.push(piece);
    this.#restLength += piece.length;
    return this.#restLength < this.#wantedLength ? [] : this.#recordsOf(false);
  }

  /** The records behind the last line break. @throws FileProblem */
  end(): readonly CsvRecord[] {
    return this.#recordsOf(true);
  }

  #recordsOf(isLast: boolean): readonly CsvRecord[] {
    const text = this.#rest.join('');
    const scan = new RecordScan(text, isLast, this.#dialect);
    const records: CsvRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const start = this.#mayFollowReturn && text[at] === lineFeed ? at + 1 : at;
      this.#mayFollowReturn = false;
      if (start === text.length) {
        at = start;
        break;
      }
      const skips = this.#linesToSkip > 0 || this.#isComment(text, start);
      const end = skips ? scan.lineEnd(start) : scan.record(start);
      if (end === undefined) {
        at = start;
        break;
      }
      if (!skips && end - start > longestRecord) throw this.#tooLong();
      if (!skips && !(scan.fields.length === 1 && scan.isBlank)) records.push(this.#record(scan));
      this.#linesToSkip -= this.#linesToSkip > 0 ? 1 : 0;
      this.#line += skips ? 1 : 1 + scan.breaksInQuotes;
      this.#mayFollowReturn = end === text.length && text[end - 1] === carriageReturn;
      at = end;
    }
    this.#keep(text.slice(at), isLast);
    return records;
  }

  #record({ fields, problem }: RecordScan): CsvRecord {
    return problem === undefined ? { line: this.#line, fields } : { line: this.#line, fields, problem };
  }

  #isComment(text: string, start: number): boolean {
    const { comment } = this.#dialect;
    return comment !== '' && text.startsWith(comment, start);
  }

  #keep(rest: string, isLast: boolean): void {
    this.#rest = rest === '' ? [] : [rest];
    this.#restLength = rest.length;
    this.#wantedLength = 2 * rest.length;
    if (rest.length > longestRecord) throw this.#tooLong();
    if (isLast && rest !== '') throw this.#problem('its quote is not closed');
  }

  #tooLong(): FileProblem {
    return this.#problem(`it has more than ${longestRecord} characters; is a quote missing?`);
  }

  #problem(text: string): FileProblem {
    const { quote } = this.#dialect;
    const advice = quote === '' ? '' : `. If ${quote} is a letter in this file, give --quote none`;
    return new FileProblem(
      `${this.#name} cannot be read as CSV: the record at line ${this.#line}: ${text}${advice}`,
    );
  }
}

/** Finds the fields of the records in a text, one record after the other. */
class RecordScan {
  /** Belongs to the record that was read last. */
  fields: (string | null)[] = [];
  problem: string | undefined;
  breaksInQuotes = 0;
  readonly #text: string;
  readonly #isLast: boolean;
  readonly #dialect: CsvDialect;
  /** Whether the escape is a character of its own. */
  readonly #escapes: boolean;
  readonly #delimiters: NextPlace;
  readonly #feeds: NextPlace;
  readonly #returns: NextPlace;
  readonly #quotes: NextPlace;
  readonly #escapePlaces: NextPlace;

  constructor(text: string, isLast: boolean, dialect: CsvDialect) {
    this.#text = text;
    this.#isLast = isLast;
    this.#dialect = dialect;
    this.#escapes = dialect.escape !== '' && dialect.escape !== dialect.quote;
    this.#delimiters = new NextPlace(text, dialect.delimiter);
    this.#feeds = new NextPlace(text, lineFeed);
    this.#returns = new NextPlace(text, carriageReturn);
    this.#quotes = new NextPlace(text, dialect.quote);
    this.#escapePlaces = new NextPlace(text, dialect.escape);
  }

  /** Whether the record is an empty line. */
  get isBlank(): boolean {
    return this.fields[0] === null;
  }

  /** Where the line behind this place ends, with its break; undefined if its end is not in the text. */
  lineEnd(from: number): number | undefined {
    const at = Math.min(this.#feeds.from(from), this.#returns.from(from));
    if (at < this.#text.length) return this.#behindBreak(at);
    return this.#isLast ? this.#text.length : undefined;
  }

  /** Reads the record that begins here, and returns where the next one begins; undefined if its end is missing. */
  record(start: number): number | undefined {
    this.fields = [];
    this.problem = undefined;
    this.breaksInQuotes = 0;
    const text = this.#text;
    for (let at = start; ; at += 1) {
      const end = this.#field(at);
      if (end === undefined) return undefined;
      at = end;
      if (at === text.length) return at;
      const next = text[at];
      if (next === lineFeed || next === carriageReturn) return this.#behindBreak(at);
    }
  }

  /** Adds the field that begins here, and returns where its delimiter or line break is. */
  #field(from: number): number | undefined {
    const { quote, skipsBlanks } = this.#dialect;
    let at = from;
    if (skipsBlanks) while (this.#text[at] === ' ') at += 1;
    if (quote !== '' && this.#text[at] === quote) return this.#quoted(at);
    const end = this.#escapes ? this.#escapedEnd(at) : this.#plainEnd(at);
    if (end === undefined) return undefined;
    const field = this.#text.slice(at, end);
    this.fields.push(field === '' ? null : this.#escapes ? this.#unescaped(field) : field);
    return end;
  }

  /** The end of a field without quotes. */
  #plainEnd(from: number): number | undefined {
    const end = Math.min(this.#delimiters.from(from), this.#feeds.from(from), this.#returns.from(from));
    if (end < this.#text.length) return end;
    return this.#isLast ? this.#text.length : undefined;
  }

  #escapedEnd(from: number): number | undefined {
    let search = from;
    for (;;) {
      const end = this.#plainEnd(search);
      const escaped = this.#escapePlaces.from(search);
      if (escaped >= (end ?? this.#text.length)) return end;
      if (escaped + 1 >= this.#text.length) return this.#isLast ? this.#text.length : undefined;
      search = escaped + 2;
    }
  }

  #quoted(from: number): number | undefined {
    const closing = this.#closingQuote(from + 1);
    const text = this.#text;
    if (closing === undefined || (closing + 1 === text.length && !this.#isLast)) return undefined;
    let end = closing + 1;
    while (text[end] === ' ' && this.#dialect.delimiter !== ' ') end += 1;
    const next = text[end];
    const content = text.slice(from + 1, closing);
    if (content.includes(lineFeed) || content.includes(carriageReturn))
      this.breaksInQuotes += content.match(lineBreaks)?.length ?? 0;
    if (next === undefined && !this.#isLast) return undefined;
    const { delimiter, quote } = this.#dialect;
    if (next === undefined || next === delimiter || next === lineFeed || next === carriageReturn) {
      this.fields.push(this.#unquoted(content));
      return end;
    }
    this.problem ??= `the field ${this.fields.length + 1} has text behind its closing ${quote}`;
    const literalEnd = this.#plainEnd(end);
    if (literalEnd !== undefined) this.fields.push(text.slice(from, literalEnd));
    return literalEnd;
  }

  #closingQuote(from: number): number | undefined {
    const { quote } = this.#dialect;
    const text = this.#text;
    for (let search = from; ; ) {
      const at = this.#quotes.from(search);
      if (at >= text.length) return undefined;
      const escaped = this.#escapes ? this.#escapePlaces.from(search) : at;
      if (escaped < at) {
        search = escaped + 2;
        continue;
      }
      if (text[at + 1] !== quote) return at;
      search = at + 2;
    }
  }

  #unquoted(content: string): string {
    const { quote } = this.#dialect;
    const text = content.includes(quote) ? content.replaceAll(`${quote}${quote}`, quote) : content;
    return this.#escapes ? this.#unescaped(text) : text;
  }

  /** Removes escapes before characters with a meaning; before others they are letters, as in `\N` and `C:\new`. */
  #unescaped(text: string): string {
    const { delimiter, quote, escape: escaping } = this.#dialect;
    if (!text.includes(escaping)) return text;
    let [result, from] = ['', 0];
    for (let at = text.indexOf(escaping); at >= 0; at = text.indexOf(escaping, at + 2)) {
      const next = text[at + 1] ?? '';
      const isRemoved = next !== '' && [delimiter, quote, escaping, lineFeed, carriageReturn].includes(next);
      result += text.slice(from, isRemoved ? at : at + 1) + next;
      from = at + 2;
    }
    return result + text.slice(from);
  }

  #behindBreak(at: number): number {
    return this.#text[at] === carriageReturn && this.#text[at + 1] === lineFeed ? at + 2 : at + 1;
  }
}

/** The next place of a character behind places that only grow; it is searched again only behind the last one. */
class NextPlace {
  readonly #text: string;
  readonly #character: string;
  #next = -1;

  constructor(text: string, character: string) {
    this.#text = text;
    this.#character = character;
    if (character === '') this.#next = text.length;
  }

  /** The first place from here on; the length of the text if there is none. */
  from(place: number): number {
    if (this.#next >= place) return this.#next;
    const found = this.#text.indexOf(this.#character, place);
    this.#next = found < 0 ? this.#text.length : found;
    return this.#next;
  }
}
