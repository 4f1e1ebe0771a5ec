// Reads a whole CSV file to find its columns and guess their types.
import { type CsvDialect, usualDialect } from './csv-dialect.js';
import { FileProblem } from './file-problem.js';
import { TypeGuess } from './guess-type.js';
import { readCsv } from './read-csv.js';

/** What a whole CSV file has. */
export interface InspectedCsv {
  readonly dialect: CsvDialect;
  /** The names in the first record with the guesses of their types, in order. */
  readonly columns: ReadonlyMap<string, TypeGuess>;
  /** Records behind the first one. */
  readonly rows: number;
}

/** Names of columns; more are not the first line of a table. */
const mostColumns = 5000;
const delimiters = [',', ';', '\t'] as const;

/**
 * Inspects the pieces of a text. `given`: what of the dialect is not guessed. `name`: the file in messages.
 * @throws FileProblem if the text is not CSV with names in its first line
 */
export async function inspectCsv(
  pieces: AsyncIterable<string>,
  given: Partial<CsvDialect>,
  name: string,
): Promise<InspectedCsv> {
  const { sample, all } = await sampled(pieces);
  const dialect: CsvDialect = { ...usualDialect, delimiter: likelyDelimiter(sample), ...given };
  let guesses: readonly TypeGuess[] | undefined;
  let columns: ReadonlyMap<string, TypeGuess> = new Map();
  let rows = 0;
  for await (const records of readCsv(all, dialect, name))
    for (const { fields, problem } of records) {
      if (guesses === undefined) {
        columns = columnsIn(name, fields);
        guesses = [...columns.values()];
        continue;
      }
      rows += 1;
      if (problem !== undefined || fields.length !== guesses.length) continue; // refused when it is inserted
      for (let at = 0; at < fields.length; at += 1) guesses[at]?.add(fields[at] ?? null);
    }
  if (guesses === undefined) throw new FileProblem(`${name} is empty: its first line must name the columns`);
  return { dialect, columns, rows };
}

/** The first piece, and all of them. */
async function sampled(
  pieces: AsyncIterable<string>,
): Promise<{ readonly sample: string; readonly all: AsyncIterable<string> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* all(): AsyncGenerator<string> {
    try {
      if (first.done !== true) yield first.value;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { sample: first.done === true ? '' : first.value, all: all() };
}

function columnsIn(name: string, fields: readonly (string | null)[]): ReadonlyMap<string, TypeGuess> {
  if (fields.length > mostColumns)
    throw new FileProblem(`${name} has ${fields.length} columns; ${mostColumns} are the most`);
  const columns = new Map<string, TypeGuess>();
  for (const [at, field] of fields.entries()) {
    const column = field?.trim() ?? '';
    if (column === '')
      throw new FileProblem(`${name} has no name for the column ${at + 1} in its first line`);
    if (columns.has(column)) throw new FileProblem(`${name} has two columns with the name ${column}`);
    columns.set(column, new TypeGuess());
  }
  return columns;
}

function likelyDelimiter(sample: string): string {
  const [first = ''] = sample.split('\n', 1);
  const counts = delimiters.map((delimiter) => first.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
