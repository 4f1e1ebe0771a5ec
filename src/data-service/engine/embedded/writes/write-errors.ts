// The errors of write jobs with additional data, and the forms in which errors of jobs are sent between threads.
import { databaseFailureForm } from '../../../../foundation/sqlite/database-failure.js';
import type { SqlRowArray } from '../../../../foundation/sqlite/open-database.js';
import { permitErrorForms } from '../../../../foundation/sqlite/write-permit.js';
import type { ErrorForm } from '../../../../foundation/threads/crossing-error.js';
import { EngineError } from '../../engine-error.js';

/** A check of a job found these rows, in their stored form with integers as `bigint`: the whole job was cancelled. */
export class FailedCheck extends Error {
  readonly rows: readonly SqlRowArray[];

  constructor(rows: readonly SqlRowArray[]) {
    super(`a check found ${rows.length} rows`);
    this.rows = rows;
  }
}

/** Some sets of values of a job would have made their rows too large. The other sets are stored. */
export class RowsTooLarge extends EngineError {
  /** Their indexes among all sets of the job, ascending. */
  readonly sets: readonly number[];

  constructor(message: string, sets: readonly number[]) {
    super('tooLarge', message);
    this.sets = sets;
  }
}

const failedCheckForm: ErrorForm = {
  kind: 'failed-check',
  pack: (error) => (error instanceof FailedCheck ? error.rows : undefined),
  unpack: (packed) => new FailedCheck(packed as readonly SqlRowArray[]), // packed by `pack`
};

/** The form of RowsTooLarge. */
export const rowsTooLargeForm: ErrorForm = {
  kind: 'rows-too-large',
  pack: (error) =>
    error instanceof RowsTooLarge
      ? ({ message: error.message, sets: error.sets } satisfies PackedRows)
      : undefined,
  unpack: (packed) => {
    const { message, sets } = packed as PackedRows; // packed by `pack`
    return new RowsTooLarge(message, sets);
  },
};

interface PackedRows {
  readonly message: string;
  readonly sets: readonly number[];
}

/**
 * The errors of jobs and steps. A job for another version of its table fails like one for a dropped table: with
 * DatabaseFailure `schema`. With RowsTooLarge the rest of the job has been stored.
 */
export const writeErrors: readonly ErrorForm[] = [
  ...[rowsTooLargeForm, failedCheckForm, databaseFailureForm],
  ...permitErrorForms,
];
