// updateOne (wire: updateOne, in that order of checks).
import { apiError } from '../errors/api-error.js';
import { parseKeyOfOneRow } from '../query/key-filter.js';
import {
  type ParsedUpdate,
  parseUpdateClause,
  refuseUpdateValues,
  resolveUpdate,
  updateWithVectors,
} from '../query/parse-update.js';
import type { ChangePlan } from '../query/write.js';
import { keyProblem } from '../schema/parse-row.js';
import { tableCommand } from './command.js';
import { textToEmbed } from './embed-texts.js';
import {
  clause,
  filterExample,
  flag,
  object,
  optionalClause,
  options,
  sortExample,
  withoutEffect,
} from './shape.js';

interface Plan extends Pick<ChangePlan, 'table' | 'key'> {
  readonly update: ParsedUpdate;
}

export const updateOne = tableCommand({
  name: 'updateOne',
  help: 'Changes columns of the row with this primary key. If the row does not exist, the command creates it.',
  kind: 'write',
  shape: object({
    filter: optionalClause(filterExample),
    update: clause('{"$set": {"age": 7}}'),
    sort: optionalClause(sortExample),
    options: options({ upsert: withoutEffect(flag, 'every update creates the row if it does not exist') }),
  }),
  plan: ({ filter, update, sort }, { table }): Plan => {
    const clauses = parseUpdateClause(update);
    if (sort !== undefined && sort.size > 0)
      throw apiError('sort', 'UNSUPPORTED_SORT_FOR_TABLE_UPDATE_COMMAND', {});
    const resolved = resolveUpdate(clauses, table);
    const key = parseKeyOfOneRow(filter, table);
    // The update may create the row, so its key must be one that a row can have.
    const problem = keyProblem(table, (column) => key[table.keyColumns.indexOf(column)]);
    if (problem !== undefined) throw refuseUpdateValues(table, [problem]);
    return { table, key, update: resolved };
  },
  textsToEmbed: ({ update }) => update.texts.map(({ column, text }) => textToEmbed(column, text, 'passage')),
  withEmbeddings: (plan, vectors) => ({
    ...plan,
    update: updateWithVectors(plan.update, vectors, plan.table),
  }),
  execute: ({ table, key, update: { changes } }, engine) => engine.changeRow({ table, key, changes }),
  respond: () => ({
    status: [
      ['matchedCount', '1'],
      ['modifiedCount', '1'],
    ],
  }),
});
