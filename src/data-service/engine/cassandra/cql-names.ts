// Names and literals in the texts of statements.
import type { Column } from '../../schema/table.js';
import { cqlNameOf } from './schema/engine-state.js';

/** A name as CQL reads it whatever its letters: `"Ada's ""table"""`. */
export function quotedName(name: string): string {
  // Nearly all are without, and looking takes less than half of the time of replacing.
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`;
}

/** A column by its name in CQL, which in collections is not always that of commands. */
export function quotedColumn(column: Pick<Column, 'name' | 'engineState'>): string {
  return quotedName(cqlNameOf(column));
}

/** A table by its full name: `"shop"."orders"`. */
export function quotedTable({
  keyspace,
  name,
}: {
  readonly keyspace: string;
  readonly name: string;
}): string {
  return `${quotedName(keyspace)}.${quotedName(name)}`;
}

/** A text literal: `'it''s'`. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
