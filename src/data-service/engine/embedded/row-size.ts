// How large stored rows are, as SQL that looks at no content: SQLite knows the size of a value without it.
import type { Column } from '../../schema/table.js';
import { sqlColumn } from './sql-names.js';

/** An expression for the bytes of a row's texts and blobs in these columns; those of other types are a few each. */
export function rowSize(columns: readonly Column[]): string {
  return sumOf(columns.filter(isSized).map((column) => `ifnull(octet_length(${sqlColumn(column)}), 0)`));
}

function isSized({ type }: Column): boolean {
  return type.sql.columnType === 'TEXT' || type.sql.columnType === 'BLOB';
}

/** In brackets by halves: SQLite limits the depth of expressions, and a table may have many columns. */
function sumOf(terms: readonly string[]): string {
  if (terms.length < 2) return terms[0] ?? '0';
  const half = terms.length >> 1;
  return `(${sumOf(terms.slice(0, half))} + ${sumOf(terms.slice(half))})`;
}
