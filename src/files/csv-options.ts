// Reads the options that say how a CSV file is written.
import { type CsvDialect, characterOf } from './csv-dialect.js';
import { isEncoding } from './decode-text.js';
import type { CsvOptions } from './inspect-csv.js';
import { readNames } from './name-lists.js';
import { type NumberFormat, usualNumbers } from './number-text.js';

/** What was given, by the names of the options: of a command line, or of a form. */
export interface GivenOptions {
  text(name: string): string | undefined;
  /** All values; undefined if the option is absent. */
  list(name: string): readonly string[] | undefined;
  flag(name: string): boolean;
}

/** How the text of a file is written. */
export interface TextOptions {
  /** A label of the Encoding Standard; undefined for UTF-8 or a byte order mark. */
  readonly encoding: string | undefined;
  readonly csv: CsvOptions;
}

/** Options with a value that an import has for CSV. */
export const csvTexts = [
  ...['quote', 'escape', 'comment', 'skip-lines', 'names', 'decimal', 'thousands', 'encoding'],
] as const;
/** Those that can be given several times. */
export const csvLists = ['null'] as const;
/** Those without a value. */
export const csvFlags = ['header', 'no-header', 'ragged', 'skip-initial-space'] as const;

/** The options of CSV; a string is the problem. `delimiter`: that of its option or of the name of the file. */
export function readCsvOptions(values: GivenOptions, delimiter: string | undefined): TextOptions | string {
  const { text, flag } = values;
  const encoding = text('encoding');
  if (encoding !== undefined && !isEncoding(encoding))
    return `--encoding is "${encoding}"; it must be one such as utf-8, utf-16le, latin1 or shift_jis`;
  const dialect = readDialect(values, delimiter);
  if (typeof dialect === 'string') return dialect;
  const numbers = readNumberFormat(values);
  if (typeof numbers === 'string') return numbers;
  if (flag('header') && flag('no-header')) return 'give --header or --no-header, not both';
  const names = text('names') === undefined ? undefined : readNames(text('names') ?? '');
  const wrongName = names?.find((name, at) => name === '' || names.indexOf(name) !== at);
  if (wrongName !== undefined)
    return `--names has ${wrongName === '' ? 'an empty name' : `the name ${wrongName} twice`}`;
  const nulls = values.list('null');
  return {
    encoding,
    csv: {
      dialect,
      hasHeader: flag('header') ? true : flag('no-header') ? false : undefined,
      names,
      isRagged: flag('ragged'),
      values: { numbers, nullMarks: nulls === undefined ? undefined : new Set(nulls.flatMap(readNames)) },
    },
  };
}

function readDialect(
  { text, flag }: GivenOptions,
  delimiter: string | undefined,
): Partial<CsvDialect> | string {
  const dialect: { -readonly [Key in keyof CsvDialect]?: CsvDialect[Key] } = {};
  if (delimiter !== undefined) dialect.delimiter = delimiter;
  for (const name of ['quote', 'escape'] as const) {
    const given = text(name);
    if (given === undefined) continue;
    const character = characterOf(given);
    if (character === undefined || /\w/.test(character))
      return `--${name} is "${given}"; it must be "none" or one character such as ' or \\`;
    dialect[name] = character;
  }
  if (dialect.delimiter !== undefined && dialect.delimiter !== '' && dialect.delimiter === dialect.quote)
    return `--delimiter and --quote are both "${dialect.delimiter}"`;
  const comment = text('comment');
  if (comment === '') return '--comment is empty; it must be what comments begin with, such as #';
  if (comment !== undefined) dialect.comment = comment;
  const skipped = text('skip-lines');
  if (skipped !== undefined && !/^\d{1,9}$/.test(skipped))
    return `--skip-lines is "${skipped}"; it must be a number of lines`;
  if (skipped !== undefined) dialect.skippedLines = Number(skipped);
  if (flag('skip-initial-space')) dialect.skipsBlanks = true;
  return dialect;
}

function readNumberFormat({ text }: GivenOptions): NumberFormat | string {
  const decimal = text('decimal') ?? usualNumbers.decimal;
  if (decimal !== '.' && decimal !== ',') return `--decimal is "${decimal}"; it must be . or ,`;
  const given = text('thousands');
  if (given === undefined) return decimal === '.' ? usualNumbers : { decimal, thousands: '' };
  const thousands = characterOf(given);
  if (thousands === undefined || thousands === decimal || /[\w+-]/.test(thousands))
    return `--thousands is "${given}"; it must be one character such as . or , or "space", and not that of --decimal`;
  return { decimal, thousands };
}
