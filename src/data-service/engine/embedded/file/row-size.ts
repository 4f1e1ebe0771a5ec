// The size of rows, known without reading or decoding their values.
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import type { Column } from '../../../schema/table.js';
import { sqlColumn } from './sql-names.js';

/** Where the value of a column comes from when a row is changed. A pushed value consists of both. */
export type ValueSource = 'stored' | 'excluded' | 'both';

/**
 * SQL for the WHERE of an upsert: the changed row is not too large, or was too large before and does not grow.
 * `sourceOf` gives the source of each value; a pulled one counts as stored. SQLite knows lengths without reading the
 * content. Undefined where no text or blob is written, because the row does not grow then, and where all are, because
 * `fitsInRow` checks those.
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

/** An expression for the bytes of a row's texts and blobs in these columns; those of other types are a few each. */
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
  return `ifnull(octet_length(excluded.${sqlColumn(column)}), 0)`;
}

const termsPerGroup = 50;

/** In groups: SQLite limits the depth of expressions, and a plain sum is as deep as it is long. */
function sumOf(terms: readonly string[]): string {
  const groups: string[] = [];
  for (let at = 0; at < terms.length; at += termsPerGroup)
    groups.push(`(${terms.slice(at, at + termsPerGroup).join(' + ')})`);
  return groups.length === 0 ? '0' : groups.join(' + ');
}

/** Whether the values that are written are not too large by themselves. */
export function fitsInRow(values: readonly SqlValue[]): boolean {
  // A code unit is at most three bytes: most texts need not be read.
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
