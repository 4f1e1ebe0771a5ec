// Whether a filter selects rows of one partition only.

import type { Table } from '../schema/table.js';
import { type Filter, requiredOf } from './filter.js';

/** True if every partition column must equal one value. */
export function fixesPartition(filter: Filter, table: Table): boolean {
  const comparisons = requiredOf(filter);
  return table.partitionKey.every((key) =>
    comparisons.some(({ column, operator }) => column === key && operator.name === '$eq'),
  );
}
