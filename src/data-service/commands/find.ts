// find (wire: find; differences: page state).
import { JsonNumber } from '../../foundation/json/json-value.js';
import type { ApiError } from '../errors/api-error.js';
import { invalidFieldValue } from '../errors/request-problems.js';
import type { PageStateKey } from '../query/page-state.js';
import { type PagedQuery, readPageState, writePageState } from '../query/page-state.js';
import { parseFilter } from '../query/parse-filter.js';
import { parseProjection } from '../query/projection.js';
import { finishRead, type ReadPlan } from '../query/read.js';
import { readWarnings } from '../query/read-warnings.js';
import { refuseSort } from '../query/sort.js';
import { describeColumns } from '../schema/describe-columns.js';
import { tableCommand } from './command.js';
import { rowText } from './reply.js';
import { anything, flag, object, optionalClause, optionalInteger, optionalText, options } from './shape.js';

/** Rows a reply holds at most. */
const pageRows = 50;

interface FindPlan {
  readonly read: ReadPlan;
  readonly query: PagedQuery;
  /** Rows that this and the following pages may still give; null without a limit. */
  readonly remaining: number | null;
  readonly pageStateKey: PageStateKey;
  readonly warnings: readonly ApiError[];
}

export const find = tableCommand({
  name: 'find',
  help: 'Reads rows, 50 a page, in the order of the primary key.',
  kind: 'read',
  shape: object({
    filter: optionalClause,
    projection: anything('an object of columns and 1 or 0'),
    sort: optionalClause,
    options: options({
      limit: optionalInteger(1),
      skip: optionalInteger(0),
      pageState: optionalText,
      pagingState: optionalText,
      includeSimilarity: flag,
      includeSortVector: flag,
    }),
  }),
  plan: (request, { table, pageStateKey }): FindPlan => {
    const { skip } = request.options;
    // An empty sort sorts as little as none.
    if (skip !== undefined && (request.sort === undefined || request.sort.size === 0)) {
      throw invalidFieldValue('command.options.skip', new JsonNumber(String(skip)), '"skip" needs a "sort"');
    }
    const filter = parseFilter(request.filter, table);
    const columns = parseProjection(request.projection, table);
    refuseSort(request.sort, table);
    const order = table.keyOrder;
    const query: PagedQuery = { table, filter: request.filter, order };
    const text = request.options.pageState ?? request.options.pagingState ?? '';
    const state = text === '' ? undefined : readPageState(pageStateKey, query, text);
    const remaining = state === undefined ? (request.options.limit ?? null) : state.remaining;
    const limit = Math.min(pageRows, remaining ?? pageRows);
    const wantsPosition = remaining === null || remaining > limit;
    const read = { table, columns, filter, order, after: state?.position ?? null, limit, wantsPosition };
    return { read, query, remaining, pageStateKey, warnings: readWarnings(filter, table) };
  },
  execute: async ({ read }, engine) => finishRead(read, await engine.readRows(read)),
  respond: ({ rows, next }, { read, query, remaining, pageStateKey, warnings }) => {
    const documents = rows.map((row) => rowText(row, read.columns)).join(',');
    const left = remaining === null ? null : remaining - rows.length;
    const state = next && writePageState(pageStateKey, query, { position: next, remaining: left });
    return {
      data: `{"documents":[${documents}],"nextPageState":${JSON.stringify(state)}}`,
      status: [['projectionSchema', describeColumns(read.columns)]],
      warnings,
    };
  },
});
