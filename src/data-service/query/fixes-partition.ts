// Whether a filter stays inside one partition.

import type { Table } from '../schema/table.js';
import { type Filter, requiredOf } from './filter.js';

/** True where every partition column must equal one value. */
export function fixesPartition(filter: Filter, table: Table): boolean {
  const comparisons = requiredOf(filter);
  return table.partitionKey.every((key) =>
    comparisons.some(({ column, operator }) => column === key && operator.name === '$eq'),
  );
}
