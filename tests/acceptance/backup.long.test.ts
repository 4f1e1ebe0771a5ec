// Backups beside writers, and kills in the middle of `colonnade backup` and `colonnade restore`.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { begin, createTable, insertAll, move, newExportDirectory, rowsOf, send } from './between-servers.js';
import { makeTemporaryDirectory, type RunningServer, startServer, withServer } from './start-server.js';

const writers = 8;
const text = 'x'.repeat(4000);

describe('backups of a busy server', () => {
  let server: RunningServer;

  before(async () => {
    server = await startServer();
    const primaryKey = { partitionBy: ['writer'], partitionSort: { n: 1 } };
    await createTable(server.url, '/default_keyspace', 'log', {
      columns: { writer: 'int', n: 'int', text: 'text' },
      primaryKey,
    });
    await send(server.url, '/default_keyspace', '{"createCollection":{"name":"docs"}}');
    const rows = Array.from({ length: 6_000 }, (_, n) => `{"writer":99,"n":${n},"text":"${text}"}`);
    await insertAll(server.url, '/default_keyspace/log', rows);
  });
  after(() => server.stop());

  async function expectBeginnings(directory: string, least: readonly number[]): Promise<void> {
    const dataDir = join(makeTemporaryDirectory(), 'data');
    await move(['restore', directory, '--data-dir', dataDir]);
    await move(['check', '--data-dir', dataDir]);
    await withServer({ dataDir }, async ({ url }) => {
      const [log, docs] = ['/default_keyspace/log', '/default_keyspace/docs'];
      assert.equal(await rowsOf(url, log, '{"writer":99}'), await rowsOf(server.url, log, '{"writer":99}'));
      for (const [writer, fewest] of least.entries()) {
        const filter = `{"writer":${writer}}`;
        const rows = numbersIn(await rowsOf(url, log, filter));
        assert.deepEqual(rows, upTo(rows.length), 'a write is missing before a later one');
        assert.ok(rows.length >= fewest, `${rows.length} of ${fewest} acknowledged rows`);
        const documents = numbersIn(await rowsOf(url, docs, filter)).sort((left, right) => left - right);
        assert.deepEqual(documents, upTo(documents.length));
        assert.ok(documents.length >= fewest && rows.length - documents.length <= 1, 'states of two moments');
      }
    });
  }

  it('contain every write that was acknowledged before, and of later ones a beginning', async () => {
    const acknowledged = Array.from({ length: writers }, () => 0);
    let isOver = false;
    const writing = acknowledged.map(async (_, writer) => {
      while (!isOver) {
        const n = (acknowledged[writer] ?? 0) + 1;
        await send(
          server.url,
          '/default_keyspace/log',
          `{"insertOne":{"document":{"writer":${writer},"n":${n}}}}`,
        );
        await send(
          server.url,
          '/default_keyspace/docs',
          `{"insertOne":{"document":{"_id":"${writer}-${n}","writer":${writer},"n":${n}}}}`,
        );
        acknowledged[writer] = n;
        // A backup rests beside a server: without a pause there would be more to check the longer it takes.
        await delay(20);
      }
    });
    const backups: { readonly directory: string; readonly before: readonly number[] }[] = [];
    for (let count = 0; count < 3; count += 1) {
      await delay(200);
      const directory = newExportDirectory();
      backups.push({ directory, before: [...acknowledged] });
      await move(['backup', directory, '--data-dir', server.dataDir]);
    }
    isOver = true;
    await Promise.all(writing);
    for (const { directory, before: least } of backups) await expectBeginnings(directory, least);
  });

  it('are complete or absent after a kill at any time, and the next one succeeds', async () => {
    const directory = newExportDirectory();
    for (let round = 0; round < 12 && !existsSync(directory); round += 1) {
      const { child, ended } = begin(['backup', directory, '--data-dir', server.dataDir]);
      await delay(60 + round * 50);
      child.kill('SIGKILL');
      await ended;
      if (existsSync(directory)) await move(['check', directory]);
    }
    if (!existsSync(directory)) await move(['backup', directory, '--data-dir', server.dataDir]);
    assert.ok(!existsSync(`${directory}.unfinished`));
    const dataDir = join(makeTemporaryDirectory(), 'data');
    for (let round = 0; round < 12; round += 1) {
      const { child, ended } = begin(['restore', directory, '--data-dir', dataDir]);
      await delay(60 + round * 40);
      child.kill('SIGKILL');
      if ((await ended) === 0) break;
      if (existsSync(join(dataDir, 'restore-unfinished')))
        await move(['serve', '--data-dir', dataDir, '--port', '0', '--ops-port', '0'], 1);
      else if (existsSync(join(dataDir, 'data.db'))) break;
    }
    if (!existsSync(join(dataDir, 'data.db'))) await move(['restore', directory, '--data-dir', dataDir]);
    assert.ok(!readdirSync(dataDir).includes('restore-unfinished'));
    await move(['check', '--data-dir', dataDir]);
  });

  it('leave nothing after Ctrl-C', async () => {
    const directory = newExportDirectory();
    const { child, ended } = begin(['backup', directory, '--data-dir', server.dataDir]);
    while (!existsSync(`${directory}.unfinished`)) await delay(5);
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.ok(!existsSync(directory) && !existsSync(`${directory}.unfinished`));
  });
});

function numbersIn(rows: string): number[] {
  return [...rows.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}
