// Writes rows and documents of replies as lines in the form in which they are moved.
import type { JsonValue } from '../../foundation/json/json-value.js';
import { columnsOf, type TableDefinition } from '../tables/table-definition.js';
import { canonicalRows, type WriteRow } from './canonical-row.js';
import { documentLine } from './collection-definition.js';
import type { RowFormat } from './row-format.js';

/** The writer for a table with these columns (name and definition), or for a collection. */
export function lineWriter(
  kind: TableDefinition['kind'],
  columns: ReadonlyMap<string, JsonValue>,
  format: RowFormat,
): WriteRow {
  return kind === 'collection' ? documentLine : canonicalRows(columns, format);
}

/** All columns of a table with their definitions; none for a collection. */
export function columnDefinitions(table: TableDefinition): ReadonlyMap<string, JsonValue> {
  return new Map(columnsOf(table).map(({ name, definition }) => [name, definition]));
}
