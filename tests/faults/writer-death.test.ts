// A server whose writer thread ends unexpectedly exits immediately with the reason: it must not accept writes.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';
import { newSeed, seededRandom } from '../seeded-random.js';
import { DataClient } from './data-client.js';
import { checkLoad, createLoadTable, startLoad } from './kill-load.js';

const reasons = { throw: /the thread was made to fail/, exit: /ended with code 0/ };

describe('a writer thread that ends unexpectedly', () => {
  for (const [way, reason] of Object.entries(reasons)) {
    it(`by ${way} ends the process with the reason, and nothing acknowledged is lost`, async () => {
      const dataDir = makeTemporaryDirectory();
      const trigger = join(makeTemporaryDirectory(), 'now');
      const server = await startServer({
        dataDir,
        nodeArgs: ['--import', new URL('./end-thread.js', import.meta.url).href],
        environment: { END_THREAD_WHEN: trigger, END_THREAD_WITH: 'commitDelayMs' },
      });
      const client = new DataClient(server.url);
      try {
        await createLoadTable(client);
        const load = startLoad(client, 1, seededRandom(newSeed()), true);
        while (load.acknowledgedCount() < 50) await new Promise((resolve) => setTimeout(resolve, 5));
        // Whole at once: the thread must not see an empty file.
        writeFileSync(`${trigger}.new`, way);
        renameSync(`${trigger}.new`, trigger);
        assert.deepEqual(await server.ended, { code: 1, signal: null });
        await load.ended;
        assert.match(server.stderr(), reason);
        assert.match(server.stderr(), /"level":"fatal".*the storage stopped working; the process ends/);
        const next = await startServer({ dataDir });
        const nextClient = new DataClient(next.url);
        await checkLoad(nextClient, load).finally(() => next.stop());
        nextClient.close();
      } finally {
        client.close();
        server.signal('SIGKILL'); // a failed check must not leave it behind
      }
    });
  }
});
