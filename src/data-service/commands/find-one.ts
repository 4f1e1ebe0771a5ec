// findOne (wire: findOne).
import type { ApiError } from '../errors/api-error.js';
import { parseFilter } from '../query/parse-filter.js';
import { parseProjection } from '../query/projection.js';
import { finishRead, type ReadPlan } from '../query/read.js';
import { readWarnings } from '../query/read-warnings.js';
import { refuseSort } from '../query/sort.js';
import { describeColumns } from '../schema/describe-columns.js';
import { tableCommand } from './command.js';
import { rowText } from './reply.js';
import { anything, flag, object, optionalClause, options } from './shape.js';

interface FindOnePlan {
  readonly read: ReadPlan;
  readonly warnings: readonly ApiError[];
}

export const findOne = tableCommand({
  name: 'findOne',
  help: 'Reads the first row that matches, in the order of the primary key.',
  kind: 'read',
  shape: object({
    filter: optionalClause,
    projection: anything('an object of columns and 1 or 0'),
    sort: optionalClause,
    options: options({ includeSimilarity: flag, includeSortVector: flag }),
  }),
  plan: (request, { table }): FindOnePlan => {
    const filter = parseFilter(request.filter, table);
    const columns = parseProjection(request.projection, table);
    refuseSort(request.sort, table);
    return {
      read: { table, columns, filter, order: table.keyOrder, after: null, limit: 1, wantsPosition: false },
      warnings: readWarnings(filter, table),
    };
  },
  execute: async ({ read }, engine) => finishRead(read, await engine.readRows(read)),
  respond: ({ rows: [row] }, { read: { columns }, warnings }) => ({
    data: `{"document":${row === undefined ? 'null' : rowText(row, columns)}}`,
    status: [['projectionSchema', describeColumns(columns)]],
    warnings,
  }),
});
