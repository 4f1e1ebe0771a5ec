// What an import decided about a file, for people.
import { type CsvDialect, characterName, dialectText } from './csv-dialect.js';
import type { TypeGuess } from './guess-type.js';
import { listedNameValues } from './name-lists.js';
import type { RowsOfFile } from './plan-file.js';
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
