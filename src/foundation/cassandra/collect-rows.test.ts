// How rows are collected: in which pages, and up to which limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectRows, TooManyRows } from './collect-rows.js';
import type { RowsPage } from './session.js';

/**
 * A result with rows of one text, which ends with its last row. As a node does with the LIMIT of a statement, a page
 * that has room for all rows has all of them, whatever the page state is.
 */
function resultOf(rowCount: number, length: number) {
  const asked: number[] = [];
  const ask = async (pageRows: number, page: string | null): Promise<RowsPage> => {
    asked.push(pageRows);
    const from = pageRows >= rowCount ? 0 : Number(page ?? 0);
    const to = Math.min(rowCount, from + pageRows);
    const rows = Array.from({ length: to - from }, (_, at) => [`${from + at}`.padEnd(length)]);
    return { columns: [{ name: 'a', type: 'text' }], rows, next: to < rowCount ? String(to) : null };
  };
  return { asked, ask };
}

const render = (type: string, value: unknown) =>
  `${type}:${String(value).trimEnd()}`.padEnd(String(value).length);

describe('collectRows', () => {
  it('gives all rows in their order, with values as texts', async () => {
    const { ask, asked } = resultOf(50, 1);
    const { columns, rows } = await collectRows(ask, render);
    assert.deepEqual(columns, [{ name: 'a', type: 'text' }]);
    assert.deepEqual(
      rows,
      Array.from({ length: 50 }, (_, at) => [`text:${at}`]),
    );
    assert.deepEqual(asked, [20, 20, 40]);
  });

  it('gives each row once, however many there are', async () => {
    for (let rowCount = 0; rowCount <= 1_000; rowCount += 1) {
      const { rows } = await collectRows(resultOf(rowCount, 1).ask, render);
      assert.deepEqual(
        rows.map(([text]) => text),
        Array.from({ length: rowCount }, (_, at) => `text:${at}`),
      );
    }
  });

  it('gives 1,000 rows, and refuses one more', async () => {
    assert.equal((await collectRows(resultOf(1_000, 1).ask, render)).rows.length, 1_000);
    const { ask, asked } = resultOf(1_000_000, 1);
    await assert.rejects(collectRows(ask, render), TooManyRows);
    assert.equal(
      asked.reduce((sum, rows) => sum + rows, 0),
      1_001,
    );
  });

  it('takes large rows in small pages, and refuses more than 16 MiB', async () => {
    const size = 128 * 1024;
    const { ask, asked } = resultOf(128, size);
    assert.equal((await collectRows(ask, render)).rows.length, 128);
    assert.ok(asked.slice(1).every((rows) => rows === 2));
    await assert.rejects(collectRows(resultOf(129, size).ask, render), TooManyRows);
  });
});
