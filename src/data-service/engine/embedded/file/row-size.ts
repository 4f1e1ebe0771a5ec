// The size of rows, known without reading or decoding their values.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import type { Column } from '../../../schema/table.js';
import { sqlColumn, sqlSlot } from './sql-names.js';

/** The source of a column's value when a row is changed. A value after a push consists of both. */
export type ValueSource = 'stored' | 'excluded' | 'both';

/**
 * SQL for the WHERE of an upsert: the changed row is not too large, or was already too large and does not grow.
 * `sourceOf` returns the source of each value; a value after a pull counts as stored. SQLite knows lengths without
 * reading the content. Undefined if no text or blob is written, because then the row does not grow, and if all are
 * written, because then `fitsInRow` checks them.
 */
export function rowFitsCondition(
  columns: readonly Column[],
  sourceOf: (column: Column) => ValueSource,
): string | undefined {
  const counted = columns.filter(isSized);
  const comesIn = counted.filter((column) => sourceOf(column) !== 'stored');
  const isReplaced = comesIn.filter((column) => sourceOf(column) === 'excluded');
  if (comesIn.length === 0 || isReplaced.length === counted.length) return undefined;
  const stays = counted.filter((column) => sourceOf(column) !== 'excluded');
  const after = [...stays.map(storedLength), ...comesIn.map(lengthThatComesIn)];
  return (
    `${sumOf(after)} <= ${maxRowBytes} OR ` +
    `${sumOf(comesIn.map(lengthThatComesIn))} <= ${sumOf(isReplaced.map(storedLength))}`
  );
}

/** An expression for the bytes of the texts and blobs of a row in these columns; other values take a few bytes each. */
export function rowSize(columns: readonly Column[]): string {
  return sumOf(columns.filter(isSized).map(storedLength));
}

function isSized({ type }: Column): boolean {
  return type.sql.columnType !== 'INTEGER';
}

function storedLength(column: Column): string {
  return `ifnull(octet_length(${sqlColumn(column)}), 0)`;
}

function lengthThatComesIn(column: Column): string {
  return `ifnull(octet_length(excluded.${sqlSlot(column)}), 0)`;
}

const termsPerGroup = 50;

/** In groups: SQLite limits the depth of expressions, and the depth of a plain sum is its length. */
function sumOf(terms: readonly string[]): string {
  const groups: string[] = [];
  for (let at = 0; at < terms.length; at += termsPerGroup)
    groups.push(`(${terms.slice(at, at + termsPerGroup).join(' + ')})`);
  return groups.length === 0 ? '0' : groups.join(' + ');
}

/** Whether the written values alone are within the limit. */
export function fitsInRow(values: readonly SqlValue[]): boolean {
  // A code unit takes at most three bytes, so most texts need not be read.
  return sum(values, (text) => text.length * 3) <= maxRowBytes || sum(values, byteLength) <= maxRowBytes;
}

function sum(values: readonly SqlValue[], textBytes: (text: string) => number): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += textBytes(value);
    else if (value instanceof Uint8Array) bytes += value.length;
  }
  return bytes;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
