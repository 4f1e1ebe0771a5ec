// The check process among signals: what a terminal or a supervisor sends to all processes must not end a repair.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const module = new URL(
  '../../src/data-service/engine/embedded/maintenance/check-process.js',
  import.meta.url,
);

async function startCheckProcess(): Promise<ChildProcess> {
  const path = join(makeTemporaryDirectory(), 'data.db');
  const database = openDatabase({ path });
  database.exec('CREATE TABLE t (row_id INTEGER PRIMARY KEY)');
  database.close();
  const child = fork(module, [JSON.stringify({ path })], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

describe('the check process', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`continues after ${signal}, and ends when the server has ended`, async () => {
      const child = await startCheckProcess();
      const ended = once(child, 'exit');
      child.kill(signal);
      child.send({ kind: 'structure', table: 't' });
      const [reply] = await Promise.race([once(child, 'message'), ended]);
      assert.deepEqual(reply, { problems: [], last: null, rows: 0 });
      child.disconnect();
      assert.deepEqual(await ended, [0, null]);
    });
  }
});
