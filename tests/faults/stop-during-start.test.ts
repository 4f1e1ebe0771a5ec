// Signals while the data file is being prepared wait for that: its thread is in SQLite, where it cannot be ended.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import {
  colonnadePath,
  environmentOfTests,
  makeTemporaryDirectory,
  withServer,
} from '../acceptance/start-server.js';

/** Starts a server whose data file another connection has locked, until it waits for that file. */
async function startWaiting(...args: readonly string[]) {
  const dataDir = makeTemporaryDirectory();
  await withServer({ dataDir }, async () => {});
  const other = openDatabase({ path: join(dataDir, 'data.db') });
  other.exec('BEGIN IMMEDIATE');
  const all = [colonnadePath, 'serve', '--data-dir', dataDir, '--port', '0', '--ops-port', '0', ...args];
  const child = spawn(process.execPath, all, {
    env: environmentOfTests(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { log: '', printed: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.log += text;
  });
  const ended = once(child, 'exit');
  const logged = async (text: string) => {
    while (!output.log.includes(text) && child.exitCode === null && child.signalCode === null)
      await Promise.race([once(child.stderr, 'data'), ended]);
    assert.ok(output.log.includes(text), `${text} is not in ${output.log}`);
  };
  await logged('"starting"');
  const release = () => {
    other.exec('ROLLBACK');
    other.close();
  };
  return { child, output, ended, logged, release };
}

describe('a server that waits for its data file', () => {
  it('ends as on any stop when it is stopped, and prints no address', async () => {
    const { child, output, ended, logged, release } = await startWaiting();
    child.kill('SIGTERM');
    await logged('"stopping"');
    await sleep(200); // the thread waits for the file
    release();
    assert.deepEqual(await ended, [0, null], output.log);
    assert.equal(output.printed, '');
  });

  it('reads its users again behind the start when it is asked before', async () => {
    const config = join(makeTemporaryDirectory(), 'config.json');
    writeFileSync(config, '{}');
    const { child, output, ended, logged, release } = await startWaiting('--config', config);
    child.kill('SIGHUP');
    await sleep(200); // the signal is handled while the thread waits
    release();
    await logged('the users were read again');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], output.log);
    assert.match(output.printed, /Colonnade operations on http/);
  });
});
