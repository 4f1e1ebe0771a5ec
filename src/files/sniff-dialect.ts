// Decides how the records of a CSV file are written, from the beginning of its text.
import { beginningOf } from '../foundation/text/shorten-text.js';
import { type CsvDialect, usualDialect } from './csv-dialect.js';
import { isEmptyRecord } from './csv-layout.js';
import { FileProblem } from './file-problem.js';
import { CsvReader, type CsvRecord } from './read-csv.js';

/** The beginning of a text. */
export interface CsvSample {
  readonly text: string;
  /** Whether it is the whole text. */
  readonly isWhole: boolean;
  /** Whether it was read on to the end of a long record. Absent: no. */
  readonly hasLongRecord?: boolean;
}

/** How well a dialect fits a sample. */
interface Fit {
  readonly dialect: CsvDialect;
  /** The number of fields that most records have. */
  readonly width: number;
  /** The share of the records with that number. */
  readonly share: number;
  readonly records: number;
  /** Records with text behind a closing quote, and one for a quote that is not closed. */
  readonly problems: number;
  /** Fields with an odd number of quotes, as the halves of a text with quotes that was cut at its delimiter. */
  readonly halves: number;
}

/** The first of those that fit equally is taken: the comma is the last because it can be a decimal comma. */
const delimiters = ['\t', ';', '|', ','] as const;
/** Quotes are letters if as many of the records with quotes are wrong. */
const wrongShare = 0.3;
/** If an open quote has more characters than this behind it, they are not the rest of a field. */
const longestField = 64 * 1024;
/** Characters of a sample that are enough if they have `enoughRecords`. */
const enoughCharacters = 128 * 1024;
const enoughRecords = 50;

/** The dialect of a sample. `given` is not guessed. The beginning of a sample decides if it has enough records. */
export function sniffDialect(whole: CsvSample, given: Partial<CsvDialect>): CsvDialect {
  const sample = enoughOf(whole, given);
  const declared = declaredDelimiter(sample.text, given.skippedLines ?? 0);
  const base: CsvDialect = {
    ...usualDialect,
    escape: given.quote ?? usualDialect.escape,
    ...(declared === undefined ? {} : { delimiter: declared }),
    ...given,
    skippedLines: (given.skippedLines ?? 0) + (declared === undefined ? 0 : 1),
  };
  const isSettled = given.delimiter !== undefined || declared !== undefined;
  const wanted = isSettled ? [base.delimiter] : delimiters;
  const fits = wanted.map((delimiter) => bestQuotes(sample, { ...base, delimiter }, given));
  const splitting = fits.filter(({ width }) => width > 1);
  if (splitting.length === 0 && !isSettled) return fits.at(-1)?.records === 0 ? base : oneColumn(fits, base);
  const [best = fits[0]] = splitting.sort(
    (left, right) => quality(right) - quality(left) || left.halves - right.halves,
  );
  return best?.dialect ?? base;
}

/** Finds out whether a beginning of a text ends within a long field that has quotes. */
export class LongRecords {
  readonly #readers: CsvReader[] = [];

  /** `given` is not guessed. */
  constructor(sample: CsvSample, given: Partial<CsvDialect>) {
    if (sample.isWhole || enoughOf(sample, given) !== sample) return;
    for (const dialect of usualDialects(given)) this.#readers.push(new CsvReader(dialect, ''));
    this.add(sample.text);
    // Those that wait for nothing now do not decide how far to read.
    this.#keep(({ waiting }) => waiting > longestField);
  }

  /** Whether a record that began in the sample has not ended yet. */
  get isOpen(): boolean {
    return this.#readers.some(({ waiting }) => waiting > longestField);
  }

  /** Adds the next piece of the text. */
  add(piece: string): void {
    this.#keep((reader) => {
      try {
        reader.read(piece);
        return true;
      } catch (error) {
        if (!(error instanceof FileProblem)) throw error;
        return false; // a record that is too long has no end
      }
    });
  }

  #keep(isKept: (reader: CsvReader) => boolean): void {
    this.#readers.splice(0, this.#readers.length, ...this.#readers.filter(isKept));
  }
}

/** The beginning of a sample if it has many whole records without a problem; else the whole sample. */
function enoughOf(sample: CsvSample, given: Partial<CsvDialect>): CsvSample {
  if (sample.text.length <= enoughCharacters) return sample;
  const beginning = { text: beginningOf(sample.text, enoughCharacters), isWhole: false };
  const { records, problems } = fitOf(beginning, { ...usualDialect, escape: given.quote ?? '"', ...given });
  if (records < enoughRecords || problems > 0) return sample;
  return usualDialects(given).some((dialect) => endsInLongField(beginning, dialect)) ? sample : beginning;
}

/** The dialects of each delimiter that it can be, with the usual quotes. */
function usualDialects(given: Partial<CsvDialect>): readonly CsvDialect[] {
  const wanted = given.delimiter === undefined ? delimiters : [given.delimiter];
  return wanted.map((delimiter) => ({ ...usualDialect, escape: given.quote ?? '"', ...given, delimiter }));
}

