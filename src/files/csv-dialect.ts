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

const namesOfCharacters: ReadonlyMap<string, string> = new Map([
  ['\t', 'tab'],
  [' ', 'space'],
  ['', 'none'],
]);

/** A character as options name it. */
export function characterName(character: string): string {
  return namesOfCharacters.get(character) ?? character;
}

/** The character that an option names; undefined if it is not one character or such a name. */
export function characterOf(text: string): string | undefined {
  const [named] = [...namesOfCharacters].find(([, name]) => name === text) ?? [];
  return named ?? (text.length === 1 && text !== '\n' && text !== '\r' ? text : undefined);
}

/** The dialect for people: `delimiter ;`, and what is not usual. */
export function dialectText(dialect: CsvDialect): string {
  const { delimiter, quote, escape: escaping, comment, skippedLines, skipsBlanks } = dialect;
  return [
    `delimiter ${characterName(delimiter)}`,
    ...(quote === '"' ? [] : [quote === '' ? 'quotes are letters' : `quote ${quote}`]),
    ...(escaping === quote ? [] : [`escape ${characterName(escaping)}`]),
    ...(comment === '' ? [] : [`comments after ${comment}`]),
    ...(skippedLines === 0 ? [] : [`${skippedLines} lines skipped`]),
    ...(skipsBlanks ? ['blanks behind delimiters skipped'] : []),
  ].join(', ');
}
