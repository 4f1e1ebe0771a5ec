// The engine suite on an engine that behaves like a distributed store, and what its callers do where a node is lost.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { runNativeQuery } from '../../src/data-service/native-query/run-native-query.js';
import { describeEngine } from './describe-engine.js';
import { distributedDifferences } from './distributed-differences.js';
import { openDistributedEngine } from './distributed-engine.js';
import { makeKeyspace } from './engine-steps.js';

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
      const engine = openDistributedEngine(seed + other);
      await makeKeyspace(engine, 'k');
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
});

/** What a lost node refuses is asked again, as commands do it (`engine/plan-and-execute.ts`). */
function askingAgain(engine: Engine): Engine {
  const again = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof EngineError) || error.kind !== 'unavailable') throw error;
      }
    }
  };
  return {
    ...engine,
    readRows: (plan) => again(() => engine.readRows(plan)),
    insertRows: (plan) => again(() => engine.insertRows(plan)),
    changeRow: (plan) => again(() => engine.changeRow(plan)),
    deleteRows: (plan) => again(() => engine.deleteRows(plan)),
  };
}
