// Decides in which columns of a file texts such as `NA` stand for no value.
import { describedType } from '../descriptions/type-description.js';
import type { ValueInput } from '../descriptions/value-input.js';
import type { TypeGuess, ValueFormat } from './guess-type.js';
import { listedNames } from './name-lists.js';
import { isUsualMark } from './null-marks.js';
import { printable, shellWord } from './printable-text.js';

/** The decision for all columns of a file. */
export interface ColumnMarks {
  /** Whether a text of a column stands for no value; undefined if none does. */
  isNull(column: string): ((field: string) => boolean) | undefined;
  /** What was decided, as sentences. */
  readonly notes: readonly string[];
}

/** Values of these kinds can be written like a mark. */
const texts: ReadonlySet<ValueInput['kind']> = new Set(['text', 'json', 'binary', 'vector'] as const);
/** Names in a sentence; the others are counted. */
const mostNames = 10;

/**
 * The marks of columns with these types. Guessed marks stand for no value in columns that are not texts; in a column
 * that has nothing else, if they do so in another column.
 */
export function columnMarks(
  file: { readonly columns: ReadonlyMap<string, TypeGuess>; readonly values?: ValueFormat },
  types: ReadonlyMap<string, string>,
  kind: 'table' | 'collection',
): ColumnMarks {
  // JSON has no NaN, so documents have none.
  const canBeNaN = (type: string) => kind === 'table' && describedType(type).kind === 'float';
  const given = file.values?.nullMarks;
  if (given !== undefined) return { isNull: () => (field) => given.has(field), notes: [] };
  const typed = [...types].filter(([name, type]) => !isTextual(type) && marksIn(file, name).size > 0);
  const nullsIn = (name: string): ReadonlyMap<string, number> => {
    const marks = new Map(marksIn(file, name));
    if (canBeNaN(types.get(name) ?? '')) marks.delete('NaN');
    return marks;
  };
  const used = new Set(typed.flatMap(([name]) => [...nullsIn(name).keys()]));
  const onlyMarks = [...types].filter(([name, type]) => {
    const guess = file.columns.get(name);
    if (type !== 'text' || guess?.isOnlyMarks !== true) return false;
    return [...guess.marks.keys()].every((mark) => used.has(mark));
  });
  const decided = new Map([...typed, ...onlyMarks]);
  const open = [...types.keys()].filter((name) => !decided.has(name));
  return {
    isNull: (column) => {
      const type = decided.get(column);
      if (type === undefined) return undefined;
      return canBeNaN(type) ? (field) => field.trim() !== 'NaN' && isUsualMark(field) : isUsualMark;
    },
    notes: [
      ...sentences(
        nullsIn,
        [...decided.keys()],
        (mark, columns) => `${mark} stands for no value in ${columns}`,
      ),
      ...sentences(nullsIn, open, (mark, columns, text) =>
        text === ''
          ? undefined
          : `${mark} is a text in ${columns}; --null ${shellWord(listedNames([text]))} makes it no value everywhere`,
      ),
    ],
  };
}

/** Members of documents can also be `json`, which is not a type of columns. */
function isTextual(type: string): boolean {
  return type === 'json' || texts.has(describedType(type).kind);
}

function marksIn(
  { columns }: { readonly columns: ReadonlyMap<string, TypeGuess> },
  name: string,
): ReadonlyMap<string, number> {
  return columns.get(name)?.marks ?? new Map();
}

/** A sentence for each mark, with its columns and how often it occurs in each. */
function sentences(
  marksOf: (name: string) => ReadonlyMap<string, number>,
  names: readonly string[],
  sentence: (quoted: string, columns: string, mark: string) => string | undefined,
): readonly string[] {
  const places = new Map<string, string[]>();
  for (const name of names)
    for (const [mark, count] of marksOf(name)) {
      const columns = places.get(mark) ?? [];
      places.set(mark, columns);
      columns.push(`${printable(name)} (${count})`);
    }
  return [...places].flatMap(([mark, columns]) => {
    const more = columns.length > mostNames ? ` and ${columns.length - mostNames} more columns` : '';
    return sentence(JSON.stringify(mark), `${columns.slice(0, mostNames).join(', ')}${more}`, mark) ?? [];
  });
}
