// listIndexes (wire: listIndexes).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { ContainerIndex, Table, TableIndex } from '../schema/table.js';
import { tableCommand } from './command.js';
import { flag, object, options } from './shape.js';

export const listIndexes = tableCommand({
  name: 'listIndexes',
  help: 'Lists the indexes of a table; with `explain` also their definitions.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { table }) => ({ explain, table }),
  execute: async (plan) => plan,
  respond: ({ explain, table }) => {
    const listed = table.indexes.map((index) =>
      explain ? describeIndex(index, table) : JSON.stringify(index.name),
    );
    return { status: [['indexes', `[${listed.join(',')}]`]] };
  },
});

function describeIndex(index: TableIndex, table: Table): JsonText {
  const { name } = index;
  if (index.kind === 'container' && !index.column.type.traits.filterable)
    return describeUnknown(index, table);
  const indexType = index.kind === 'container' ? 'regular' : index.kind;
  return JSON.stringify({ name, definition: definitionOf(index), indexType });
}

/** An index that the extended dialect created: here no filter can use it. */
function describeUnknown({ name, column, part }: ContainerIndex, { keyspace, name: table }: Table): JsonText {
  const target = `${part === 'elements' ? 'values' : part}(${cqlName(column.name)})`;
  const on = `${cqlName(keyspace)}.${cqlName(table)} (${target})`;
  const cqlDefinition = `CREATE CUSTOM INDEX ${cqlName(name)} ON ${on} USING 'StorageAttachedIndex'`;
  const apiSupport = { createIndex: false, filter: false, cqlDefinition };
  return JSON.stringify({ name, definition: { column: 'UNKNOWN', apiSupport }, indexType: 'UNKNOWN' });
}

function cqlName(name: string): string {
  return /^[a-z]\w*$/.test(name) && name === name.toLowerCase() ? name : `"${name.replaceAll('"', '""')}"`;
}

function definitionOf(index: TableIndex): object {
  const column = index.column.name;
  switch (index.kind) {
    case 'regular':
      return { column, options: index.fold ?? {} };
    case 'container': {
      if (index.part === 'entries') return { column };
      const marker = index.part === 'keys' ? '$keys' : '$values';
      return { column: { [column]: marker }, options: index.fold ?? {} };
    }
    case 'vector': {
      const { metric, sourceModel } = index;
      return { column, options: { metric, sourceModel } };
    }
  }
}
