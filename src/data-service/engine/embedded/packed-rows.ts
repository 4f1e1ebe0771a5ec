// Pages that leave SQLite as one JSON text: handing over every value by itself takes twice as long.
import type { SqlValue } from '../../../foundation/sqlite/sql-value.js';
import type { RowValues } from '../../query/read.js';
import type { Column } from '../../schema/table.js';
import { sqlColumn } from './sql-names.js';

/** How rows of some columns leave and arrive. */
export interface Packing {
  /** The SQL expression for a row, from which `group_concat` makes the text of a page. */
  readonly selection: string;
  /** The rows of a text; undefined where something of them may be lost: ends of long rows, digits of large integers. */
  unpack(text: string): readonly RowValues[] | undefined;
}

/** More rows are better taken one by one. */
export const mostPackedRows = 64;
/** SQLite's functions take no more arguments. */
const mostColumns = 100;
/** Characters of a row that are handed over: with more of them in all, some row may lack its end. */
const longestText = 256 * 1024;

const packings = new WeakMap<readonly Column[], { readonly packing: Packing | undefined }>();

/** Undefined for columns that are better handed over as they are: none, very many, vectors. */
export function packingOf(columns: readonly Column[]): Packing | undefined {
  let known = packings.get(columns);
  if (known === undefined) {
    const hasVectors = columns.some(({ type }) => type.vector !== undefined);
    const isOdd = columns.length === 0 || columns.length > mostColumns || hasVectors;
    known = { packing: isOdd ? undefined : makePacking(columns) };
    packings.set(columns, known);
  }
  return known.packing;
}

function makePacking(columns: readonly Column[]): Packing {
  const decoders = columns.map(decoderOf);
  return {
    selection: `substr(json_array(${columns.map(packed).join(', ')}), 1, ${longestText})`,
    unpack(text) {
      if (text.length >= longestText) return undefined;
      const rows: unknown[][] = JSON.parse(`[${text}]`);
      for (const row of rows) {
        for (let place = 0; place < decoders.length; place += 1) {
          const value = row[place];
          if (value === null) continue;
          const decoded = decoders[place]?.(value);
          if (decoded === undefined) return undefined;
          row[place] = decoded;
        }
      }
      return rows;
    },
  };
}

/** What JSON can hold: bytes as hexadecimal digits, integers as text where numbers cannot hold most of them. */
function packed(column: Column): string {
  const name = sqlColumn(column);
  const { columnType, fillsInt64 = false } = column.type.sql;
  if (columnType === 'BLOB') return `iif(${name} IS NULL, NULL, hex(${name}))`;
  return fillsInt64 ? `CAST(${name} AS TEXT)` : name;
}

/** Gives undefined for an integer that JSON's numbers may have changed. The casts say what `packed` made. */
function decoderOf({ type: { sql } }: Column): (value: unknown) => unknown {
  if (sql.columnType === 'BLOB') {
    const { decodeHexadecimal } = sql;
    if (decodeHexadecimal !== undefined) return (value) => decodeHexadecimal(value as string);
    return (value) => sql.decode(Buffer.from(value as string, 'hex'));
  }
  if (sql.fillsInt64 === true) return (value) => sql.decode(BigInt(value as string));
  if (sql.readsBigInt)
    return (value) => (Number.isSafeInteger(value) ? sql.decode(value as number) : undefined);
  return (value) => sql.decode(value as SqlValue & {});
}
