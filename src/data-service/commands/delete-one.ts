// deleteOne (wire: deleteOne).
import { apiError } from '../errors/api-error.js';
import type { Filter } from '../query/filter.js';
import { filterOperators } from '../query/filter-operators.js';
import { parseKeyOfOneRow } from '../query/key-filter.js';
import type { DeletePlan } from '../query/write.js';
import { tableCommand } from './command.js';
import { clause, filterExample, noOptions, object, optionalClause, sortExample } from './shape.js';

export const deleteOne = tableCommand({
  name: 'deleteOne',
  help: 'Deletes the row with this primary key, if it exists. `deletedCount` is -1: the server does not check whether the row existed.',
  kind: 'write',
  removes: true,
  shape: object({
    filter: clause(filterExample),
    sort: optionalClause(sortExample),
    options: noOptions('deleteOne'),
  }),
  plan: ({ filter, sort }, { table }): DeletePlan => {
    if (sort !== undefined && sort.size > 0)
      throw apiError('sort', 'UNSUPPORTED_SORT_FOR_TABLE_DELETE_COMMAND', {});
    const key = parseKeyOfOneRow(filter, table);
    const filters = table.keyColumns.map((column, at): Filter => {
      return { kind: 'comparison', column, operator: filterOperators.$eq, operands: [key[at]] };
    });
    return { table, filter: { kind: 'and', filters } };
  },
  execute: (plan, engine) => engine.deleteRows(plan),
  respond: () => ({ status: [['deletedCount', '-1']] }),
});
