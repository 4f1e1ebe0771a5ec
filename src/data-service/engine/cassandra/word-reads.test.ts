// Searches by words in a collection, whose rows come as terms would find them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../errors/api-error.js';
import { matchAll } from '../../query/filter.js';
import type { ReadOutcome, ReadPlan, RowValues } from '../../query/read.js';
import { collectionColumns } from '../../schema/collection.js';
import { anyTextIndexOn, type Column } from '../../schema/table.js';
import { collectionNamed } from './documents/collection-layout.js';
import { withoutTokens } from './schema/engine-state.js';
import { tokenColumn } from './statements/select-statements.js';
import { readWords } from './word-reads.js';
import { wordStatistics } from './word-statistics.js';

const collection = collectionNamed({ id: 1, version: 1, keyspace: 'shop' }, 'people', {
  lexical: { analyzer: '"whitespace"' },
});
const { key, document, lexical } = collectionColumns(collection);
assert.ok(lexical);
const index = anyTextIndexOn(collection, lexical);
assert.ok(index);

/** A search for some tokens. */
function planOf(tokens: readonly string[], limit: number) {
  const search = {
    kind: 'words',
    column: lexical ?? document,
    index: index ?? assert.fail(),
    tokens,
  } as const;
  const plan: ReadPlan = {
    table: collection,
    columns: [document],
    filter: matchAll,
    order: null,
    page: { after: null, limit, kind: 'single', maxBytes: Number.POSITIVE_INFINITY },
    form: 'values',
    search,
  };
  return { plan, search };
}

/** Reads all rows, as where terms do not help; the tokens of rows are spread evenly. `reads`: what is read. */
function reading(texts: readonly (string | null)[], reads: ReadPlan[] = []) {
  return async (plan: ReadPlan): Promise<ReadOutcome> => {
    reads.push(plan);
    const columns = [...new Set([...plan.columns, lexical ?? document])];
    const rows = texts.map((text, at) => columns.map((column) => valueIn(column, text, at, texts.length)));
    const chunks = [rows.slice(0, 2), rows.slice(2)];
    return { columns, order: null, applied: { filter: false, order: false }, chunks };
  };
}

function valueIn(column: Column, text: string | null, at: number, count: number): unknown {
  if (column === key) return Uint8Array.of(255 - at);
  if (column === tokenColumn) return -(2n ** 63n) + (BigInt(at + 1) * 2n ** 64n) / BigInt(count + 1);
  return column === lexical ? text : String(at);
}

/** The ids of the best of some rows, which the cluster gives in this order. */
async function bestOf(
  texts: readonly (string | null)[],
  tokens: readonly string[],
  limit = 10,
  reads: ReadPlan[] = [],
): Promise<readonly number[]> {
  const { plan, search } = planOf(tokens, limit);
  const { chunks, columns, applied } = await readWords(plan, search, reading(texts, reads));
  assert.deepEqual(applied, { filter: true, order: true });
  const rows: RowValues[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows.map((row) => Number(row[columns.indexOf(document)]));
}

describe('searches by words on a cluster', () => {
  it('give the rows that have all words, the best first, equally good ones by key', async () => {
    const texts = ['fox', 'fox bear fox', null, 'bear', 'fox', 'fox and many other words'];
    assert.deepEqual(await bestOf(texts, ['fox']), [4, 0, 1, 5]);
    assert.deepEqual(await bestOf(texts, ['fox'], 2), [4, 0]);
    assert.deepEqual(await bestOf(texts, ['fox'], 1), [4]);
    assert.deepEqual(await bestOf(texts, ['bear', 'fox']), [1]);
    assert.deepEqual(await bestOf(texts, ['absent']), []);
    assert.deepEqual(await bestOf([], ['fox']), []);
  });

  it('weigh words by all texts, and not where at most one row is found', async () => {
    const texts = ['fox bear bear', 'bear fox fox', 'bear', 'bear', null];
    const reads: ReadPlan[] = [];
    assert.deepEqual(await bestOf(texts, ['fox', 'bear'], 10, reads), [1, 0]);
    const searched = reads.map(({ search }) => (search?.kind === 'words' ? search.tokens : undefined));
    assert.deepEqual(searched, [['fox', 'bear'], [], ['fox'], ['bear']]);
    reads.length = 0;
    assert.deepEqual(await bestOf(['fox bear', 'bear'], ['fox', 'bear'], 10, reads), [0]);
    assert.equal(reads.length, 1);
  });

  it('are refused over more rows than the server looks at', async () => {
    const many = Array<string>(100_001).fill('fox');
    await assert.rejects(
      bestOf(many, ['fox']),
      (error) => error instanceof ApiError && error.code === 'TIMEOUT_READING_DATA',
    );
  });
});

describe('numbers of texts on a cluster', () => {
  const statisticsOf = (texts: readonly (string | null)[]) => {
    const { plan, search } = planOf(['fox', 'bear'], 10);
    return wordStatistics(plan, search, reading(texts));
  };

  it('are exact up to 1,000 texts', async () => {
    const texts = Array.from({ length: 2_000 }, (_, at) => [null, 'fox', null, 'bear fox'][at % 4] ?? null);
    assert.deepEqual(await statisticsOf(texts), { texts: 1_000, length: 1_500, rows: [1_000, 500] });
    assert.deepEqual(await statisticsOf([]), { texts: 0, length: 0, rows: [0, 0] });
  });

  it('are those of all texts where terms find none, with one read', async () => {
    const { plan, search } = planOf(['fox', 'bear'], 10);
    const texts = Array.from({ length: 3_000 }, (_, at) => (at % 3 === 0 ? 'bear fox' : 'fox'));
    const reads: ReadPlan[] = [];
    const table = { ...collection, engineState: withoutTokens };
    assert.deepEqual(await wordStatistics({ ...plan, table }, search, reading(texts, reads)), {
      texts: 3_000,
      length: 4_000,
      rows: [3_000, 1_000],
    });
    assert.equal(reads.length, 1);
  });

  it('are estimated for more by the first of them', async () => {
    const texts = Array.from({ length: 9_000 }, (_, at) => (at % 3 === 0 ? 'bear fox' : 'fox'));
    const { texts: all, length, rows } = await statisticsOf(texts);
    for (const [estimate, exact] of [
      [all, 9_000],
      [length, 12_000],
      [rows[0] ?? 0, 9_000],
      [rows[1] ?? 0, 3_000],
    ] as const)
      assert.ok(Math.abs(estimate / exact - 1) < 0.01, `${estimate} for ${exact}`);
  });
});
