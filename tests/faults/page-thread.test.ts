// Checks what becomes of pages that were handed over when the page thread cannot read them, with real ones.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { PageLane } from '../../src/data-service/engine/embedded/page-lane.js';
import type { PageText, WrittenPage } from '../../src/data-service/engine/embedded/written-page.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { DataClient } from './data-client.js';

describe('the page thread', { skip: availableParallelism() < 2 && 'one processor: nobody helps' }, () => {
  it('refuses a page of a table that is gone, and reads those beside it', async (test) => {
    const { ask } = await startLane(test);
    const [first, second, third] = await Promise.allSettled([
      ask(pageOf('numbers')),
      ask(pageOf('missing')),
      ask(pageOf('numbers')),
    ]);
    assert.deepEqual(first, {
      status: 'fulfilled',
      value: { text: '{"n":1},{"n":2}', count: 2, next: null },
    });
    assert.deepEqual(third, first);
    assert.ok(second?.status === 'rejected');
    assert.ok(second.reason instanceof EngineError && second.reason.kind === 'schemaChanged');
  });

  it('says so of a page that it has no statement for', async (test) => {
    const { ask } = await startLane(test);
    const { ranges, ...page } = pageOf('numbers');
    // What no code of ours makes.
    const broken = { ...page, ranges: ranges.map(({ values }) => ({ values })) } as unknown as WrittenPage;
    await assert.rejects(ask(broken), /a read failed in the page thread: /);
  });

  it('takes nothing over when it cannot be started', async () => {
    const ended = await new Promise<{ readonly lost: number; readonly error: Error }>((resolve) => {
      const path = join(newDataDirectory(), 'missing.db');
      const lane = new PageLane({ path, fewestWaiting: 1 }, (lost, error) =>
        resolve({ lost: lost.length, error }),
      );
      assert.equal(
        lane.take([{ page: pageOf('numbers'), resolve: unexpected, reject: unexpected }]).length,
        1,
      );
    });
    assert.equal(ended.lost, 0);
    assert.match(ended.error.message, /unable to open/);
  });

  for (const way of ['throw', 'exit']) {
    it(`leaves its pages to the main thread when it ends by ${way}`, async () => {
      const trigger = join(makeTemporaryDirectory(), 'now');
      const server = await startServer({
        nodeArgs: ['--import', new URL('./end-thread.js', import.meta.url).href],
        environment: { END_THREAD_WHEN: trigger, END_THREAD_WITH: 'cacheSizeBytes' },
      });
      const client = new DataClient(server.url, 64);
      try {
        const table = '/default_keyspace/rows';
        const definition = { columns: { id: 'int', n: 'int' }, primaryKey: 'id' };
        await client.mustSend('/default_keyspace', { createTable: { name: 'rows', definition } });
        const documents = Array.from({ length: 100 }, (_, id) => ({ id, n: id }));
        await client.mustSend(table, { insertMany: { documents } });
        writeFileSync(`${trigger}.new`, way);
        const find = async () => {
          const { data } = await client.mustSend(table, { find: { options: { limit: 20 } } });
          assert.equal(data?.documents?.length, 20);
        };
        for (let round = 0; !/the page thread ended|made to fail/.test(server.stderr()); round += 1) {
          if (round === 5) renameSync(`${trigger}.new`, trigger);
          await Promise.all(Array.from({ length: 200 }, find));
        }
        await Promise.all(Array.from({ length: 200 }, find));
        assert.match(server.stderr(), /"level":"warn".*a part of the storage does not work/);
        assert.deepEqual(await server.stop(), { code: 0, signal: null });
      } finally {
        client.close();
        server.signal('SIGKILL'); // a failed check must not leave it behind
      }
    });
  }
});

/** A lane whose thread is there, on a file with a table of two numbers. */
async function startLane(test: TestContext) {
  const path = join(newDataDirectory(), 'data.db');
  const database = openDatabase({ path });
  database.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2)');
  database.close();
  const lane = new PageLane({ path, fewestWaiting: 1 }, unexpected);
  test.after(() => lane.close());
  const ask = (page: WrittenPage) =>
    new Promise<PageText | undefined>((resolve, reject) => {
      const offer = () => {
        if (lane.take([{ page, resolve, reject }]).length > 0) setImmediate(offer); // it is not there yet
      };
      offer();
    });
  await ask(pageOf('numbers'));
  return { ask };
}

function pageOf(table: string): WrittenPage {
  const rows = `SELECT '{"n":' || n || '}' AS written FROM ${table} LIMIT ?`;
  const statement = {
    sql: `SELECT group_concat(written), count(*) FROM (${rows})`,
    form: { labels: ['"n":'], storedTypes: [] },
    end: { sql: '', readBigInts: false },
  };
  return { ranges: [{ statement, values: [] }], limit: 10, maxBytes: 1000, wantsNext: false };
}

function unexpected(): never {
  throw new Error('this was not to be called');
}
