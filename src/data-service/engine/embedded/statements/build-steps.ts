// How the rows that exist are added to an index in steps, while other writes continue.
import type { TableIndex } from '../../../schema/table.js';

/**
 * The SQL of the steps (`buildIndex`). Rows up to the number `built` are in the index, and triggers ignore changes of
 * the rows after it up to `last`, which are added later as they are then.
 */
export interface BuildSteps {
  /** The table of the rows. */
  readonly table: string;
  /** A query for `built` and `last`; no row where the index is gone or has all rows. */
  readonly readProgress: string;
  /** Sets `built` to its value. */
  readonly noteProgress: string;
  /** Add the rows between two row numbers, exclusive and inclusive: their values. */
  readonly adds: readonly string[];
}

/** Whether the rows that exist are added to such an index in steps. */
export function isBuiltInSteps<Index extends { readonly kind: TableIndex['kind'] }>(
  index: Index,
): index is Extract<Index, { kind: 'text' | 'container' }> {
  return index.kind === 'text' || index.kind === 'container';
}
