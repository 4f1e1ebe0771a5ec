// What an import decided about a file, for people.
import { type CsvDialect, characterName, dialectText } from './csv-dialect.js';
import type { TypeGuess } from './guess-type.js';
import { listedNameValues } from './name-lists.js';
import type { FilePlan, FileTarget, RowsOfFile } from './plan-file.js';
import { printable, quotedExcerpt, shellWord } from './printable-text.js';

/** A file of which everything is known. */
export interface DescribedFile extends RowsOfFile {
  readonly dialect: CsvDialect;
  readonly rows: number;
  readonly notes: readonly string[];
}

/** Sentences of a kind; the others are counted. */
const mostNotes = 20;
const widestName = 40;

/** The number of rows, the dialect and all decisions; `planned`: those of the plan. */
export function fileLines(file: DescribedFile, planned: readonly string[]): readonly string[] {
  const head = `${file.name}: ${file.rows} rows`;
  if (file.format === 'ndjson') return [head];
  return [
    `${head}, ${dialectText(file.dialect)}`,
    ...noteLines([...file.notes, ...planned, ...numberNotes(file)]),
  ];
}

/** A line for each column, and the option that corrects the types. */
export function typeLines(file: RowsOfFile, types: ReadonlyMap<string, string>): readonly string[] {
  if (file.format === 'ndjson') return [];
  const names = [...types.keys()].map(printable);
  const width = Math.min(widestName, Math.max(...names.map(({ length }) => length)));
  return [
    ...[...types].map(([name, type], at) =>
      columnLine(names[at]?.padEnd(width) ?? '', type, file.columns.get(name)),
    ),
    `Correct types with --columns ${shellWord(listedNameValues(types))}`,
  ];
}

/** Where the ids of documents come from. `withId`: the rows that have an `_id`. */
export function idsLine(
  { rows, withId }: { readonly rows: number; readonly withId: number },
  { idFrom, primaryKey }: Pick<FileTarget, 'idFrom' | 'primaryKey'>,
): string {
  const [key] = primaryKey ?? [];
  const named = idFrom ?? key;
  if (named !== undefined) return `ids: the values of ${printable(named)}`;
  if (withId > 0 && withId === rows) return 'ids: the members _id of the file';
  const made =
    withId === 0 ? 'made of the content of each record' : 'the members _id, else made of the content';
  return `ids: ${made}, so a record that was changed is a new one (else give --id-from COLUMN)`;
}

/** The primary key, and what becomes of rows that have the same one. */
export function keyLine({ definition, keyColumns }: FilePlan): string {
  const key = keyColumns.map(printable).join(', ');
  return definition === undefined
    ? `key: ${key}; a row whose key exists replaces the columns that it has`
    : `key: ${key}; of rows with the same key the last one remains`;
}

function columnLine(name: string, type: string, guess: TypeGuess | undefined): string {
  const example = guess?.example === undefined ? '' : `such as ${quotedExcerpt(guess.example)}`;
  const empty = guess === undefined || guess.empty === 0 ? '' : `  ${guess.empty} empty`;
  return `  ${name}  ${type.padEnd(9)}  ${example}${empty}`.trimEnd();
}

function noteLines(notes: readonly string[]): readonly string[] {
  const more = notes.length - mostNotes;
  const shown = more > 1 ? [...notes.slice(0, mostNotes), `${more} more of such notes`] : notes;
  return shown.map((note) => `note: ${printable(note)}`);
}

/** Columns of texts that are numbers in another format. */
function numberNotes({ columns }: RowsOfFile): readonly string[] {
  return [...columns].flatMap(([name, { otherNumbers, example }]) => {
    if (otherNumbers === undefined) return [];
    const { decimal, thousands } = otherNumbers;
    const options = decimal === ',' ? `--decimal , --thousands ${thousands}` : `--thousands ${thousands}`;
    const form = decimal === ',' ? 'a decimal comma' : `groups of digits with ${characterName(thousands)}`;
    return [
      `${name} is text, such as ${JSON.stringify(example)}: if these are numbers with ${form}, give ${options}`,
    ];
  });
}
