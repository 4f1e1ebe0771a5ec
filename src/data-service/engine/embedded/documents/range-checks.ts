// Checks of ranges of numbers in SQL: SQLite finds a member in the text of a document in a fraction of the time that
// the comparison of the whole document with the filter takes.

import type { EntryKey } from '../../../documents/entries.js';
import type { EntrySeek } from '../../../documents/filter-entries.js';
import { collectionColumns, isCollection } from '../../../schema/collection.js';
import type { Table } from '../../../schema/table.js';
import type { SqlFragment } from '../file/sql-fragment.js';
import { sqlColumn } from '../file/sql-names.js';

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
 * itself; others and elements of arrays never match it. Keys of numbers are doubles, and SQLite's conversion of a text
 * to a double can differ from that of JavaScript by one in the last place: so what is near the operand is not sure.
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
      values: [below(low), above(high)],
    },
    isSure: {
      sql: `${value} NOT BETWEEN ? AND ?`,
      values: [below(exactExcept), above(exactExcept)],
    },
  };
}

/** Four to eight units in the last place of a double, as a part of it. */
const margin = 2 ** -50;

/** A number a few units in the last place above another one. */
function above(number: number): number {
  if (number === Number.NEGATIVE_INFINITY) return -below(Number.MAX_VALUE);
  return number + (Math.abs(number) * margin + 4 * Number.MIN_VALUE);
}

function below(number: number): number {
  return -above(-number);
}

function isNumber(key: EntryKey | undefined): key is number {
  return typeof key === 'number';
}
