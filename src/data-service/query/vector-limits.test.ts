// Vectors that columns and searches refuse: by their index, or by what the storage takes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { vectorOf } from '../column-types/vector.js';
import { parseRow } from '../schema/parse-row.js';
import { makeTable, type Table, withIndexes } from '../schema/table.js';
import type { VectorMetric } from '../schema/vector-index.js';
import { parseUpdateClause, resolveUpdate } from './parse-update.js';
import { parseVectorSort } from './vector-sort.js';

const mostMagnitude = 1024;

function tableWith(isLimited: boolean, metric?: VectorMetric): Table {
  const limits = isLimited ? { vectorLimits: { mostMagnitude } } : {};
  const columns = [
    { name: 'id', type: int },
    { name: 'v', type: vectorOf(2), ...limits },
  ];
  const definition = { name: 't', columns, partitionKey: ['id'], clustering: [] };
  const table = makeTable({ id: 1, version: 1, keyspace: 'k' }, definition);
  const column = table.columnsByName.get('v');
  if (metric === undefined || column === undefined) return table;
  return withIndexes(table, [{ kind: 'vector', id: 1, name: 'i', column, metric, sourceModel: 'other' }]);
}

function objectOf(text: string) {
  const json = parseJson(text, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  return json;
}

const insertInto = (table: Table) => (vector: string) => parseRow(objectOf(`{"id":1,"v":${vector}}`), table);
const updateOf = (table: Table) => (vector: string) =>
  resolveUpdate(parseUpdateClause(objectOf(`{"$set":{"v":${vector}}}`)), table);
const searchOf = (table: Table) => (vector: string) => parseVectorSort(objectOf(`{"v":${vector}}`), table);

describe('a column without limits', () => {
  it('has zero vectors unless its index is by cosine, and elements of any size', () => {
    for (const metric of [undefined, 'euclidean', 'dot_product'] as const) {
      for (const writes of [insertInto, updateOf])
        for (const vector of ['[0,-0.0]', '[3e38,0]']) assert.ok(writes(tableWith(false, metric))(vector));
    }
    assert.throws(() => insertInto(tableWith(false, 'cosine'))('[0,-0.0]'), {
      code: 'INVALID_COLUMN_VALUES',
    });
    assert.ok(insertInto(tableWith(false, 'cosine'))('[3e38,0]'));
  });
});

describe('a column with limits', () => {
  for (const metric of [undefined, 'cosine', 'euclidean', 'dot_product'] as const) {
    it(`has no zero vector and no larger element, with the metric ${metric ?? 'of no index'}`, () => {
      const table = tableWith(true, metric);
      for (const writes of [insertInto, updateOf]) {
        for (const vector of ['[1024,-1024]', '[0,1]', 'null', '{"$binary":"RIAAAMSAAAA="}'])
          assert.ok(writes(table)(vector));
        for (const vector of ['[1024.1,1]', '[1,-1025]', '{"$binary":"RIAAAcSAAAA="}'])
          assert.throws(() => writes(table)(vector), { code: 'INVALID_COLUMN_VALUES', message: /1024/ });
        assert.throws(() => writes(table)('[0,-0.0]'), { code: 'INVALID_COLUMN_VALUES', message: /zero/ });
      }
    });
  }

  it('is not searched for larger elements, and for zero by all metrics but cosine', () => {
    for (const metric of ['cosine', 'euclidean', 'dot_product'] as const) {
      const search = searchOf(tableWith(true, metric));
      assert.ok(search('[1024,-1024]'));
      const code = 'INVALID_VECTOR_SORT_EXPRESSION';
      assert.throws(() => search('[1,1025]'), { code, message: /element 2 is 1025/ });
      if (metric === 'cosine') assert.throws(() => search('[0,0]'), { code });
      else assert.ok(search('[0,0]'));
    }
  });
});
