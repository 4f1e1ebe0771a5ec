// insertOne (wire: insertOne).

import { type ParsedRow, parseRow, withVectors } from '../schema/parse-row.js';
import type { Table } from '../schema/table.js';
import { tableCommand } from './command.js';
import { insertedKey, primaryKeySchema } from './inserted-key.js';
import { clause, noOptions, object } from './shape.js';
import { textToEmbed } from './text-to-embed.js';

interface Plan {
  readonly table: Table;
  readonly row: ParsedRow;
}

export const insertOne = tableCommand({
  name: 'insertOne',
  help: 'Stores a row; columns of an existing row with the same primary key are overwritten.',
  kind: 'write',
  shape: object({ document: clause('{"id": 1}'), options: noOptions('insertOne') }),
  plan: ({ document }, { table }): Plan => ({ table, row: parseRow(document, table) }),
  textsToEmbed: ({ row }) => row.texts.map(({ column, text }) => textToEmbed(column, text, 'passage')),
  withEmbeddings: ({ table, row }, vectors) => ({ table, row: withVectors(row, vectors, table) }),
  execute: async ({ table, row }, engine) => {
    const { rows } = await engine.insertRows({ table, rows: [row.assignments] });
    const [failure] = rows;
    if (failure) throw failure;
  },
  respond: (_, { table, row }) => ({
    status: [
      ['insertedIds', `[${insertedKey(row.assignments, table)}]`],
      ['primaryKeySchema', primaryKeySchema(table)],
    ],
  }),
});
