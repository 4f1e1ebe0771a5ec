// insertOne (wire: insertOne).

import type { InsertPlan } from '../query/write.js';
import { parseRow } from '../schema/parse-row.js';
import { tableCommand } from './command.js';
import { insertedKey, primaryKeySchema } from './inserted-key.js';
import { clause, noOptions, object } from './shape.js';

export const insertOne = tableCommand({
  name: 'insertOne',
  help: 'Stores a row; columns of an existing row with the same primary key are overwritten.',
  kind: 'write',
  shape: object({ document: clause, options: noOptions('insertOne') }),
  plan: ({ document }, { table }): InsertPlan => ({ table, rows: [parseRow(document, table)] }),
  execute: async (plan, engine) => {
    const { rows } = await engine.insertRows(plan);
    const [failure] = rows;
    if (failure) throw failure;
  },
  respond: (_, { table, rows }) => ({
    status: [
      ['insertedIds', `[${rows.map((row) => insertedKey(row, table)).join(',')}]`],
      ['primaryKeySchema', primaryKeySchema(table)],
    ],
  }),
});
