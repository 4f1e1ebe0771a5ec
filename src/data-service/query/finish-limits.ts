// What finishing a read may take where an engine leaves filter, order or search undone (docs/limits.md).
import { type ApiError, apiError } from '../errors/api-error.js';
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
  return apiError('database', 'TIMEOUT_READING_DATA', {
    problem: `more than ${rows} rows would have to be looked at`,
  });
}

/** The error for an order of more rows, or of rows that have more bytes than may be held. */
export function tooManyToSort({ rows }: FinishLimits): ApiError {
  return apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: rows, isSearch: false });
}

/** The bytes of a row's values in memory, about. */
export function bytesOf(row: readonly unknown[]): number {
  let bytes = 0;
  for (const value of row) bytes += bytesOfValue(value);
  return bytes;
}

function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof WrittenValue) return 2 * value.text.length;
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? 8 : value.toString(16).length >> 1;
  if (value instanceof Map) return bytesOf([...value.keys(), ...value.values()]);
  if (value instanceof Set || Array.isArray(value)) return bytesOf([...value]);
  if (typeof value === 'object' && value !== null) return bytesOf(Object.values(value));
  return 8;
}

/** The first rows of an order, found among any number of them: no more are held than twice those wanted. */
export class FirstRows<Found extends { readonly row: readonly unknown[] }> {
  readonly #wanted: number;
  readonly #compare: (left: Found, right: Found) => number;
  readonly #limits: FinishLimits;
  #held: Found[] = [];
  #bytes = 0;

  constructor(wanted: number, compare: (left: Found, right: Found) => number, limits: FinishLimits) {
    this.#wanted = wanted;
    this.#compare = compare;
    this.#limits = limits;
  }

  /** @throws ApiError OVERLOADED_SORT_ROW_LIMIT where those wanted have more bytes than may be held */
  add(found: Found): void {
    this.#held.push(found);
    this.#bytes += bytesOf(found.row);
    if (this.#held.length < 2 * this.#wanted && this.#bytes <= this.#limits.bytes) return;
    this.#held = [...this.sorted()];
    this.#bytes = this.#held.reduce((bytes, { row }) => bytes + bytesOf(row), 0);
    if (this.#bytes > this.#limits.bytes) throw tooManyToSort(this.#limits);
  }

  /** Those wanted, in the order. */
  sorted(): readonly Found[] {
    return this.#held.sort(this.#compare).slice(0, this.#wanted);
  }
}
