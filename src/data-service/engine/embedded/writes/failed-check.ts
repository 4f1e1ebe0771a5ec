// The error of a job whose check found rows, and how it crosses between threads.
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import type { ErrorForm } from '../../../../foundation/threads/crossing-error.js';

/** A check of a job found these rows, given as stored, integers as `bigint`: nothing of the job was carried out. */
export class FailedCheck extends Error {
  readonly rows: readonly SqlRowArray[];

  constructor(rows: readonly SqlRowArray[]) {
    super(`a check found ${rows.length} rows`);
    this.rows = rows;
  }
}

/** The form of FailedCheck. */
export const failedCheckForm: ErrorForm = {
  kind: 'failed-check',
  pack: (error) => (error instanceof FailedCheck ? error.rows : undefined),
  unpack: (packed) => new FailedCheck(packed as readonly SqlRowArray[]), // it was packed above
};
