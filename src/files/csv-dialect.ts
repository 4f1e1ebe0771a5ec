// How the records of a CSV file are written.

/** The characters with a meaning in a CSV file. Each is one character, or empty if the file has none. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quote: string;
  /** Before a quote within quotes: the quote itself, or another character, which is also read outside of quotes. */
  readonly escape: string;
  /** Lines that begin with this text are skipped. */
  readonly comment: string;
  /** Lines before the first record. */
  readonly skippedLines: number;
  /** Whether blanks behind a delimiter do not belong to the field. */
  readonly skipsBlanks: boolean;
}

/** The dialect of RFC 4180. */
export const usualDialect: CsvDialect = {
  delimiter: ',',
  quote: '"',
  escape: '"',
  comment: '',
  skippedLines: 0,
  skipsBlanks: false,
};
