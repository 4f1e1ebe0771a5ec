// listIndexes (wire: listIndexes).
import type { JsonText } from '../../foundation/json/json-value.js';
import { cqlName } from '../column-types/user-types.js';
import { apiError } from '../errors/api-error.js';
import type { Table, TableIndex } from '../schema/table.js';
import { tableCommand } from './command.js';
import { listInTurns } from './reply.js';
import { flag, object, options } from './shape.js';

export const listIndexes = tableCommand({
  name: 'listIndexes',
  help: 'Lists the indexes of a table; with `explain` also their definitions. A warning names those that are still being built.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { table }) => ({ explain, table }),
  execute: ({ explain, table }) =>
    listInTurns(table.indexes, (index) =>
      explain ? describeIndex(index, table) : JSON.stringify(index.name),
    ),
  respond: (listed, { table }) => {
    const unbuilt = table.indexes.filter(({ isBuilding }) => isBuilding === true).map(({ name }) => name);
    const warnings =
      unbuilt.length === 0 ? [] : [apiError('warning', 'INDEX_BEING_BUILT', { indexes: unbuilt })];
    return { status: [['indexes', listed]], warnings };
  },
});

function describeIndex(index: TableIndex, table: Table): JsonText {
  const name = JSON.stringify(index.name);
  if (index.isUnsupported === true) return describeUnknown(index, table);
  const indexType = index.kind === 'container' ? 'regular' : index.kind;
  return `{"name":${name},"definition":${definitionOf(index)},"indexType":"${indexType}"}`;
}

function describeUnknown(index: TableIndex, { keyspace, name: table }: Table): JsonText {
  const { name } = index;
  const on = `${cqlName(keyspace)}.${cqlName(table)} (${cqlTarget(index)})`;
  const cqlDefinition = `CREATE CUSTOM INDEX ${cqlName(name)} ON ${on} USING 'StorageAttachedIndex'`;
  const apiSupport = { createIndex: false, filter: false, cqlDefinition };
  return JSON.stringify({ name, definition: { column: 'UNKNOWN', apiSupport }, indexType: 'UNKNOWN' });
}

function cqlTarget(index: TableIndex): string {
  const column = cqlName(index.column.name);
  if (index.kind !== 'container') return column;
  return `${index.part === 'elements' ? 'values' : index.part}(${column})`;
}

function definitionOf(index: TableIndex): JsonText {
  const column = index.column.name;
  switch (index.kind) {
    case 'regular':
      return JSON.stringify({ column, options: index.fold ?? {} });
    case 'container': {
      if (index.part === 'entries') return JSON.stringify({ column });
      const marker = index.part === 'keys' ? '$keys' : '$values';
      return JSON.stringify({ column: { [column]: marker }, options: index.fold ?? {} });
    }
    case 'vector': {
      const { metric, sourceModel } = index;
      return JSON.stringify({ column, options: { metric, sourceModel } });
    }
    case 'text':
      return `{"column":${JSON.stringify(column)},"options":{"analyzer":${index.analyzer.definition}}}`;
  }
}
