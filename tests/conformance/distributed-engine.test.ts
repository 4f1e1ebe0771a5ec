// What the callers of an engine do where it is a distributed store that loses nodes. The engine suite on it is long.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { runNativeQuery } from '../../src/data-service/native-query/run-native-query.js';
import { finishRead } from '../../src/data-service/query/read.js';
import { bodyText } from '../body-text.js';
import { dataRoutesOver } from '../data-routes.js';
import { openDistributedEngine } from './distributed-engine.js';
import {
  askingAgain,
  createTable,
  createTableNamed,
  insert,
  keyspace,
  makeKeyspace,
  readPlan,
} from './engine-steps.js';

const seed = 20_261_123;

describe('a distributed engine', () => {
  it('fails no statement where a node is lost now and then', async () => {
    for (let other = 1; other <= 20; other += 1) {
      const engine = openDistributedEngine(seed + other, { stepsWithoutLoss: 40 });
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

  it('reports writes whose answer is lost as such: each is sent once, and may be stored', async () => {
    const engine = openDistributedEngine(seed, { losesAnswers: true });
    await makeKeyspace(engine);
    await createTableNamed(engine, 't', { columns: { id: 'int' } });
    let writes = 0;
    const counted: Engine = {
      ...engine,
      insertRows: (plan) => {
        writes += 1;
        return engine.insertRows(plan);
      },
    };
    const routes = dataRoutesOver(counted);
    const send = async (command: object) => {
      const body = Buffer.from(JSON.stringify(command));
      const request = { method: 'POST', path: `/v1/${keyspace}/t`, query: '', remoteAddress: '127.0.0.1' };
      return bodyText(await routes.answer({ ...request, header: () => undefined, body }));
    };
    const seen = { stored: 0, lostStored: 0, lostNotStored: 0 };
    for (let id = 0; id < 200; id += 1) {
      const reply = await send({ insertOne: { document: { id } } });
      const isStored = (await send({ findOne: { filter: { id } } })).includes(`{"document":{"id":${id}}}`);
      if (!reply.includes('"errors"')) {
        assert.ok(isStored, reply);
        seen.stored += 1;
        continue;
      }
      assert.match(reply, /"scope":"DATABASE","errorCode":"TIMEOUT_WRITING_DATA"/);
      assert.match(reply, /it is not known whether it took effect: nodes did not answer in time/);
      seen[isStored ? 'lostStored' : 'lostNotStored'] += 1;
    }
    assert.equal(writes, 200);
    assert.ok(seen.stored > 150 && seen.lostStored > 0 && seen.lostNotStored > 0, JSON.stringify(seen));
  });

  it('reports a node that is lost between pages, among calls under way and in changes', async () => {
    const lost = { reads: 0, calls: 0, changes: 0 };
    const count = (kind: keyof typeof lost) => (error: unknown) => {
      assert.ok(error instanceof EngineError && error.kind === 'unavailable', String(error));
      lost[kind] += 1;
    };
    const engine = openDistributedEngine(seed, { stepsWithoutLoss: 20 });
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
        else await Promise.resolve(finishRead(plan, outcome.value)).catch(count('reads'));
      }
    }
    assert.ok(lost.reads > 0 && lost.calls > 0 && lost.changes > 0, JSON.stringify(lost));
  });
});
