// kill -9 in the middle of changes loses nothing that the operations service has answered for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';

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
