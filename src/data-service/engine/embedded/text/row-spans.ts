// Parts of a table by row numbers, for the slices of text searches.

import type { ScanBudget } from '../scans/scan-budget.js';
import type { RowSpan } from '../statements/text-search-statements.js';

/** The part after a row number that a budget allows. */
export function nextSpan(above: number, budget: ScanBudget): RowSpan {
  return { above, through: above + budget.rows };
}

/** The bounds of the first slices and of all others, in row numbers. */
export const spanBounds = { least: 1_000, most: 2 ** 40 } as const;
