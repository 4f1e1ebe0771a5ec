// A first server is killed under load, and the server that follows it becomes the first: it has every write that was
// acknowledged a while before, and writes to the archive. A third server follows it in turn.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  makeTemporaryDirectory,
  type RunningServer,
  runColonnade,
  startServer,
} from '../acceptance/start-server.js';
import { ask, must, until } from './follower-steps.js';

const batch = 20;

describe('a server that is promoted', () => {
  const directory = makeTemporaryDirectory();
  const archive = join(directory, 'archive');
  const running: RunningServer[] = [];
  const start = async (name: string, ...args: readonly string[]) => {
    const server = await startServer({ dataDir: join(directory, name), args });
    running.push(server);
    return server;
  };
  after(async () => {
    for (const server of running) {
      server.signal('SIGKILL');
      await server.ended;
    }
  });

  it('has what the killed server had, writes, and is followed by others', async () => {
    const first = await start('first', '--archive', archive, '--archive-lease', '2');
    await must(first.url, '', { createKeyspace: { name: 'k' } });
    const definition = { columns: { id: 'int', batch: 'int' }, primaryKey: 'id' };
    await must(first.url, '/k', { createTable: { name: 't', definition } });
    await must(first.url, '/k/t', { createIndex: { name: 'i', definition: { column: 'batch' } } });
    const second = await start('second', '--follow', archive);

    const load = new Load(first);
    await until(async () => (await countOf(second, load.acknowledged)) > 10 * batch);
    // A kill of the follower at any place leaves whole commits, and it continues.
    second.signal('SIGKILL');
    await second.ended;
    const config = join(directory, 'config.json');
    writeFileSync(config, '{}');
    const again = await start('second', '--follow', archive, '--config', config);
    await until(async () => (await countOf(again, load.acknowledged)) > 30 * batch);

    const refused = await runColonnade(['promote', '--ops-url', again.opsUrl]);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /^colonnade: .* continues to write when it cannot reach the archive/);
    const renewed = await runColonnade(['promote', '--force', '--ops-url', again.opsUrl]);
    assert.equal(renewed.code, 1, renewed.stderr);
    assert.match(renewed.stderr, /renews its lease of the archive: stop it first/);

    const shipped = load.acknowledged;
    await until(async () => (await countOf(again, shipped)) >= shipped * batch);
    first.signal('SIGKILL');
    await first.ended;
    await load.ended;
    await until(async () => {
      const health = await (await fetch(`${again.url}/health/ready`)).text();
      return /has stopped renewing its lease .*: colonnade promote --force replaces it when/.test(health);
    });
    const promoted = await runColonnade(['promote', '--force', '--ops-url', again.opsUrl]);
    assert.equal(promoted.code, 0, promoted.stderr);
    const rows = await countOf(again, load.sent);
    assert.ok(rows >= shipped * batch && rows % batch === 0, `${rows} of ${shipped * batch}`);
    await must(again.url, '/k/t', { insertOne: { document: { id: -1, batch: -1 } } });

    // Signals reach the parts that were opened last.
    again.signal('SIGHUP');
    await until(async () => /the users (were|could not be) read again/.test(again.stderr()));
    assert.match(again.stderr(), /the users were read again/);

    // A new generation, which a server that followed the old one uses as well.
    const third = await start('third', '--follow', archive);
    const hasRow = async () =>
      (await ask(third.url, '/k/t', { findOne: { filter: { id: -1 } } })).data?.document?.['batch'] === -1;
    await until(hasRow);
    assert.equal(await countOf(third, load.sent), rows);

    // The same command line starts the promoted server as the first one.
    await again.stop();
    const restarted = await start('second', '--follow', archive);
    await must(restarted.url, '/k/t', { insertOne: { document: { id: -2, batch: -2 } } });
    await until(
      async () => (await ask(third.url, '/k/t', { findOne: { filter: { id: -2 } } })).data?.document != null,
    );
  });

  it('is one of two that are asked at once; the other follows as before', async () => {
    const store = join(directory, 'archive-of-two');
    const takeover = ['--archive-takeover', 'yes', '--archive-lease', '2'];
    const user = ['--ops-user', 'ada', '--ops-password', 'right-horse'];
    const first = await start('of-two', '--archive', store, ...takeover);
    await must(first.url, '', { createKeyspace: { name: 'k' } });
    const definition = { columns: { id: 'int' }, primaryKey: 'id' };
    await must(first.url, '/k', { createTable: { name: 't', definition } });
    await must(first.url, '/k/t', { insertOne: { document: { id: 1 } } });
    const followers = await Promise.all(
      ['two-1', 'two-2'].map((name) => start(name, '--follow', store, ...takeover, ...user)),
    );
    const hasRow = async ({ url }: RunningServer, id: number) =>
      (await ask(url, '/k/t', { findOne: { filter: { id } } })).data?.document != null;
    for (const follower of followers) await until(() => hasRow(follower, 1));
    first.signal('SIGKILL');
    await first.ended;
    const runs = await Promise.all(
      followers.map(async ({ opsUrl }) =>
        // The session ends with the promotion.
        runColonnade(['promote', '--ops-url', opsUrl, '--session', await sessionOf(opsUrl)]),
      ),
    );
    const codes = runs.map(({ code }) => code);
    assert.deepEqual(codes.toSorted(), [0, 1], runs.map(({ stderr }) => stderr).join(''));
    const [promoted, other] = codes[0] === 0 ? followers : followers.toReversed();
    assert.ok(promoted !== undefined && other !== undefined);
    await must(promoted.url, '/k/t', { insertOne: { document: { id: 2 } } });
    // While it opens the data of the new generation, it answers nothing.
    await until(() => hasRow(other, 2).catch(() => false));
  });
});

/** A new session of the user of a follower. */
async function sessionOf(opsUrl: string): Promise<string> {
  const reply = await fetch(`${opsUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"username":"ada","password":"right-horse"}',
  });
  return ((await reply.json()) as { readonly sessionid: string }).sessionid; // the server wrote it
}

/** Inserts batches of rows, each as one commit, until the server ends. */
class Load {
  acknowledged = 0;
  sent = 0;
  readonly ended: Promise<void>;

  constructor({ url }: RunningServer) {
    this.ended = this.#run(url);
  }

  async #run(url: string): Promise<void> {
    for (;;) {
      const documents = Array.from({ length: batch }, (_, at) => ({
        id: this.sent * batch + at,
        batch: this.sent,
      }));
      this.sent += 1;
      try {
        await must(url, '/k/t', { insertMany: { documents } });
      } catch {
        return; // the server ended
      }
      this.acknowledged += 1;
    }
  }
}

/** The rows of the first batches. A batch is there as a whole or not at all, and no earlier one is missing. */
async function countOf(server: RunningServer, batches: number): Promise<number> {
  let rows = 0;
  let isOver = false;
  for (let at = 0; at < batches; at += 1) {
    const reply = await ask(server.url, '/k/t', {
      find: { filter: { batch: at }, options: { limit: batch } },
    });
    const found = reply.data?.documents?.length ?? 0;
    assert.ok(found === 0 || found === batch, `a batch has ${found} rows`);
    // A later look may see more, but never less.
    if (found === 0) isOver = true;
    else if (!isOver) rows += found;
    if (isOver) break;
  }
  return rows;
}
