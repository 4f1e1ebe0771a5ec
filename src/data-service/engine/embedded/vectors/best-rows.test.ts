// The rows that a graph found: rows at equal distances, where the limits of rows and bytes apply.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { vectorOf } from '../../../column-types/vector.js';
import { matchAll } from '../../../query/filter.js';
import { makeTable } from '../../../schema/table.js';
import { unrankedRows } from '../statements/search-statements.js';
import { createTableStatements } from '../statements/table-statements.js';
import { bestRows } from './best-rows.js';
import type { Hit } from './graph.js';

const table = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'id', type: int },
      { name: 'note', type: text },
      { name: 'v', type: vectorOf(2) },
    ],
    partitionKey: ['id'],
    clustering: [],
  },
);
const [id, note, vector] = table.columns;
assert.ok(id !== undefined && note !== undefined && vector !== undefined);
const query = Float32Array.of(0, 0);
const search = { kind: 'vector', column: vector, query, metric: 'euclidean' } as const;

const database = openDatabase({ path: ':memory:' });
after(() => database.close());
for (const { sql } of createTableStatements(table).slice(0, 2)) database.exec(sql);

/** Stores rows with these distances from the query and these lengths of texts; returns them as hits of a graph. */
function store(...rows: readonly (readonly [distance: number, length: number])[]): readonly Hit[] {
  database.exec('DELETE FROM t7');
  const insert = database.statement('INSERT INTO t7 VALUES (?, 0, ?, ?, ?)');
  return rows.map(([distance, length], at) => {
    const bytes = new Uint8Array(Float32Array.of(distance, 0).buffer);
    insert.run([at + 1, at + 1, 'x'.repeat(length), bytes]);
    return { label: at + 1, key: distance ** 2 };
  });
}

/** The ids of the best rows, and whether the result is sure. */
function find(hits: readonly Hit[], limit: number, maxBytes: number, areKeysExact = true) {
  const columns = [id, note].filter((column) => column !== undefined);
  const order = table.keyOrder;
  const page = { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
  const plan = { table, columns, filter: matchAll, order, page, form: 'values', search } as const;
  const statement = { ...unrankedRows({ plan, search }, limit + 4), readBigInts: false };
  const wanted = { limit, metric: search.metric, statement, maxBytes };
  const { best, isSure } = bestRows(database, query, wanted, { hits, areKeysExact });
  return { ids: best.rows.map(([, key]) => key), isCut: best.isCut, isSure };
}

const none = { ids: [], isCut: true, isSure: true };
const given = (...ids: readonly number[]) => ({ ids, isCut: false, isSure: true });

describe('the best of rows that are equally near', () => {
  it('are the first ones where all of them together have few bytes', () => {
    const hits = store([1, 100], [2, 100], [2, 100], [2, 100], [3, 100]);
    assert.deepEqual(find(hits, 3, 10_000), given(1, 2, 3));
  });

  it('are the first ones where only those have few enough bytes', () => {
    const hits = store([1, 1000], [2, 1000], [2, 1000], [2, 1000], [3, 10]);
    assert.deepEqual(find(hits, 3, 3100), given(1, 2, 3));
    assert.deepEqual(find(hits, 2, 2100), given(1, 2));
  });

  it('are not given where the first ones have too many bytes, whatever the others have', () => {
    const hits = store([1, 1000], [2, 1000], [2, 1000], [2, 10], [3, 10]);
    assert.deepEqual(find(hits, 3, 2900), none);
    assert.deepEqual(find(store([2, 3000], [2, 10], [2, 10]), 1, 2000), none);
  });

  it('leave the place of one that is gone to those behind it, as far as their bytes go', () => {
    const hits = store([1, 1000], [2, 1000], [2, 1000], [2, 1000], [3, 1000]);
    database.exec('DELETE FROM t7 WHERE row_id = 2');
    assert.deepEqual(find(hits, 3, 3100), given(1, 3, 4));
    assert.deepEqual(find(hits, 3, 2900), none);
  });

  it('are not sure where the rows are no longer as near as they were found', () => {
    const hits = store([1, 10], [2, 10], [2, 10]);
    database
      .statement('UPDATE t7 SET c3 = ? WHERE row_id = 2')
      .run([new Uint8Array(Float32Array.of(9, 0).buffer)]);
    assert.deepEqual(find(hits, 2, 10_000), given(1, 3));
    assert.deepEqual(find(hits, 3, 10_000), { ...given(1, 3, 2), isSure: false });
  });

  it('are any of those that were found where the keys are not exact', () => {
    const hits = store([4, 10], [3, 10], [1, 10], [2, 10]);
    assert.deepEqual(find(hits, 2, 10_000, false), given(3, 4));
    database.exec('DELETE FROM t7 WHERE row_id > 1');
    assert.deepEqual(find(hits, 2, 10_000, false), { ...given(1), isSure: false });
  });

  it('are any of those that were found, too, where only the best have few enough bytes', () => {
    const hits = store([4, 1000], [3, 1000], [1, 1000], [2, 1000]);
    assert.deepEqual(find(hits, 2, 2100, false), given(3, 4));
    assert.deepEqual(find(hits, 2, 1900, false), none);
    assert.deepEqual(find(store([2, 9000], [1, 10], [3, 9000]), 1, 1000, false), given(2));
  });
});
