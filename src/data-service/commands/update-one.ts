// updateOne (wire: updateOne, in that order of checks).
import { apiError } from '../errors/api-error.js';
import { parseKeyOfOneRow } from '../query/key-filter.js';
import { parseUpdateClause, refuseUpdateValues, resolveUpdate } from '../query/parse-update.js';
import type { ChangePlan } from '../query/write.js';
import { keyProblem } from '../schema/parse-row.js';
import { tableCommand } from './command.js';
import { clause, flag, object, optionalClause, options, withoutEffect } from './shape.js';

export const updateOne = tableCommand({
  name: 'updateOne',
  help: 'Changes columns of the row with this primary key; the row is made if it does not exist.',
  kind: 'write',
  shape: object({
    filter: optionalClause,
    update: clause,
    sort: optionalClause,
    options: options({ upsert: withoutEffect(flag, 'every update makes the row it does not find') }),
  }),
  plan: ({ filter, update, sort }, { table }): ChangePlan => {
    const clauses = parseUpdateClause(update);
    if (sort !== undefined && sort.size > 0)
      throw apiError('sort', 'UNSUPPORTED_SORT_FOR_TABLE_UPDATE_COMMAND', {});
    const changes = resolveUpdate(clauses, table);
    const key = parseKeyOfOneRow(filter, table);
    // The update may make the row, so its key must be one that a row can have.
    const problem = keyProblem(table, (column) => key[table.keyColumns.indexOf(column)]);
    if (problem !== undefined) throw refuseUpdateValues(table, [problem]);
    return { table, key, changes };
  },
  execute: (plan, engine) => engine.changeRow(plan),
  respond: () => ({
    status: [
      ['matchedCount', '1'],
      ['modifiedCount', '1'],
    ],
  }),
});
