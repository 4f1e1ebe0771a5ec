// Counts rows and sums their hashes, so that the order of rows does not matter.
import { createHash } from 'node:crypto';
import type { JsonText } from '../../foundation/json/json-value.js';

/** How many rows, and the sum of the SHA-256 of their canonical texts modulo 2^256 as 64 hexadecimal digits. */
export interface RowTotals {
  readonly rows: number;
  readonly checksum: string;
}

/** The totals of no rows. */
export const noRows: RowTotals = { rows: 0, checksum: '0'.repeat(64) };

/** Adds rows to totals; it can continue from totals that were stored. */
export class RowChecksum {
  #rows: number;
  #sum: bigint;

  constructor({ rows, checksum }: RowTotals = noRows) {
    this.#rows = rows;
    this.#sum = BigInt(`0x${checksum}`);
  }

  /** Adds a row by its canonical text. */
  add(row: JsonText): void {
    const hash = BigInt(`0x${createHash('sha256').update(row).digest('hex')}`);
    this.#sum = BigInt.asUintN(256, this.#sum + hash);
    this.#rows += 1;
  }

  totals(): RowTotals {
    return { rows: this.#rows, checksum: this.#sum.toString(16).padStart(64, '0') };
  }
}

/** Whether both have the same rows. */
export function areSameRows(left: RowTotals, right: RowTotals): boolean {
  return left.rows === right.rows && left.checksum === right.checksum;
}
