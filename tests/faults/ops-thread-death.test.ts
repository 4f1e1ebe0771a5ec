// A server whose operations thread ends unexpectedly exits immediately with the reason: nothing would notify any more.
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, startServer } from '../acceptance/start-server.js';

const reasons = { throw: /the thread was made to fail/, exit: /ended with code 0/ };

describe('an operations thread that ends unexpectedly', () => {
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
