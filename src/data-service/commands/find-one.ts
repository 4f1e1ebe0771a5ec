// findOne (wire: findOne).
import { apiError } from '../errors/api-error.js';
import { finishRead } from '../query/read.js';
import {
  maxSortedRows,
  parseReadRequest,
  planRead,
  type ReadRequest,
  rowsPage,
  searchOf,
  searchPage,
  sortRows,
  withQuery,
} from '../query/read-request.js';
import { describeColumns } from '../schema/describe-columns.js';
import { tableCommand } from './command.js';
import { queryTexts } from './embed-texts.js';
import { findOneOptions } from './find-options.js';
import { type Reply, rowsText } from './reply.js';
import { withSortVector } from './search-reply.js';
import { anything, filterExample, object, optionalClause, sortExample } from './shape.js';

interface FindOnePlan {
  readonly request: ReadRequest;
  readonly includeSortVector: boolean;
  /** See `ReadPlan`. */
  readonly command: object;
}

const firstRow = rowsPage(null, 1, 'single');
const firstFound = searchPage(1);

export const findOne = tableCommand({
  name: 'findOne',
  help: 'Reads the first row that matches, in the order of the primary key or of the sort.',
  kind: 'read',
  shape: object({
    filter: optionalClause(filterExample),
    projection: anything('an object of columns and 1 or 0'),
    sort: optionalClause(sortExample),
    options: findOneOptions,
  }),
  plan: (command, { table }): FindOnePlan => {
    const { filter, projection, sort, options: given } = command;
    const { includeSimilarity, includeSortVector } = given;
    const request = parseReadRequest({ filter, projection, sort, includeSimilarity }, table);
    return { request, includeSortVector, command };
  },
  textsToEmbed: ({ request }) => queryTexts(request),
  withEmbeddings: (plan, [vector]) => ({ ...plan, request: withQuery(plan.request, vector) }),
  execute: ({ request, command }, engine) => {
    const read = planRead(request, request.search === null ? firstRow : firstFound, command);
    return engine.readRows(read).then((outcome) => finishRead(read, outcome));
  },
  respond: (result, { request, includeSortVector }) => {
    const { columns, shown, sort, warnings } = request;
    const search = searchOf(request);
    if (sort !== null && result.next !== null) {
      return {
        errors: [apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: maxSortedRows, isSearch: false })],
        warnings,
      };
    }
    if (result.isCut) {
      return {
        errors: [apiError('sort', 'OVERLOADED_SORT_ROW_LIMIT', { limit: 1, isSearch: true })],
        warnings,
      };
    }
    const first =
      sort === null ? result : { ...result, rows: sortRows(result, request, sort, { skip: 0, limit: 1 }) };
    const document = rowsText(first, shown);
    const status = [['projectionSchema', describeColumns(columns)]] as const;
    const reply: Reply = {
      data: `{"document":${document === '' ? 'null' : document}}`,
      status: sort === null ? status : [...status, ['sortedRowCount', String(result.rows.length)]],
      warnings,
    };
    return search?.kind === 'vector' && includeSortVector ? withSortVector(reply, search) : reply;
  },
});
