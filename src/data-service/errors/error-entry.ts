// An entry of the table of errors and warnings.
import { shortened } from '../../foundation/text/shorten-text.js';

/** What a server needs so that its tables can have text indexes. */
export const forTextIndexes = '--dialect extended';

/** An entry of the table. */
export interface ErrorEntry<Parameters> {
  /** The title of every error of the code. */
  readonly title: string;
  /** When the error or warning occurs, for the generated reference. */
  readonly when: string;
  /** What happened, with the values, and what to do. Lines end with `\n`. */
  readonly message: (parameters: Parameters) => string;
  /** Only if the HTTP status is not 200. */
  readonly httpStatus?: 401 | 403 | 415;
}

/** Declares an entry; the type of the parameters is inferred from `message`. */
export function entry<Parameters>(parts: ErrorEntry<Parameters>): ErrorEntry<Parameters> {
  return parts;
}

/** The names in a keyspace, by what they are. */
export interface NamesOfKeyspace {
  readonly tables: readonly string[];
  readonly collections: readonly string[];
}

/** `Its tables: a, b.\nIts collections: c.`; kinds without names are omitted unless both have none. */
export function listedNames({ tables, collections }: NamesOfKeyspace): string {
  const texts = [
    ...(tables.length > 0 || collections.length === 0 ? [`Its tables: ${listed(tables)}.`] : []),
    ...(collections.length > 0 ? [`Its collections: ${listed(collections)}.`] : []),
  ];
  return texts.join('\n');
}

/** A column in the form of messages. */
export interface NamedColumn {
  readonly name: string;
  readonly type: { readonly name: string; readonly label?: string };
}

/** `a, b`, or `none` for an empty list. An empty name is shown as two quotes. */
export function listed(names: readonly string[]): string {
  return listedAs(names, (name) => name);
}

/** Computes names only for the items that it lists: a reply may list the same 1,500 columns a hundred times. */
function listedAs<Thing>(names: readonly Thing[], nameOf: (thing: Thing) => string): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, mostListed).map((thing) => {
    const name = nameOf(thing);
    return name === '' ? '""' : shortened(name, longestListed);
  });
  const left = names.length - shown.length;
  return `${shown.join(', ')}${left === 0 ? '' : ` and ${left} more`}`;
}

/** A reply may have a hundred errors that list the same columns. */
const mostListed = 100;
/** Names of columns have 48 characters. */
const longestListed = 200;

/** `id(uuid), age(int)`, or `none`. */
export function listedColumns(columns: readonly NamedColumn[]): string {
  return listedAs(columns, (column) => `${column.name}(${column.type.label ?? column.type.name})`);
}

/** `1 element`, `2 elements`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A clause with columns that its table does not have. */
export interface UnknownColumns {
  readonly table: string;
  readonly allColumns: readonly NamedColumn[];
  readonly unknownColumns: readonly string[];
}

/** The message about them; `subject` is its beginning, such as `The filter has`. */
export function unknownColumns(subject: string): (parameters: UnknownColumns) => string {
  return (p) =>
    `${subject} columns that the table ${p.table} does not have.\nUnknown columns: ${listed(p.unknownColumns)}.\n` +
    `The table has: ${listedColumns(p.allColumns)}.`;
}
