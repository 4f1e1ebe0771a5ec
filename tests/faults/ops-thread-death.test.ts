// A server whose operations thread ends unasked leaves at once and says why: nobody would judge or tell any more.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';

const reasons = { throw: /the thread was made to fail/, exit: /ended with code 0/ };

describe('an operations thread that ends unasked', () => {
  for (const [way, reason] of Object.entries(reasons)) {
    it(`by ${way} ends the process with the reason, and what was recorded is there again`, async () => {
      const dataDir = makeTemporaryDirectory();
      const trigger = join(makeTemporaryDirectory(), 'now');
      const server = await startServer({
        dataDir,
        nodeArgs: ['--import', new URL('./end-thread.js', import.meta.url).href],
        environment: { END_THREAD_WHEN: trigger, END_THREAD_WITH: 'opsDir' },
      });
      try {
        const before = await (await fetch(`${server.opsUrl}/local/events`)).text();
        // Whole at once: the thread must not see an empty file.
        writeFileSync(`${trigger}.new`, way);
        renameSync(`${trigger}.new`, trigger);
        assert.deepEqual(await server.ended, { code: 1, signal: null });
        assert.match(server.stderr(), reason);
        assert.match(server.stderr(), /"level":"fatal".*the operations service ended; the process ends/);
        const next = await startServer({ dataDir });
        const after = await (await fetch(`${next.opsUrl}/local/events`)).text();
        await next.stop();
        assert.deepEqual(JSON.parse(after).slice(1), JSON.parse(before));
      } finally {
        server.signal('SIGKILL'); // a failed check must not leave it behind
      }
    });
  }
});

describe('kill -9', () => {
  it('takes nothing of what the operations service has answered for', async () => {
    const dataDir = makeTemporaryDirectory();
    for (let round = 0; round < 3; round += 1) {
      const server = await startServer({ dataDir });
      const ids: string[] = [];
      const add = async (worker: number) => {
        for (let count = 0; ; count += 1) {
          const id = `c-${round}-${worker}-${count}`;
          const body = JSON.stringify({ id, cassandra: { seed_hosts: 'x' } });
          const reply = await fetch(`${server.opsUrl}/cluster-configs`, {
            method: 'POST',
            body,
            headers: json,
          });
          if (reply.status === 201) ids.push(id);
          await fetch(`${server.opsUrl}/cluster-configs/${id}`, { method: 'DELETE' });
        }
      };
      const workers = [1, 2, 3].map((worker) => add(worker).catch(() => {})); // they fail when the server is gone
      while (ids.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
      server.signal('SIGKILL');
      await Promise.all([server.ended, ...workers]);
      const next = await startServer({ dataDir });
      for (const id of ids.slice(-5)) {
        // The log of a cluster is read under its id: it is added again.
        const body = JSON.stringify({ id, cassandra: { seed_hosts: 'x' } });
        await fetch(`${next.opsUrl}/cluster-configs`, { method: 'POST', body, headers: json });
        const events = JSON.parse(await (await fetch(`${next.opsUrl}/${id}/events?count=100`)).text());
        const actions = events.map(({ action }: { action: number }) => action);
        assert.equal(actions.at(-1), 1030, `${id} has ${actions}`);
        const times = events.map(({ time }: { time: string }) => Number(time));
        assert.deepEqual(
          times,
          [...new Set(times)].sort((left, right) => Number(right) - Number(left)),
        );
      }
      await next.stop();
    }
  });
});

const json = { 'content-type': 'application/json' };
