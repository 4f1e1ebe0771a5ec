// The clauses of a read together: their order, the plan for the engine, and the rows of a sort.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypeNamed } from '../column-types/registry.js';
import { vectorOf } from '../column-types/vector.js';
import { ApiError } from '../errors/api-error.js';
import { makeColumn, makeTable } from '../schema/table.js';
import { maxSortedRows, parseReadRequest, planRead, rowsPage, sortRows } from './read-request.js';

const int = columnTypeNamed('int');
assert.ok(int);
const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'c', 'n', 'm'].map((name) => ({ name, type: int })),
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: -1 }],
  },
);
const firstPage = rowsPage(null, 50, 'paged');

describe('parseReadRequest', () => {
  it('reads in any order, with all columns, when nothing is asked', () => {
    const request = requestOf({});
    assert.deepEqual([request.columns, request.order, request.sort], [table.columns, null, null]);
    assert.deepEqual(codesOf(request), ['ZERO_FILTER_OPERATIONS']);
  });

  it('gives the reversed order to the engine where that serves the sort', () => {
    const request = requestOf({ filter: '{"p":1}', sort: '{"c":1}' });
    assert.equal(request.sort, null);
    assert.deepEqual(
      request.order?.map(({ direction }) => direction),
      [-1, 1],
    );
    assert.deepEqual(codesOf(request), []);
  });

  it('reads in any order what is sorted in memory, and warns of the filter first', () => {
    const request = requestOf({ filter: '{"n":1}', sort: '{"m":-1}' });
    assert.equal(request.order, null);
    assert.deepEqual(
      request.sort?.map(({ column, direction }) => [column.name, direction]),
      [['m', -1]],
    );
    assert.deepEqual(codesOf(request), ['MISSING_INDEX', 'IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING']);
  });

  it('refuses the filter first, then the projection, then the sort', () => {
    const refusal = (clauses: Parameters<typeof requestOf>[0]) => {
      try {
        requestOf(clauses);
      } catch (error) {
        return error instanceof ApiError ? error.code : error;
      }
      return undefined;
    };
    const [filter, projection, sort] = ['{"x":null}', '{"x":5,"y":0}', '{"x":1}'];
    assert.equal(refusal({ filter, projection, sort }), 'UNKNOWN_TABLE_COLUMNS');
    assert.equal(refusal({ projection, sort }), 'UNSUPPORTED_PROJECTION_PARAM');
    assert.equal(refusal({ sort }), 'CANNOT_SORT_UNKNOWN_COLUMNS');
  });
});

describe('planRead', () => {
  it('asks for the window where the engine sorts', () => {
    const asked = rowsPage('behind', 7, 'single');
    const request = requestOf({ filter: '{"p":1}', sort: '{"c":1}', projection: '{"n":1}' });
    const { page, columns, order } = planRead(request, asked);
    assert.deepEqual(page, asked);
    assert.deepEqual([columns, order], [request.columns, request.order]);
  });

  it('asks for all rows that may be sorted and whether there are more, with the columns to sort by', () => {
    const request = requestOf({ sort: '{"m":1,"n":1}', projection: '{"n":1}' });
    const plan = planRead(request, { ...firstPage, after: 'behind' });
    const { page, columns } = plan;
    assert.deepEqual([page.after, page.limit, page.kind], [null, maxSortedRows, 'complete']);
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['n', 'm'],
    );
  });

  it('lets what is only shown come as it is stored, also in sorts in memory and in searches', () => {
    const vector = makeColumn(5, { name: 'v', type: vectorOf(2) });
    const search = {
      kind: 'vector',
      column: vector,
      metric: 'cosine',
      query: Float32Array.of(1, 2),
    } as const;
    assert.equal(planRead(requestOf({}), firstPage).form, 'text');
    for (const request of [requestOf({ sort: '{"n":1}' }), { ...requestOf({}), search }])
      assert.equal(planRead(request, firstPage).form, 'shown');
  });

  it('asks for no column twice', () => {
    const request = requestOf({ sort: '{"m":1}' });
    assert.equal(planRead(request, firstPage).columns, request.columns);
  });
});

describe('sortRows', () => {
  const request = requestOf({ sort: '{"m":-1,"n":1}', projection: '{"p":1}' });
  /** Columns p, m, n. */
  const rows = [
    [1, 5, 1],
    [2, null, 2],
    [3, 7, null],
    [4, 5, null],
    [5, 5, 1],
    [6, 7, -3],
  ];
  const places = (skip: number, limit: number) =>
    sortRows({ rows, next: null, isCut: false }, request, request.sort ?? [], { skip, limit }).map(
      ([place]) => place,
    );

  it('sorts by the first column, then the next; equal rows stay as they come', () => {
    assert.deepEqual(places(0, 50), [3, 6, 4, 1, 5, 2]);
  });

  it('gives the window', () => {
    assert.deepEqual(places(0, 2), [3, 6]);
    assert.deepEqual(places(4, 50), [5, 2]);
    assert.deepEqual(places(6, 1), []);
  });

  it('leaves the rows that it is given alone', () => {
    const before = structuredClone(rows);
    places(0, 50);
    assert.deepEqual(rows, before);
  });
});

function requestOf(clauses: { filter?: string; projection?: string; sort?: string; skip?: number }) {
  const { filter, projection, sort, skip } = clauses;
  return parseReadRequest(
    { filter: objectOf(filter), projection: objectOf(projection), sort: objectOf(sort), skip },
    table,
  );
}

function codesOf({ warnings }: ReturnType<typeof requestOf>): readonly string[] {
  return warnings.map(({ code }) => code);
}

function objectOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const json = parseJson(text, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  return json;
}
