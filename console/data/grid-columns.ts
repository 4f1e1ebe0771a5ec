// The columns of the grid: those of the table, or the fields of the documents that are loaded.
import { isNumeric } from '../../src/descriptions/type-description.js';
import {
  isNumber,
  type Json,
  type JsonObject,
  memberAt,
  parseJson,
  plainText,
  writeJson,
} from '../json/exact-json.js';
import type { GridColumn } from '../parts/grid-geometry.js';
import type { CellKind } from './cell.js';
import { fieldPath } from './find-command.js';
import { columnsOf, type Item } from './schema.js';
import { type Scores, scoreColumnsOf } from './search-scores.js';

/** Fields of documents beyond this are seen in the document itself. */
const mostFields = 40;
/** Widths come from the first rows, so that they stay as more are loaded. */
const measuredRows = 40;
/** Fields that differ in each document of a search. They stand at the beginning. */
const searched = ['$vectorize', '$lexical'];
const similarity: GridColumn = { id: '$similarity', title: '$similarity', widthPx: 118, isNumber: true };

/** What the columns show. */
export interface Shown {
  readonly rows: readonly JsonObject[];
  readonly scores: Scores;
  /** The sort of the rows, as JSON. */
  readonly sort: string;
  /** The widths that were given to columns, by their ids. */
  readonly widths: Readonly<Record<string, number>>;
}

/** The columns: those of the key first, then how well a row fits the search, then the others. */
export function gridColumnsOf(item: Item, shown: Shown): readonly GridColumn[] {
  const { rows, scores, widths } = shown;
  const sample = rows.slice(0, measuredRows);
  const found = [
    ...scoreColumnsOf(scores),
    ...(sample.some((row) => row['$similarity'] !== undefined) ? [similarity] : []),
  ];
  const columns = item.kind === 'table' ? tableColumns(item, shown, sample) : fieldColumns(shown, sample);
  const keys = columns.filter(({ isPinned }) => isPinned);
  const others = columns.filter(({ isPinned }) => !isPinned);
  return [...keys, ...found, ...others].map((column) => ({
    ...column,
    // A field may have the name of something that every object has: `constructor`.
    widthPx: (Object.hasOwn(widths, column.id) ? widths[column.id] : undefined) ?? column.widthPx,
  }));
}

/** How the values of a column are drawn. */
export function cellKindsOf(item: Item): (columnId: string) => CellKind {
  if (item.kind === 'collection') return (id) => (id === '$vector' ? 'vector' : 'document');
  const kinds = new Map(columnsOf(item.definition).map(({ name, described }) => [name, described.kind]));
  return (id) => {
    const kind = kinds.get(id);
    return kind === 'vector' || kind === 'binary' ? kind : 'column';
  };
}

function tableColumns(item: Item, { sort }: Shown, sample: readonly JsonObject[]): readonly GridColumn[] {
  return columnsOf(item.definition).map(
    ({ name, described, typeText, key }): GridColumn => ({
      id: name,
      title: name,
      note: typeText,
      icon: key === undefined ? undefined : 'key',
      widthPx: widthOf(name, typeText, sample),
      isNumber: isNumeric(described),
      isPinned: key !== undefined,
      canSort: described.uses.includes('order'),
      order: orderOf(sort, name),
    }),
  );
}

function fieldColumns({ rows, sort }: Shown, sample: readonly JsonObject[]): readonly GridColumn[] {
  const fields = new Set([
    '_id',
    ...searched.filter((name) => sample.some((row) => row[name] !== undefined)),
    ...sample.flatMap(Object.keys),
    ...rows.slice(measuredRows, 1000).flatMap(Object.keys),
  ]);
  fields.delete(similarity.id);
  return [...fields].slice(0, mostFields).map(
    (name): GridColumn => ({
      id: name,
      title: name,
      widthPx: widthOf(name, '', sample),
      isNumber: sample.every((row) => isNumber(memberAt(row, name) ?? 0)),
      isPinned: name === '_id',
      canSort: !name.startsWith('$'),
      order: orderOf(sort, fieldPath(name)),
    }),
  );
}

function orderOf(sort: string, path: string): GridColumn['order'] {
  const order = sort === '' ? undefined : memberAt(parseJson(sort), path);
  return order === undefined ? undefined : plainText(order) === '-1' ? 'descending' : 'ascending';
}

function widthOf(name: string, note: string, rows: readonly JsonObject[]): number {
  const lengths = [name.length + 4, note.length + 1, ...rows.map((row) => lengthOf(memberAt(row, name)))];
  return Math.min(340, Math.max(72, Math.round(Math.max(...lengths) * 8.3) + 26));
}

function lengthOf(value: Json | undefined): number {
  if (value === undefined || value === null) return 4;
  if (typeof value === 'string') return value.length;
  // Cells show the moment in place of its milliseconds.
  return memberAt(value, '$date') === undefined
    ? writeJson(value).length
    : '$date 2024-12-31T23:59:59.000Z'.length;
}
