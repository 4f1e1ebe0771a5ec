// Which columns the records of a CSV file have.
import { FileProblem } from './file-problem.js';

/** A column, and which field of a record belongs to it, from 0. */
export interface CsvColumn {
  readonly name: string;
  readonly at: number;
}

/** How records become rows. */
export interface CsvLayout {
  /** Whether the first record has the names of the columns. */
  readonly hasHeader: boolean;
  /** Columns that have neither a name nor a value are left out. */
  readonly columns: readonly CsvColumn[];
  /** Fields of a record. */
  readonly width: number;
  /** Whether records may have fewer fields. */
  readonly isRagged: boolean;
}

/** Names of columns; more are not the first line of a table. */
const mostColumns = 5000;

/** @throws FileProblem */
export function checkWidth(name: string, width: number): void {
  if (width > mostColumns) throw new FileProblem(`${name} has ${width} columns; ${mostColumns} are the most`);
}

/** Whether a record is only delimiters, or a line of blanks in a file of several columns. */
export function isEmptyRecord(fields: readonly (string | null)[], width: number): boolean {
  const [first = null] = fields;
  if (fields.length === 1) return first === null || (width > 1 && first.trim() === '');
  return first === null && fields.every((field) => field === null);
}

/** Whether the record has the fields of the columns; further ones may be empty. */
export function fits(fields: readonly (string | null)[], width: number): boolean {
  return (
    fields.length === width || (fields.length > width && fields.slice(width).every((field) => field === null))
  );
}

/** What is wrong with the number of fields, and what to do; undefined if nothing is. */
export function widthProblem(
  fields: readonly (string | null)[],
  { width, isRagged }: Pick<CsvLayout, 'width' | 'isRagged'>,
): string | undefined {
  if (fits(fields, width) || (isRagged && fields.length < width)) return undefined;
  const advice =
    fields.length < width
      ? 'with --ragged the missing fields have no value'
      : 'a field with a delimiter needs quotes; with --ragged further fields get columns';
  return `the record has ${fields.length} fields and not ${width}: ${advice}`;
}

/** The records that are rows: without the names of the columns and those without a value. */
export async function* rowRecords<Entry extends { readonly fields: readonly (string | null)[] }>(
  records: AsyncIterable<readonly Entry[]>,
  { hasHeader, width }: CsvLayout,
): AsyncGenerator<readonly Entry[]> {
  let isBehindNames = !hasHeader;
  for await (const group of records) {
    // Before the names, a line of blanks is empty in every file.
    const rows = group.filter(({ fields }) => {
      if (isEmptyRecord(fields, isBehindNames ? width : 2)) return false;
      const isRow = isBehindNames;
      isBehindNames = true;
      return isRow;
    });
    yield rows;
  }
}

/** The columns of a file, and what was decided about their names, as sentences. */
export interface NamedColumns {
  readonly columns: readonly CsvColumn[];
  readonly notes: readonly string[];
}

/**
 * Names columns. `names`: those of the file, null or blank for none. `isUsed`: whether a column has values; one that
 * has neither a name nor values is left out. A column without a name is `column_N`, with its number from 1; the second
 * one with the same name gets `_2` at its end.
 */
export function nameColumns(
  names: readonly (string | null)[],
  isUsed: (at: number) => boolean,
): NamedColumns {
  const given = new Set(names.filter((name) => name !== null));
  const taken = new Set<string>();
  const columns: CsvColumn[] = [];
  const notes: string[] = [];
  for (const [at, found] of names.entries()) {
    const isNamed = found !== null && found.trim() !== '';
    if (!isNamed && !isUsed(at)) {
      notes.push(`the column ${at + 1} has neither a name nor a value and is left out`);
      continue;
    }
    const wanted = isNamed ? found : `column_${at + 1}`;
    const name = isNamed && !taken.has(wanted) ? wanted : freeName(wanted, isNamed, given, taken);
    taken.add(name);
    columns.push({ name, at });
    if (!isNamed) notes.push(`the column ${at + 1} has no name and is called ${name}`);
    else if (name !== wanted)
      notes.push(`the column ${at + 1} is a second ${JSON.stringify(wanted)} and is called ${name}`);
  }
  return { columns, notes };
}

function freeName(
  wanted: string,
  isRepeated: boolean,
  given: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): string {
  if (!isRepeated && !given.has(wanted) && !taken.has(wanted)) return wanted;
  let number = 2;
  while (given.has(`${wanted}_${number}`) || taken.has(`${wanted}_${number}`)) number += 1;
  return `${wanted}_${number}`;
}
