// listIndexes (wire: listIndexes).
import type { JsonText } from '../../foundation/json/json-value.js';
import type { TableIndex } from '../schema/table.js';
import { tableCommand } from './command.js';
import { flag, object, options } from './shape.js';

export const listIndexes = tableCommand({
  name: 'listIndexes',
  help: 'Lists the indexes of a table; with `explain` also their definitions.',
  kind: 'list',
  shape: object({ options: options({ explain: flag }) }),
  plan: ({ options: { explain } }, { table }) => ({ explain, indexes: table.indexes }),
  execute: async (plan) => plan,
  respond: ({ explain, indexes }) => {
    const listed = indexes.map((index) => (explain ? describeIndex(index) : JSON.stringify(index.name)));
    return { status: [['indexes', `[${listed.join(',')}]`]] };
  },
});

function describeIndex(index: TableIndex): JsonText {
  const column = JSON.stringify(index.column.name);
  const definition = `{"column":${column},"options":${optionsOf(index)}}`;
  return `{"name":${JSON.stringify(index.name)},"definition":${definition},"indexType":"${index.kind}"}`;
}

function optionsOf(index: TableIndex): JsonText {
  switch (index.kind) {
    case 'regular':
      return JSON.stringify(index.fold ?? {});
    case 'vector': {
      const { metric, sourceModel } = index;
      return JSON.stringify({ metric, sourceModel });
    }
    case 'text':
      return `{"analyzer":${index.analyzer.definition}}`;
  }
}
