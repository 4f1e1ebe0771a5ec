// deleteMany (wire: deleteMany).
import { parseKeySlice } from '../query/key-filter.js';
import type { DeletePlan } from '../query/write.js';
import { tableCommand } from './command.js';
import { filterExample, noOptions, object, optionalClause } from './shape.js';

export const deleteMany = tableCommand({
  name: 'deleteMany',
  help: 'Deletes partitions or slices of them by the primary key. An empty filter deletes all rows. `deletedCount` is -1: deleted rows are not counted.',
  kind: 'write',
  removes: true,
  shape: object({ filter: optionalClause(filterExample), options: noOptions('deleteMany') }),
  plan: ({ filter }, { table }): DeletePlan => ({ table, filter: parseKeySlice(filter, table) }),
  execute: (plan, engine) => engine.deleteRows(plan),
  // Not counted, as the public API does not: clients expect -1.
  respond: () => ({ status: [['deletedCount', '-1']] }),
});