function endsInLongField({ text }: CsvSample, dialect: CsvDialect): boolean {
  const reader = new CsvReader(dialect, '');
  reader.read(text);
  return reader.waiting > longestField;
}

/** The dialect of a file of one column. Its texts may contain commas, so a comma must fit every record. */
function oneColumn(fits: readonly Fit[], base: CsvDialect): CsvDialect {
  const comma = fits.find(({ dialect }) => dialect.delimiter === ',');
  return comma === undefined || comma.share < 1 ? { ...base, delimiter: '' } : comma.dialect;
}

/** The delimiter of a first line `sep=;`, which Excel reads; undefined if there is none. */
function declaredDelimiter(text: string, skippedLines: number): string | undefined {
  let at = 0;
  for (let line = 0; line < skippedLines; line += 1) {
    const end = /\r\n|\r|\n/g;
    end.lastIndex = at;
    if (end.exec(text) === null) return undefined;
    at = end.lastIndex;
  }
  return /^("?)sep=([^\r\n"])\1(?:[\r\n]|$)/i.exec(text.slice(at, at + 16))?.[2];
}

/** The first of the ways to write quotes, unless another one fits better. */
function bestQuotes(sample: CsvSample, dialect: CsvDialect, given: Partial<CsvDialect>): Fit {
  const usual = fitOf(sample, dialect);
  const { text } = sample;
  const isGiven = given.quote !== undefined || given.escape !== undefined;
  if (isGiven && given.skipsBlanks !== undefined) return usual;
  if (isPerfect(usual)) return multilineLetters(sample, usual, isGiven) ?? usual;
  const spaced = `${dialect.delimiter} ${dialect.quote}`;
  const isSpaced = given.skipsBlanks === undefined && dialect.quote !== '' && text.includes(spaced);
  const others: readonly CsvDialect[] = [
    ...(isSpaced ? [{ ...dialect, skipsBlanks: true }] : []),
    ...(!isGiven && text.includes('\\"') ? [{ ...dialect, escape: '\\' }] : []),
    ...(!isGiven && text.includes("'") ? [{ ...dialect, quote: "'", escape: "'" }] : []),
  ];
  const better = others
    .map((other) => fitOf(sample, other))
    .filter((fit) => quality(fit) > quality(usual) && fit.problems === 0);
  if (!isGiven && usual.problems > 0 && usual.problems >= wrongShare * recordsWithQuotes(text, dialect)) {
    const letters = fitOf(sample, { ...dialect, quote: '', escape: '' });
    if (letters.share >= usual.share || usual.width !== letters.width) better.push(letters);
  }
  return better.sort((left, right) => quality(right) - quality(left))[0] ?? usual;
}

/**
 * In files with tabs, and within long records, quotes are nearly always letters if each line within quotes has all
 * columns: `"` begins a text in two lines. Undefined if they are not.
 */
function multilineLetters(sample: CsvSample, usual: Fit, isGiven: boolean): Fit | undefined {
  const { text, hasLongRecord = false } = sample;
  const isLikely = usual.dialect.delimiter === '\t' || hasLongRecord;
  if (isGiven || !isLikely || usual.width < 2 || !text.includes('"')) return undefined;
  const letters = fitOf(sample, { ...usual.dialect, quote: '', escape: '' });
  const hasMore = letters.records > usual.records && letters.width === usual.width;
  return hasMore && isPerfect(letters) ? letters : undefined;
}

function isPerfect({ share, problems }: Fit): boolean {
  return share === 1 && problems === 0;
}

/** Higher is better; 1 is the best. */
function quality({ share, problems, records }: Fit): number {
  return records === 0 ? 0 : share * (1 - problems / (records + problems));
}

/** Records whose first or another field begins with a quote, about. */
function recordsWithQuotes(text: string, { delimiter, quote }: CsvDialect): number {
  return text
    .split(/[\r\n]+/)
    .filter((line) => line.startsWith(quote) || line.includes(`${delimiter}${quote}`)).length;
}

function fitOf({ text, isWhole }: CsvSample, dialect: CsvDialect): Fit {
  const reader = new CsvReader(dialect, '');
  const counts = new Map<number, number>();
  let [filled, problems, halves] = [0, 0, 0];
  const count = (records: readonly CsvRecord[]): void => {
    for (const { fields, problem } of records) {
      if (problem !== undefined) problems += 1;
      if (isEmptyRecord(fields, 2)) continue;
      filled += 1;
      halves += fields.filter(isHalf).length;
      counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
    }
  };
  try {
    count(reader.read(text));
    if (isWhole) count(reader.end());
    else if (reader.waiting > longestField) problems += 1;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problems += 1; // a quote that is not closed
  }
  const [[width, most] = [0, 0]] = [...counts].sort(([, left], [, right]) => right - left);
  return { dialect, width, share: filled === 0 ? 0 : most / filled, records: filled, problems, halves };
}

function isHalf(field: string | null): boolean {
  if (field === null) return false;
  let isOdd = false;
  for (let at = field.indexOf('"'); at >= 0; at = field.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
