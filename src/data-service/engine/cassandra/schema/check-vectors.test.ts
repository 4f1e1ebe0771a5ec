// Which vectors of a table are sent before an index is made of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { int } from '../../../column-types/integers.js';
import { vectorOf } from '../../../column-types/vector.js';
import { makeTable } from '../../../schema/table.js';
import { ReadTimeLimit } from '../../read-time-limit.js';
import { vectorLimits } from '../vector-limits.js';
import { unindexableKeys } from './check-vectors.js';

const table = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'p', type: int },
      { name: 'v', type: vectorOf(2), vectorLimits },
    ],
    partitionKey: ['p'],
    clustering: [],
  },
);
const [, column] = table.columns;
assert.ok(column);
const index = { kind: 'vector', name: 't_v', column, metric: 'cosine', sourceModel: 'other' } as const;
const clock = { nowMs: () => 0, monotonicMs: () => 0 };

/** What is asked for, and the keys that are found, where nodes have these vectors; null for none. */
async function lookedAt(...vectors: readonly (readonly [number, number] | null)[]) {
  const asked: string[] = [];
  const run = async ({ cql }: CqlStatement) => {
    asked.push(/^SELECT (.*) FROM/.exec(cql)?.[1] ?? cql);
    const isSquare = cql.includes('similarity_dot_product');
    const rows = vectors.map((vector, p) => {
      if (!isSquare) return [p, vector === null ? null : Float32Array.from(vector)];
      return [vector === null ? null : Math.fround((1 + vector[0] ** 2 + vector[1] ** 2) / 2)];
    });
    return { rows, next: null, bytes: 0 };
  };
  const keys = await unindexableKeys({ run }, table, index, new ReadTimeLimit(clock, 1_000));
  return { asked: asked.length, keys: keys.flat() };
}

describe('unindexableKeys', () => {
  it('asks for squares alone where they show that an index takes all vectors', async () => {
    assert.deepEqual(await lookedAt([1, 2], null, [-3, 0.5]), { asked: 1, keys: [] });
    assert.deepEqual(await lookedAt(), { asked: 1, keys: [] });
  });

  it('asks for the vectors where one may be zero or too large', async () => {
    const most = vectorLimits.mostMagnitude;
    assert.deepEqual(await lookedAt([1, 2], [0, 0], [2 * most, 1], [1, Number.NaN]), {
      asked: 2,
      keys: [1, 2, 3],
    });
    // The squares of the first two look like those of vectors that no index takes.
    assert.deepEqual(await lookedAt([1e-5, 0], [most, 1], [3e30, 0]), { asked: 2, keys: [2] });
  });
});
