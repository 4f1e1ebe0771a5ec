// The engine suite on an engine that behaves like a distributed store, and what its callers do where a node is lost.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { runNativeQuery } from '../../src/data-service/native-query/run-native-query.js';
import { finishRead } from '../../src/data-service/query/read.js';
import { describeEngine } from './describe-engine.js';
import { distributedDifferences } from './distributed-differences.js';
import { openDistributedEngine } from './distributed-engine.js';
import { askAsCommandsDo, createTable, insert, makeKeyspace, readPlan } from './engine-steps.js';

const seed = 20_261_123;

describeEngine(
  'distributed',
  async () => askingAgain(openDistributedEngine(seed)),
  {},
  distributedDifferences,
);

describe('a distributed engine', () => {
  it('fails no statement where a node is lost now and then', async () => {
    for (let other = 1; other <= 20; other += 1) {
      const engine = openDistributedEngine(seed + other, 40);
      await makeKeyspace(askingAgain(engine), 'k');
      await runNativeQuery(engine, 'CREATE TABLE k.t (p int, c int, PRIMARY KEY (p, c))');
      for (let c = 0; c < 20; c += 1) await runNativeQuery(engine, `INSERT INTO k.t (p, c) VALUES (1, ${c})`);
      const { rows } = await runNativeQuery(engine, 'SELECT c FROM k.t WHERE p = 1');
      assert.deepEqual(
        rows.map(([c]) => Number(c)),
        Array.from({ length: 20 }, (_, c) => c),
        `seed ${seed + other}`,
      );
    }
  });

  it('reports a node that is lost between pages, among calls under way and in changes', async () => {
    const lost = { reads: 0, calls: 0, changes: 0 };
    const count = (kind: keyof typeof lost) => (error: unknown) => {
      assert.ok(error instanceof EngineError && error.kind === 'unavailable', String(error));
      lost[kind] += 1;
    };
    const engine = openDistributedEngine(seed, 20);
    const table = await createTable(askingAgain(engine), {
      columns: { p: 'int', c: 'int' },
      clustering: { c: 1 },
    });
    await insert(askingAgain(engine), table, ...Array.from({ length: 300 }, (_, c) => `{"p":1,"c":${c}}`));
    for (let turn = 0; turn < 300; turn += 1) {
      await engine.changeSchema({ kind: 'dropKeyspace', name: 'none' }).catch(count('changes'));
      const plan = readPlan(table);
      const outcomes = await Promise.allSettled([engine.readRows(plan), engine.readRows(plan)]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') count('calls')(outcome.reason);
        else await finishRead(plan, outcome.value).catch(count('reads'));
      }
    }
    assert.ok(lost.reads > 0 && lost.calls > 0 && lost.changes > 0, JSON.stringify(lost));
  });
});

/** What a lost node refuses is asked again, as commands do it. Cases finish their reads with `finishedRead`. */
function askingAgain(engine: Engine): Engine {
  const again = <Result>(ask: () => Promise<Result>) => askAsCommandsDo(engine, ask);
  return {
    ...engine,
    changeSchema: (change) => again(() => engine.changeSchema(change)),
    insertRows: (plan) => again(() => engine.insertRows(plan)),
    changeRow: (plan) => again(() => engine.changeRow(plan)),
    deleteRows: (plan) => again(() => engine.deleteRows(plan)),
  };
}
