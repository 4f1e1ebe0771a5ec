// findOne (wire: findOne).
import { apiError } from '../errors/api-error.js';
import { finishRead, type ReadPlan } from '../query/read.js';
import {
  maxSortedRows,
  parseReadRequest,
  planRead,
  type ReadRequest,
  sortRows,
} from '../query/read-request.js';
import { describeColumns } from '../schema/describe-columns.js';
import { tableCommand } from './command.js';
import { type Reply, rowText } from './reply.js';
import { withSortVector } from './search-reply.js';
import { anything, flag, object, optionalClause, options } from './shape.js';

interface FindOnePlan {
  readonly request: ReadRequest;
  readonly read: ReadPlan;
  readonly includeSortVector: boolean;
}

const firstRow = { after: null, limit: 1, wantsPosition: false };

export const findOne = tableCommand({
  name: 'findOne',
  help: 'Reads the first row that matches, in the order of the primary key or of the sort.',
  kind: 'read',
  shape: object({
    filter: optionalClause,
    projection: anything('an object of columns and 1 or 0'),
    sort: optionalClause,
    options: options({ includeSimilarity: flag, includeSortVector: flag }),
  }),
  plan: ({ options: { includeSimilarity, includeSortVector }, ...clauses }, { table }): FindOnePlan => {
    const request = parseReadRequest({ ...clauses, includeSimilarity }, table);
    return { request, read: planRead(request, firstRow), includeSortVector };
  },
  execute: async ({ read }, engine) => finishRead(read, await engine.readRows(read)),
  respond: (result, { read, request, includeSortVector }) => {
    const { columns, shown, sort, search, warnings } = request;
    if (sort !== null && result.next !== null) {
      return { errors: [apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: maxSortedRows })], warnings };
    }
    const [row] = sort === null ? result.rows : sortRows(result, read, sort, { skip: 0, limit: 1 });
    const status = [['projectionSchema', describeColumns(columns)]] as const;
    const reply: Reply = {
      data: `{"document":${row === undefined ? 'null' : rowText(row, shown)}}`,
      status: sort === null ? status : [...status, ['sortedRowCount', String(result.rows.length)]],
      warnings,
    };
    return search !== null && includeSortVector ? withSortVector(reply, search) : reply;
  },
});
