// Reads of more bytes than their thread may take are refused as large, whichever way they are carried out.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { HostingEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { finishRead, type ReadPlan } from '../../src/data-service/query/read.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { createTable, insert, makeKeyspace, readPlan } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

const mostBytesOfRead = 1000;

describe('an engine whose thread takes few bytes', () => {
  let engine: HostingEngine;
  let table: Table;
  before(async () => {
    engine = await openEmbedded(newDataDirectory(), { mostBytesOfRead });
    await makeKeyspace(engine);
    table = await createTable(engine, {
      columns: { p: 'int', c: 'int', note: 'text', v: 'vector<float,2>' },
      partitionKey: ['p'],
      clustering: { c: 1 },
    });
    const rowOf = (p: number, c: number, length: number) =>
      `{"p":${p},"c":${c},"note":"${'x'.repeat(length)}","v":[${p},${c}]}`;
    const few = Array.from({ length: 20 }, (_, c) => rowOf(1, c, 10));
    const large = [
      rowOf(2, 0, mostBytesOfRead + 1),
      ...Array.from({ length: 9 }, (_, c) => rowOf(3, c, 200)),
    ];
    await insert(engine, table, ...few, ...large);
  });
  after(() => engine.close());

  const read = async (plan: ReadPlan) => {
    const result = await finishRead(plan, await engine.readRows(plan));
    return result.written?.count ?? result.rows.length;
  };
  const ways: readonly (readonly [
    way: string,
    small: string,
    large: string,
    changes: Partial<ReadPlan>,
    columns: readonly string[],
  ])[] = [
    ['a row in writing', '{"p":1,"c":0}', '{"p":2,"c":0}', { form: 'text' }, ['p', 'note']],
    ['a row as values', '{"p":1,"c":0}', '{"p":2,"c":0}', {}, ['p', 'note', 'v']],
    ['a page in writing', '{"p":1}', '{"p":3}', { form: 'text' }, ['p', 'note']],
    ['a page of one large row', '{"p":1}', '{"p":2}', { form: 'text' }, ['p', 'note']],
    ['a page as values', '{"p":1}', '{"p":3}', {}, ['p', 'note', 'v']],
    ['a scan', '{"note":"xxxxxxxxxx"}', '{"note":{"$ne":"xxxxxxxxxx"}}', {}, ['p', 'note']],
    ['stretches', '{"$or":[{"p":1},{"p":4}]}', '{"$or":[{"p":2},{"p":4}]}', {}, ['p', 'note']],
  ];
  for (const [way, small, large, changes, columns] of ways) {
    it(`reads ${way} of few bytes, and refuses one of many`, async () => {
      const shown = table.columns.filter(({ name }) => columns.includes(name));
      const planOf = (filter: string) => ({ ...readPlan(table, filter), columns: shown, ...changes });
      assert.ok((await read(planOf(small))) > 0);
      await assert.rejects(
        read(planOf(large)),
        (error) => error instanceof EngineError && error.kind === 'large',
      );
    });
  }

  it('searches rows of few bytes, and refuses those of many', async () => {
    const column = table.columnsByName.get('v');
    assert.ok(column !== undefined);
    const search = { kind: 'vector', column, metric: 'euclidean', query: Float32Array.of(1, 10) } as const;
    const planOf = (limit: number) => readPlan(table, '{}', { search, limit });
    assert.equal(await read(planOf(3)), 3);
    await assert.rejects(read(planOf(25)), (error) => error instanceof EngineError && error.kind === 'large');
  });
});
