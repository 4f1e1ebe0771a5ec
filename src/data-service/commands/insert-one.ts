// insertOne, and the keys that insert commands report (wire: insertOne, insertedIds).
import type { JsonText } from '../../foundation/json/json-value.js';
import { describeColumns } from '../schema/describe-columns.js';
import { type Assignments, type ParsedRow, parseRow, withVectors } from '../schema/parse-row.js';
import type { Table } from '../schema/table.js';
import { tableCommand } from './command.js';
import { textToEmbed } from './embed-texts.js';
import { clause, noOptions, object } from './shape.js';

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
  execute: ({ table, row }, engine) =>
    engine.insertRows({ table, rows: [row.assignments] }).then(({ rows: [failure] }) => {
      if (failure) throw failure;
    }),
  respond: (_, { table, row }) => ({
    status: [
      ['insertedIds', `[${insertedKey(row.assignments, table)}]`],
      ['primaryKeySchema', primaryKeySchema(table)],
    ],
  }),
});

/** `["a",5]`: the values in the order of the key. */
export function insertedKey({ columns, values }: Assignments, table: Table): JsonText {
  const key = table.keyColumns.map((column) => {
    const value = values[columns.indexOf(column)];
    return column.type.serializeInKey?.(value) ?? column.type.serialize(value);
  });
  return `[${key.join(',')}]`;
}

/** The columns that the values of `insertedKey` belong to, in that order. */
export function primaryKeySchema(table: Table): JsonText {
  return describeColumns(table.keyColumns);
}
