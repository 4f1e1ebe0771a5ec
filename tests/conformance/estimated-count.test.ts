// The number of rows, on an engine that counts them and on one that has to read them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateCount } from '../../src/data-service/commands/estimated-row-count.js';
import { openDistributedEngine } from './distributed-engine.js';
import { createTable, insert } from './engine-steps.js';

describe('the estimated number of rows', () => {
  it('is counted up to 1,000 where rows must be read to count them', async () => {
    const engine = openDistributedEngine(20_261_128);
    const table = await createTable(engine, { columns: { p: 'int', c: 'int' }, clustering: { c: 1 } });
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `{"p":${(from + at) % 7},"c":${from + at}}`);
    assert.deepEqual(await estimateCount(table, {}, engine), { count: 0, hasMore: false });
    await insert(engine, table, ...rows(0, 1000));
    assert.deepEqual(await estimateCount(table, {}, engine), { count: 1000, hasMore: false });
    await insert(engine, table, ...rows(1000, 1001));
    assert.deepEqual(await estimateCount(table, {}, engine), { count: 1000, hasMore: true });
  });
});
