// Whether a filter stays inside one partition.

import type { Table } from '../schema/table.js';
import { conjunctionOf, type Filter } from './filter.js';

/** True where every partition column must equal one value. */
export function fixesPartition(filter: Filter, table: Table): boolean {
  const comparisons = conjunctionOf(filter) ?? [];
  return table.partitionKey.every((key) =>
    comparisons.some(({ column, operator }) => column === key && operator.name === '$eq'),
  );
}
