// Searches by words over all rows of a collection.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../errors/api-error.js';
import { matchAll } from '../../query/filter.js';
import type { ReadPlan, RowValues } from '../../query/read.js';
import { collectionColumns } from '../../schema/collection.js';
import { anyTextIndexOn } from '../../schema/table.js';
import { collectionNamed } from './documents/collection-layout.js';
import { readWords } from './word-reads.js';

const collection = collectionNamed({ id: 1, version: 1, keyspace: 'shop' }, 'people', {
  lexical: { analyzer: '"whitespace"' },
});
const { key, document, lexical } = collectionColumns(collection);
assert.ok(lexical);
const index = anyTextIndexOn(collection, lexical);
assert.ok(index);

/** The ids of the best of some rows, which the cluster gives in this order. */
async function bestOf(
  texts: readonly (string | null)[],
  tokens: readonly string[],
  limit = 10,
): Promise<readonly number[]> {
  const plan: ReadPlan = {
    table: collection,
    columns: [document],
    filter: matchAll,
    order: null,
    page: { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search: { kind: 'words', column: lexical ?? document, index: index ?? assert.fail(), tokens },
  };
  const { chunks, columns, applied } = await readWords(plan, plan.search as never, async (whole) => ({
    columns: whole.columns,
    order: null,
    applied: { filter: true, order: true },
    chunks: [texts.map((text, at) => valuesOf(whole, text, at))],
  }));
  assert.deepEqual(applied, { filter: true, order: true });
  const rows: RowValues[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows.map((row) => Number(row[columns.indexOf(document)]));
}

function valuesOf({ columns }: ReadPlan, text: string | null, at: number): RowValues {
  return columns.map((column) => {
    if (column === key) return Uint8Array.of(255 - at);
    return column === lexical ? text : String(at);
  });
}

describe('searches by words on a cluster', () => {
  it('give the rows that have all words, the best first, equally good ones by key', async () => {
    const texts = ['fox', 'fox bear fox', null, 'bear', 'fox', 'fox and many other words'];
    assert.deepEqual(await bestOf(texts, ['fox']), [4, 0, 1, 5]);
    assert.deepEqual(await bestOf(texts, ['fox'], 2), [4, 0]);
    assert.deepEqual(await bestOf(texts, ['bear', 'fox']), [1]);
    assert.deepEqual(await bestOf(texts, ['absent']), []);
    assert.deepEqual(await bestOf([], ['fox']), []);
  });

  it('are refused over more rows than the server looks at', async () => {
    const many = Array<string>(100_001).fill('fox');
    await assert.rejects(
      bestOf(many, ['fox']),
      (error) => error instanceof ApiError && error.code === 'TIMEOUT_READING_DATA',
    );
  });
});
