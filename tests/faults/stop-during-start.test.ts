// A stop while the data file is being prepared waits for that: its thread is in SQLite, where it cannot be ended.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import {
  colonnadePath,
  environmentOfTests,
  makeTemporaryDirectory,
  withServer,
} from '../acceptance/start-server.js';

it('a server that is stopped while it waits for its data file ends as on any stop', async () => {
  const dataDir = makeTemporaryDirectory();
  await withServer({ dataDir }, async () => {});
  const other = openDatabase({ path: join(dataDir, 'data.db') });
  other.exec('BEGIN IMMEDIATE');
  const args = [colonnadePath, 'serve', '--data-dir', dataDir, '--port', '0', '--ops-port', '0'];
  const child = spawn(process.execPath, args, {
    env: environmentOfTests(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'exit');
  while (!log.includes('"starting"')) await Promise.race([once(child.stderr, 'data'), ended]);
  child.kill('SIGTERM');
  while (!log.includes('"stopping"')) await Promise.race([once(child.stderr, 'data'), ended]);
  await sleep(200); // the thread waits for the file
  other.exec('ROLLBACK');
  other.close();
  assert.deepEqual(await ended, [0, null], log);
});
