// The meaning of sort clauses, and which of them the storage order satisfies.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypeNamed } from '../column-types/registry.js';
import { ApiError } from '../errors/api-error.js';
import { makeTable, type Table } from '../schema/table.js';
import { parseFilter } from './parse-filter.js';
import { chooseSortPath, compareForSort, parseSort, type SortPath } from './sort.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: ['p', 'q', 'c', 'd', 'n'].map((name) => ({ name, type: typeNamed('int') })),
    partitionKey: ['p', 'q'],
    clustering: [
      { name: 'c', direction: 1 },
      { name: 'd', direction: -1 },
    ],
  },
);
const withoutClustering = makeTable(
  { id: 2, version: 1, keyspace: 'k' },
  { name: 'u', columns: [{ name: 'p', type: typeNamed('int') }], partitionKey: ['p'], clustering: [] },
);
const onePartition = '{"p":1,"q":{"$in":[2]}}';

describe('parseSort', () => {
  it('gives columns and directions in the order of the clause', () => {
    const sort = parseSort(objectOf('{"n":-1,"c":1}'), table);
    assert.deepEqual(
      sort.map(({ column, direction }) => [column.name, direction]),
      [
        ['n', -1],
        ['c', 1],
      ],
    );
  });

  it('sorts nothing without a clause or with an empty one', () => {
    assert.deepEqual(parseSort(undefined, table), []);
    assert.deepEqual(parseSort(objectOf('{}'), table), []);
  });

  for (const [clause, code] of [
    ['{"x":1,"c":[1]}', 'CANNOT_SORT_UNKNOWN_COLUMNS'],
    ['{"c":1,"d":"x"}', 'CANNOT_SORT_ON_SPECIAL_WITH_OTHERS'],
    ['{"c":1,"d":{"$binary":""}}', 'CANNOT_SORT_ON_SPECIAL_WITH_OTHERS'],
    ['{"c":1,"d":{"x":""}}', 'INVALID_REGULAR_SORT_EXPRESSION'],
    ['{"c":1e0}', 'INVALID_REGULAR_SORT_EXPRESSION'],
    ['{"c":"1"}', 'CANNOT_VECTORIZE_SORT_NON_VECTOR_COLUMN'],
    ['{"c":[]}', 'CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS'],
  ] as const) {
    it(`refuses ${clause} with ${code}`, () => {
      assert.throws(
        () => parseSort(objectOf(clause), table),
        (error) => error instanceof ApiError && error.code === code,
      );
    });
  }
});

describe('chooseSortPath', () => {
  const choose = (clause: string, filter: string, skip?: number, of: Table = table) =>
    chooseSortPath(parseSort(objectOf(clause), of), parseFilter(objectOf(filter), of), of, skip);

  for (const [clause, order] of [
    ['{"c":1}', 'p q c -d'],
    ['{"c":1,"d":-1}', 'p q c -d'],
    ['{"c":-1}', '-p -q -c d'],
    ['{"c":-1,"d":1}', '-p -q -c d'],
  ] as const) {
    it(`serves ${clause} inside a partition by the order ${order}`, () => {
      assert.equal(shown(choose(clause, onePartition)), order);
    });
  }

  it('leaves the order to the engine without a sort', () => {
    assert.deepEqual(choose('{}', onePartition), { kind: 'engine', order: null });
  });

  it('serves the reverse of the clustering order beside a choice inside a partition', () => {
    const filter = '{"p":1,"q":1,"$or":[{"c":1},{"n":2}]}';
    assert.equal(shown(choose('{"c":-1}', filter)), '-p -q -c d');
  });

  for (const [clause, filter, skip, reason] of [
    ['{"n":1}', '{}', 0, 'SKIP_OPTIONS'],
    ['{"c":1}', onePartition, 5, 'SKIP_OPTIONS'],
    ['{"d":1,"n":1}', '{}', undefined, 'TO_NON_PARTITION_SORTING'],
    ['{"p":1}', onePartition, undefined, 'TO_NON_PARTITION_SORTING'],
    ['{"d":1}', '{}', undefined, 'TO_OUT_OF_ORDER_PARTITION_SORTING'],
    ['{"d":-1,"c":1}', onePartition, undefined, 'TO_OUT_OF_ORDER_PARTITION_SORTING'],
    ['{"c":1,"d":1}', onePartition, undefined, 'TO_OUT_OF_ORDER_PARTITION_SORTING'],
    ['{"c":-1,"d":-1}', onePartition, undefined, 'TO_OUT_OF_ORDER_PARTITION_SORTING'],
    ['{"c":1}', '{}', undefined, 'TO_PARTITION_KEY_NOT_RESTRICTED'],
    ['{"c":1}', '{"p":1}', undefined, 'TO_PARTITION_KEY_NOT_RESTRICTED'],
    ['{"c":1}', '{"p":1,"q":{"$gte":1}}', undefined, 'TO_PARTITION_KEY_NOT_RESTRICTED'],
    ['{"c":1}', '{"p":1,"q":{"$in":[1,2]}}', undefined, 'TO_PARTITION_KEY_NOT_RESTRICTED'],
    ['{"c":1}', '{"$or":[{"p":1,"q":1},{"p":1,"q":2}]}', undefined, 'TO_PARTITION_KEY_NOT_RESTRICTED'],
  ] as const) {
    it(`sorts ${clause} of ${filter} in memory${skip === undefined ? '' : ' with a skip'}: ${reason}`, () => {
      const path = choose(clause, filter, skip);
      assert.equal(shown(path), `IN_MEMORY_SORTING_DUE_${reason}`);
      assert.deepEqual(path.kind === 'memory' && path.sort, parseSort(objectOf(clause), table));
    });
  }

  it('has no order of storage for a table without clustering columns', () => {
    assert.equal(
      shown(choose('{"p":1}', '{"p":1}', undefined, withoutClustering)),
      'IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING',
    );
  });
});

describe('compareForSort', () => {
  const [column] = table.columns;
  assert.ok(column);

  it('puts a missing value before every other, and missing values level', () => {
    assert.ok(compareForSort(column, null, -2_147_483_648) < 0);
    assert.ok(compareForSort(column, -2_147_483_648, null) > 0);
    assert.equal(compareForSort(column, null, null), 0);
  });

  it('leaves other values to the type', () => {
    assert.ok(compareForSort(column, 9, 10) < 0);
    assert.ok(compareForSort(column, 10, 9) > 0);
    assert.equal(compareForSort(column, 9, 9), 0);
  });
});

/** The order with its directions, or the code of the warning. */
function shown(path: SortPath): string {
  if (path.kind === 'memory') return path.warning.code;
  return (path.order ?? [])
    .map(({ column, direction }) => `${direction === 1 ? '' : '-'}${column.name}`)
    .join(' ');
}

function typeNamed(name: string) {
  const type = columnTypeNamed(name);
  assert.ok(type);
  return type;
}

function objectOf(text: string): JsonObject {
  const json = parseJson(text, { maxDepth: 10, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  return json;
}
