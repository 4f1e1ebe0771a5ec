// Reads a whole CSV file to find how it is written, its columns and their types.
import type { CsvDialect } from './csv-dialect.js';
import { looksLikeValues } from './csv-header.js';
import { type CsvLayout, checkWidth, fits, isEmptyRecord, nameColumns } from './csv-layout.js';
import { FileProblem } from './file-problem.js';
import { TypeGuess, usualValues, type ValueFormat } from './guess-type.js';
import { type CsvRecord, longestRecord, readCsv } from './read-csv.js';
import { type CsvSample, LongRecords, sniffDialect } from './sniff-dialect.js';

/** What is known of a CSV file before it is read; the rest is guessed. */
export interface CsvOptions {
  readonly dialect?: Partial<CsvDialect>;
  /** Whether the first record has the names of the columns; undefined if it does unless it looks like values. */
  readonly hasHeader?: boolean | undefined;
  /** Names that replace those of the file. */
  readonly names?: readonly string[] | undefined;
  /** Whether records may have fewer or more fields than the first one. */
  readonly isRagged?: boolean;
  readonly values?: ValueFormat;
}

/** What a whole CSV file has. */
export interface InspectedCsv {
  readonly dialect: CsvDialect;
  readonly layout: CsvLayout;
  /** The columns with the guesses of their types, in order. */
  readonly columns: ReadonlyMap<string, TypeGuess>;
  /** Records with values, without the names of the columns. */
  readonly rows: number;
  /** What was decided about the records and names, as sentences. */
  readonly notes: readonly string[];
}

/** Characters from whose records the dialect is guessed. */
const sampleLength = 1024 * 1024;

/**
 * Inspects the pieces of a text. `name`: the file in messages.
 * @throws FileProblem if the text is not CSV with names in its first line, with what to do
 */
export async function inspectCsv(
  pieces: AsyncIterable<string>,
  options: CsvOptions,
  name: string,
): Promise<InspectedCsv> {
  const given = options.dialect ?? {};
  const { sample, all } = await sampled(pieces, given);
  const dialect = sniffDialect(sample, given);
  const inspection = new CsvInspection(options, dialect, name);
  for await (const records of readCsv(all, dialect, name))
    for (const record of records) inspection.add(record);
  return inspection.end();
}

