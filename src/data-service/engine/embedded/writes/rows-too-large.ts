// The error of rows that would become larger than a row may be, and how it crosses between threads.
import type { ErrorForm } from '../../../../foundation/threads/crossing-error.js';
import { EngineError } from '../../engine-error.js';

/** Sets of values of a job would have made their rows too large. The other sets are stored. */
export class RowsTooLarge extends EngineError {
  /** Their places among all sets of the job, ascending. */
  readonly sets: readonly number[];

  constructor(message: string, sets: readonly number[]) {
    super('tooLarge', message);
    this.sets = sets;
  }
}

/** The form of RowsTooLarge. */
export const rowsTooLargeForm: ErrorForm = {
  kind: 'rows-too-large',
  pack: (error) =>
    error instanceof RowsTooLarge
      ? ({ message: error.message, sets: error.sets } satisfies PackedRows)
      : undefined,
  unpack: (packed) => {
    const { message, sets } = packed as PackedRows; // it was packed above
    return new RowsTooLarge(message, sets);
  },
};

interface PackedRows {
  readonly message: string;
  readonly sets: readonly number[];
}
