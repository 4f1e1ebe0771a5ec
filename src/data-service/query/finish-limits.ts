// Limits of the work that the server does when an engine leaves filter, order or search undone (docs/limits.md).
import { type ApiError, apiError } from '../errors/api-error.js';
import type { Column } from '../schema/table.js';
import { WrittenValue } from './row-text.js';

/** The maximum number of rows that are examined, and the maximum size of the rows that are held. */
export interface FinishLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** The limits of every read. */
export const finishLimits: FinishLimits = { rows: 100_000, bytes: 64 * 1024 * 1024 };

/** The reason in the messages. The embedded engine leaves no such work, so only Cassandra can be the reason. */
const ofServer = ', because Cassandra leaves this work to the server';

/** The error for a filter or a search that would examine more rows. */
export function tooManyToLookAt({ rows }: FinishLimits): ApiError {
  return tooMuch(`more than ${rows} rows would have to be looked at${ofServer}`);
}

/** The error for unsorted rows that are larger than may be held. */
export function tooManyToHold({ bytes }: FinishLimits): ApiError {
  return tooMuch(`more than ${bytes / 2 ** 20} MiB of rows would have to be held${ofServer}`);
}

function tooMuch(problem: string): ApiError {
  return apiError('database', 'TIMEOUT_READING_DATA', { problem });
}

/** The error for a sort of more rows, or of larger rows, than may be held. */
export function tooManyToSort({ rows }: FinishLimits): ApiError {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: rows, isSearch: false });
}

/** The error for rows of a search that are larger than may be held. */
export function tooLargeToFind({ rows }: FinishLimits): ApiError {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: rows, isSearch: true });
}

/** The approximate size of a row's values in memory, in bytes; `columns` has the columns of the values. */
export function bytesOf(row: readonly unknown[], columns: readonly Pick<Column, 'type'>[]): number {
  let bytes = 0;
  for (const [place, value] of row.entries()) bytes += bytesOfValue(value, columns[place]);
  return bytes;
}

function bytesOfValue(value: unknown, column: Pick<Column, 'type'> | undefined): number {
  if (typeof value === 'string') return 2 * value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof WrittenValue) return 2 * value.text.length;
  // Converting them to decimal digits would take quadratic time.
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? 8 : value.toString(16).length >> 1;
  // Only the type knows the size of its other values.
  return typeof value === 'object' && value !== null && column !== undefined
    ? Math.max(8, 2 * column.type.serialize(value).length)
    : 8;
}

/** The first rows of an order, out of any number: holds at most twice as many rows, and bytes, as the result has. */
export class FirstRows<Found extends { readonly row: readonly unknown[] }> {
  readonly #wanted: number;
  readonly #compare: (left: Found, right: Found) => number;
  readonly #mostBytes: number;
  readonly #bytesOf: (found: Found) => number;
  readonly #beyond: () => Error;
  #held: Found[] = [];
  #bytes = 0;
  /** The size of the rows that were kept at the last sort. */
  #bytesKept = 0;

  /** `beyond` creates the error for rows that are larger than may be held. */
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

  /** @throws the error of `beyond` when the first rows are larger than may be held */
  add(found: Found): void {
    this.#held.push(found);
    this.#bytes += this.#bytesOf(found);
    const hasTooMany = this.#held.length >= 2 * this.#wanted;
    // Sorting for each row near the limit would take quadratic time.
    const isTooLarge = this.#bytes > this.#mostBytes && this.#bytes >= 2 * this.#bytesKept;
    if (hasTooMany || isTooLarge) this.#keepFirst();
  }

  /** The first rows, in order. @throws as `add` */
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

/** The number of rows of the result, what each row contains, and the maximum size of these rows. */
interface WantedRows {
  readonly wanted: number;
  readonly columns: readonly Pick<Column, 'type'>[];
  readonly mostBytes: number;
}