/** The beginning of a text, to the end of a long record if it ends in one, and all of the text. */
async function sampled(
  pieces: AsyncIterable<string>,
  given: Partial<CsvDialect>,
): Promise<{ readonly sample: CsvSample; readonly all: AsyncIterable<string> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first: string[] = [];
  let [length, isWhole] = [0, false];
  const readOn = async (): Promise<string> => {
    const { done, value = '' } = await iterator.next();
    isWhole = done === true;
    if (value !== '') first.push(value);
    length += value.length;
    return value;
  };
  while (length < sampleLength && !isWhole) await readOn();
  const beginning: CsvSample = { text: first.join(''), isWhole };
  const longRecords = new LongRecords(beginning, given);
  const isLong = longRecords.isOpen;
  while (longRecords.isOpen && !isWhole && length < sampleLength + longestRecord)
    longRecords.add(await readOn());
  const hasEnd = isLong && (isWhole || !longRecords.isOpen);
  const sample = hasEnd ? { text: first.join(''), isWhole, hasLongRecord: true } : beginning;
  async function* all(): AsyncGenerator<string> {
    try {
      yield* first;
      if (isWhole) return;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { sample, all: all() };
}

const rowNamesNote =
  'each record has one field more than the first line, so its first field is taken for the name of the row';

/** What was seen of the records so far. */
class CsvInspection {
  readonly #options: CsvOptions;
  readonly #dialect: CsvDialect;
  readonly #name: string;
  #header: readonly (string | null)[] | undefined;
  #isBegun = false;
  /** Fields of the first record. */
  #width = 0;
  /** By fields of a record. */
  #guesses: TypeGuess[] = [];
  #rows = 0;
  #fitting = 0;
  #empty = 0;
  /** Records with one field more than the first record, as R writes them: the first field is the name of the row. */
  readonly #longer = { rows: 0, withLast: 0 };
  /** Records of each number of fields, and the line of the first of them. */
  readonly #widths = new Map<number, { rows: number; firstLine: number }>();

  constructor(options: CsvOptions, dialect: CsvDialect, name: string) {
    this.#options = options;
    this.#dialect = dialect;
    this.#name = name;
  }

  add(record: CsvRecord): void {
    const { fields } = record;
    if (isEmptyRecord(fields, this.#isBegun ? this.#width : 2)) {
      this.#empty += 1;
      return;
    }
    if (!this.#isBegun) {
      this.#begin(record);
      if (this.#header !== undefined) return;
    }
    this.#rows += 1;
    if (record.problem !== undefined) return; // refused when it is inserted
    this.#count(record);
    const isKnown = this.#isTaken(fields);
    if (!isKnown) return;
    this.#addGuesses(fields.length);
    for (let at = 0; at < fields.length; at += 1) this.#guesses[at]?.add(fields[at] ?? null);
  }

  #begin({ fields, problem, line }: CsvRecord): void {
    const { hasHeader = true, names } = this.#options;
    this.#isBegun = true;
    this.#width = hasHeader ? fields.length : Math.max(fields.length, names?.length ?? 0);
    checkWidth(this.#name, this.#width);
    if (hasHeader && problem !== undefined)
      throw new FileProblem(`${this.#name} cannot be read as CSV: the record at line ${line}: ${problem}`);
    if (hasHeader) this.#header = fields;
    if (names !== undefined && names.length !== this.#width)
      throw new FileProblem(
        `${this.#name} has ${this.#width} columns, and --names has ${names.length} names: ${names.join(', ')}`,
      );
    this.#addGuesses(this.#width);
  }

  #addGuesses(count: number): void {
    if (count <= this.#guesses.length) return;
    checkWidth(this.#name, count);
    const values = this.#options.values ?? usualValues;
    while (this.#guesses.length < count) this.#guesses.push(new TypeGuess(values));
  }

  #count({ fields, line }: CsvRecord): void {
    const known = this.#widths.get(fields.length);
    if (known === undefined) this.#widths.set(fields.length, { rows: 1, firstLine: line });
    else known.rows += 1;
    if (fields.length !== this.#width + 1) return;
    this.#longer.rows += 1;
    if (fields.at(-1) !== null) this.#longer.withLast += 1;
  }

  /** Whether the values of a record count for the types. */
  #isTaken(fields: readonly (string | null)[]): boolean {
    const isFitting = fits(fields, this.#width);
    if (isFitting) this.#fitting += 1;
    if (isFitting || this.#options.isRagged === true) return true;
    return this.#mayHaveRowNames && this.#longer.rows === this.#rows;
  }

  /** A line with one name is rather the title of a report. */
  get #mayHaveRowNames(): boolean {
    return this.#header !== undefined && this.#width > 1;
  }

  end(): InspectedCsv {
    if (!this.#isBegun) throw new FileProblem(`${this.#name} is empty: its first line must name the columns`);
    const { isRagged = false } = this.#options;
    const hasRowNames =
      !isRagged && this.#mayHaveRowNames && this.#rows > 1 && this.#longer.withLast === this.#rows;
    if (!hasRowNames && !isRagged) this.#checkWidths();
    const width = hasRowNames ? this.#width + 1 : isRagged ? this.#guesses.length : this.#width;
    const names = this.#names(width, hasRowNames);
    const { columns, notes } = nameColumns(names, (at) => this.#guesses[at]?.isEmpty === false);
    if (columns.length === 0) throw new FileProblem(`${this.#name} has no column with a name or a value`);
    this.#checkHeader(columns.map(({ at }) => ({ name: names[at] ?? null, guess: this.#guesses[at] })));
    return {
      dialect: this.#dialect,
      layout: { hasHeader: this.#header !== undefined, columns, width, isRagged },
      columns: new Map(columns.map(({ name, at }) => [name, this.#guesses[at] ?? new TypeGuess()])),
      rows: this.#rows,
      notes: [
        ...(hasRowNames ? [rowNamesNote] : []),
        ...notes,
        ...(this.#empty === 0 ? [] : [`${this.#empty} records without any value are left out`]),
      ],
    };
  }

  #names(width: number, hasRowNames: boolean): readonly (string | null)[] {
    const names = this.#options.names ?? this.#header;
    if (names === undefined) return Array.from({ length: width }, (_, at) => `column_${at + 1}`);
    const before = hasRowNames && names.length < width ? [null] : [];
    return Array.from({ length: width }, (_, at) => [...before, ...names][at] ?? null);
  }

  /** @throws FileProblem if most records have another number of fields than the first one */
  #checkWidths(): void {
    if (this.#fitting * 2 >= this.#rows) return;
    const [most] = [...this.#widths].sort(([, left], [, right]) => right.rows - left.rows);
    if (most === undefined) return; // every record has a problem of its own
    const [fields, { rows, firstLine }] = most;
    const first = this.#header === undefined ? 'first record' : 'line with the names';
    const isComment = this.#header?.[0]?.startsWith('#') === true;
    const skip = `${isComment ? "--comment '#', " : ''}--skip-lines ${firstLine - 1} if the names are there, `;
    throw new FileProblem(
      `${this.#name} has ${this.#width} fields in its ${first}, and ${fields} in ${rows} of ${this.#rows} records, ` +
        `the first of them at line ${firstLine}: give ${firstLine > 1 ? skip : ''}another --delimiter, ` +
        'or --ragged to import it as it is',
    );
  }

  /** @throws FileProblem if the names look like values, and nobody said what they are */
  #checkHeader(columns: Parameters<typeof looksLikeValues>[0]): void {
    const { hasHeader, names } = this.#options;
    if (hasHeader !== undefined || names !== undefined || this.#rows === 0) return;
    if (looksLikeValues(columns))
      throw new FileProblem(
        `${this.#name} has values where the names of its columns should be: ` +
          'give --no-header if the first line is a row, or --header if it has the names',
      );
  }
}
