// Checks of ranges of numbers in SQL: SQLite finds a member in the text of a document in a fraction of the time that
// the comparison of the whole document with the filter takes.
import type { EntryKey } from '../../../documents/entries.js';
import { collectionColumns, isCollection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { sqlColumn } from '../file/sql-names.js';
import type { EntrySeek } from '../statements/document-search.js';

/** What must be true of a document that matches a condition. */
export interface RangeCheck {
  readonly isInside: SqlFragment;
  /** Whether a document inside certainly matches. */
  readonly isSure: SqlFragment;
}

/** Paths whose names stand for themselves in entries and in JSON paths; no index of an array. */
const plainPath = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * The check of a condition; undefined if it is not on a range of numbers. A range has only numbers of the member
 * itself; others and elements of arrays never match it. Keys of numbers are doubles, so only another key than that of
 * the operand is sure.
 */
export function rangeCheck(table: Table, { ranges: [range, ...others] }: EntrySeek): RangeCheck | undefined {
  if (range === undefined || others.length > 0 || !isCollection(table)) return undefined;
  const { path, low, high, exactExcept } = range;
  if (!isNumber(low) || !isNumber(high) || !isNumber(exactExcept) || !plainPath.test(path)) return undefined;
  const member = `'$.${path
    .split('.')
    .map((name) => `"${name}"`)
    .join('.')}'`;
  const text = sqlColumn(collectionColumns(table).document);
  const value = `CAST(${text} ->> ${member} AS REAL)`;
  return {
    isInside: {
      sql: `json_type(${text}, ${member}) IN ('integer', 'real') AND ${value} BETWEEN ? AND ?`,
      values: [low, high],
    },
    isSure: { sql: `${value} <> ?`, values: [exactExcept] },
  };
}

function isNumber(key: EntryKey | undefined): key is number {
  return typeof key === 'number';
}
