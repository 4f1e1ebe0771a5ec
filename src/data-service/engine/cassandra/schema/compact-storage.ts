// Tables with compact storage, which clients made in the time of Cassandra 2: their rows as CQL shows them.
import type { ColumnRow, TableRow } from './schema-rows.js';

/**
 * The columns that statements can use. Cassandra describes the storage of such a table: without clustering columns it
 * adds one and a value, and calls the others static; without columns outside the key it adds one of the type `empty`.
 */
export function ownColumns({ flags }: TableRow, columns: readonly ColumnRow[]): readonly ColumnRow[] {
  if (flags.includes('dense')) return columns.filter(({ type }) => type !== 'empty');
  if (flags.includes('compound') || flags.includes('super')) return columns;
  const own = columns.filter(({ kind }) => kind === 'partition_key' || kind === 'static');
  return own.map((column) => (column.kind === 'static' ? { ...column, kind: 'regular' } : column));
}
