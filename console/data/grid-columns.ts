// The columns of the grid: those of the table, or the fields of the documents that are loaded.
import {
  isNumber,
  type Json,
  type JsonObject,
  memberAt,
  parseJson,
  plainText,
  writeJson,
} from '../json/exact-json.js';
import type { GridColumn } from '../parts/grid.js';
import { fieldPath, type RowsQuery } from './find-command.js';
import { columnsOf, type Item, unsupported } from './schema.js';

/** Fields of documents beyond this are seen in the document itself. */
const mostFields = 40;
/** Widths come from the first rows, so that they stay as more are loaded. */
const measuredRows = 40;
const numberTypes = [
  'int',
  'bigint',
  'smallint',
  'tinyint',
  'varint',
  'decimal',
  'double',
  'float',
  'counter',
];
const unsortedTypes = ['list', 'set', 'map', 'vector', 'duration', 'userDefined', unsupported];

/** The columns. */
export function gridColumnsOf(
  item: Item,
  rows: readonly JsonObject[],
  { sort }: RowsQuery,
): readonly GridColumn[] {
  const orders = sort === '' ? {} : parseJson(sort);
  const orderOf = (path: string) => {
    const order = memberAt(orders, path);
    return order === undefined ? undefined : plainText(order) === '-1' ? 'descending' : 'ascending';
  };
  const sample = rows.slice(0, measuredRows);
  const similarity: readonly GridColumn[] = sample.some((row) => row['$similarity'] !== undefined)
    ? [{ id: '$similarity', title: '$similarity', widthPx: 110, isNumber: true }]
    : [];
  if (item.kind === 'table') {
    const columns = columnsOf(item.definition).map(
      ({ name, type, typeText, key }): GridColumn => ({
        id: name,
        title: name,
        note: typeText,
        icon: key === undefined ? undefined : 'key',
        widthPx: widthOf(name, typeText, sample),
        isNumber: numberTypes.includes(type),
        canSort: !unsortedTypes.includes(type),
        order: orderOf(name),
      }),
    );
    return [...similarity, ...columns];
  }
  const fields = new Set([
    '_id',
    ...sample.flatMap(Object.keys),
    ...rows.slice(measuredRows, 1000).flatMap(Object.keys),
  ]);
  fields.delete('$similarity');
  const columns = [...fields].slice(0, mostFields).map(
    (name): GridColumn => ({
      id: name,
      title: name,
      widthPx: widthOf(name, '', sample),
      isNumber: sample.every((row) => isNumber(memberAt(row, name) ?? 0)),
      canSort: !name.startsWith('$'),
      order: orderOf(fieldPath(name)),
    }),
  );
  return [...similarity, ...columns];
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
