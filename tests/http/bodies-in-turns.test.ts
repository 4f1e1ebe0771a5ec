// Bodies that take the thread of all requests some milliseconds wait for a turn, each for its own.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { DataRoutes } from '../../src/data-service/http/routes.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { dataRoutesOver } from '../data-routes.js';

describe('bodies of more than 2 KiB', () => {
  let engine: Engine;
  before(async () => {
    engine = checkedEngine(await openEmbedded(newDataDirectory()));
  });
  after(() => engine.close());

  /** Routes whose long work waits until one of the `turns` is called. */
  function routesWith(turns: (() => void)[]): DataRoutes {
    return dataRoutesOver(engine, {
      largeRequests: { answer: () => Promise.reject(new Error('none of the bodies is large')) },
      runInTurn: (work) => new Promise((resolve) => turns.push(() => resolve(work()))),
    });
  }

  const head = { method: 'POST', path: '/v1', query: '', remoteAddress: '', header: () => undefined };

  it('wait for a turn, each for its own; smaller ones do not', async () => {
    const turns: (() => void)[] = [];
    const { answer } = routesWith(turns);
    const answered: number[] = [];
    const ask = async (length: number, id: number) => {
      const body = Buffer.from('{"findKeyspaces":{}}'.padEnd(length));
      const { status } = await answer({ ...head, body });
      assert.equal(status, 200);
      answered.push(id);
    };
    const limit = 2 * 1024;
    const large = [1, 2, 3].map((id) => ask(limit + 1, id));
    const small = ask(limit, 0);
    assert.equal(turns.length, 3);
    await small;
    for (const [at, waiting] of large.entries()) {
      await nextTurn();
      assert.equal(answered.length, at + 1, 'the others wait for their turns');
      turns[at]?.();
      await waiting;
    }
    assert.deepEqual(answered, [0, 1, 2, 3]);
  });

  it('are not alone: a small body of insertMany waits too, for its reply may be large', async () => {
    const turns: (() => void)[] = [];
    const body = Buffer.from(JSON.stringify({ insertMany: { documents: [{ id: 1 }] } }));
    const reply = routesWith(turns).answer({ ...head, path: '/v1/default_keyspace/rows', body });
    assert.equal(turns.length, 1);
    turns[0]?.();
    assert.equal((await reply).status, 200);
  });
});

describe('bodies with long numbers', () => {
  let engine: Engine;
  before(async () => {
    engine = checkedEngine(await openEmbedded(newDataDirectory()));
  });
  after(() => engine.close());

  it('are large requests if their digits are more than those of the largest number', async () => {
    const large: string[] = [];
    const { answer } = dataRoutesOver(engine, {
      largeRequests: {
        answer: async ({ body }) => {
          large.push(body.toString());
          return { command: 'find', kind: 'read', errors: [], httpStatus: 200, bytes: Buffer.from('{}') };
        },
      },
    });
    const ask = (numbers: string) => {
      const body = Buffer.from(`{"find":{"filter":{"v":{"$in":[${numbers}]}}}}`);
      const path = '/v1/default_keyspace/rows';
      return answer({ method: 'POST', path, query: '', remoteAddress: '', header: () => undefined, body });
    };
    await ask('1e199999, 1e2000001');
    await ask('1e100000, 1E+100000, 1e-99');
    assert.deepEqual(large, []);
    await ask('1e100000, 1E+100000, 1e1000');
    await ask('1e199999, 1e-199999');
    assert.equal(large.length, 2);
  });
});
