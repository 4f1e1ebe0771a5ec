// What finishing a read may take where an engine leaves filter, order or search undone (docs/limits.md).
import { type ApiError, apiError } from '../errors/api-error.js';
import type { Column } from '../schema/table.js';
import { WrittenValue } from './row-text.js';

/** Rows that are looked at, and bytes of those that are held. */
export interface FinishLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** Of every read. */
export const finishLimits: FinishLimits = { rows: 100_000, bytes: 64 * 1024 * 1024 };

/** The error for a filter or a search that would look at more rows. */
export function tooManyToLookAt({ rows }: FinishLimits): ApiError {
  return tooMuch(`more than ${rows} rows would have to be looked at`);
}

/** The error for rows that nothing sorts and that have more bytes than may be held. */
export function tooManyToHold({ bytes }: FinishLimits): ApiError {
  return tooMuch(`more than ${bytes / 2 ** 20} MiB of rows would have to be held`);
}

function tooMuch(problem: string): ApiError {
  return apiError('database', 'TIMEOUT_READING_DATA', { problem });
}

/** The error for an order of more rows, or of rows that have more bytes than may be held. */
export function tooManyToSort({ rows }: FinishLimits): ApiError {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: rows, isSearch: false });
}

/** The error for rows that a search found and that have more bytes than may be held. */
export function tooLargeToFind({ rows }: FinishLimits): ApiError {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: rows, isSearch: true });
}

/** The bytes of a row's values in memory, about; they are aligned with the columns. */
export function bytesOf(row: readonly unknown[], columns: readonly Pick<Column, 'type'>[]): number {
  let bytes = 0;
  for (const [place, value] of row.entries()) bytes += bytesOfValue(value, columns[place]);
  return bytes;
}

function bytesOfValue(value: unknown, column: Pick<Column, 'type'> | undefined): number {
  if (typeof value === 'string') return 2 * value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof WrittenValue) return 2 * value.text.length;
  // Their decimal digits would take a time that grows with the square of their number.
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? 8 : value.toString(16).length >> 1;
  // Only the type knows what its other values hold.
  return typeof value === 'object' && value !== null && column !== undefined
    ? Math.max(8, 2 * column.type.serialize(value).length)
    : 8;
}

/** The first rows of an order, found among any number: at most twice those wanted are held, in rows and in bytes. */
export class FirstRows<Found extends { readonly row: readonly unknown[] }> {
  readonly #wanted: number;
  readonly #compare: (left: Found, right: Found) => number;
  readonly #mostBytes: number;
  readonly #bytesOf: (found: Found) => number;
  readonly #beyond: () => Error;
  #held: Found[] = [];
  #bytes = 0;
  /** Of the rows that were held when they were last sorted. */
  #bytesKept = 0;

  /** `beyond` makes the error for rows that have more bytes than may be held. */
  constructor(
    { wanted, columns, mostBytes }: WantedRows,
    compare: (left: Found, right: Found) => number,
    beyond: () => Error,
  ) {
    this.#wanted = wanted;
    this.#compare = compare;
    this.#mostBytes = mostBytes;
    this.#bytesOf = ({ row }) => bytesOf(row, columns);
    this.#beyond = beyond;
  }

  /** @throws what `beyond` makes where those wanted have more bytes than may be held */
  add(found: Found): void {
    this.#held.push(found);
    this.#bytes += this.#bytesOf(found);
    const hasTooMany = this.#held.length >= 2 * this.#wanted;
    // Sorted at every row once the limit is near, they would take a time that grows with the square of their number.
    const isTooLarge = this.#bytes > this.#mostBytes && this.#bytes >= 2 * this.#bytesKept;
    if (hasTooMany || isTooLarge) this.#keepFirst();
  }

  /** Those wanted, in the order. @throws as `add` */
  sorted(): readonly Found[] {
    this.#keepFirst();
    return this.#held;
  }

  #keepFirst(): void {
    const left = this.#held.sort(this.#compare).splice(this.#wanted);
    for (const each of left) this.#bytes -= this.#bytesOf(each);
    this.#bytesKept = this.#bytes;
    if (this.#bytes > this.#mostBytes) throw this.#beyond();
  }
}

/** How many rows are wanted, what each holds, and how many bytes those wanted may have. */
interface WantedRows {
  readonly wanted: number;
  readonly columns: readonly Pick<Column, 'type'>[];
  readonly mostBytes: number;
}
