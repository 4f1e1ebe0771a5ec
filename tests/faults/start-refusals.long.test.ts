// A start that cannot go well is refused with a message that names what is wrong, and exit code 1.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory, runColonnade, startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

describe('colonnade serve refuses', () => {
  it('a data file of a later release, and leaves it as it is', async () => {
    const dataDir = await makeDataDirectory();
    const path = join(dataDir, 'data.db');
    const database = openDatabase({ path });
    database.exec('PRAGMA user_version = 99');
    database.close();
    const before = readFileSync(path);
    await expectRefusal(dataDir, `${path} cannot be used: the data was written by a later release`);
    assert.ok(readFileSync(path).equals(before), 'the file was changed');
  });

  it('a data file that is not a database', async () => {
    const dataDir = await makeDataDirectory();
    const path = join(dataDir, 'data.db');
    writeFileSync(path, 'text '.repeat(2000));
    await expectRefusal(
      dataDir,
      `${path} cannot be used: file is not a database: restore a backup into a new directory`,
    );
  });

  it('a data file that lacks its end', async () => {
    const dataDir = await makeDataDirectory();
    const path = join(dataDir, 'data.db');
    writeFileSync(path, readFileSync(path).subarray(0, 4096));
    await expectRefusal(dataDir, `${path} cannot be used: database disk image is malformed`);
  });

  it('a key file of another size', async () => {
    const dataDir = await makeDataDirectory();
    const path = join(dataDir, 'page-state.key');
    for (const size of [0, 31, 33]) {
      writeFileSync(path, Buffer.alloc(size));
      await expectRefusal(dataDir, `${path} has ${size} bytes instead of 32; delete it`);
    }
  });

  it('a data file that is missing or empty beside what belongs to it, unless the loss is accepted', async () => {
    const companions = ['data.db-wal', 'page-state.key', 'key-store.enc', 'vectors/v1', 'ops/ops.db'];
    for (const [at, companion] of companions.entries()) {
      const dataDir = makeTemporaryDirectory();
      const path = join(dataDir, companion);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Buffer.alloc(32));
      if (at % 2 === 1) writeFileSync(join(dataDir, 'data.db'), '');
      const state = at % 2 === 1 ? 'empty' : 'missing';
      const named = companion === 'vectors/v1' ? dirname(path) : path;
      await expectRefusal(dataDir, `${join(dataDir, 'data.db')} is ${state}, but ${named} exists: `);
    }
    const dataDir = await makeDataDirectory();
    rmSync(join(dataDir, 'data.db'));
    await expectRefusal(dataDir, `${join(dataDir, 'data.db')} is missing, but `);
    const server = await startServer({ dataDir, args: ['--accept-data-loss=yes'] });
    assert.match(server.stderr(), /"level":"error".*data\.db is missing/);
    await server.stop();
    await (await startServer({ dataDir })).stop();
  });

  it('a write-ahead log that is damaged before its end, unless the loss is accepted', async () => {
    const dataDir = makeTemporaryDirectory();
    const server = await startServer({ dataDir });
    const client = new DataClient(server.url);
    const definition = { columns: { id: 'int', text: 'text' }, primaryKey: 'id' };
    await client.mustSend('/default_keyspace', { createTable: { name: 'rows', definition } });
    const path = '/default_keyspace/rows';
    for (let id = 0; id < 20; id += 1) await client.mustSend(path, { insertOne: { document: { id } } });
    server.signal('SIGKILL');
    await server.ended;
    client.close();
    const log = join(dataDir, 'data.db-wal');
    const sound = readFileSync(log);
    const damaged = Buffer.from(sound);
    damaged.fill(0, Math.floor(sound.length / 2), Math.floor(sound.length / 2) + 4096);
    writeFileSync(log, damaged);
    await expectRefusal(dataDir, `${log} is damaged at frame `);
    assert.ok(readFileSync(log).equals(damaged), 'the log was changed');
    writeFileSync(log, sound);
    await (await startServer({ dataDir })).stop();
    writeFileSync(log, damaged);
    const accepting = await startServer({ dataDir, args: ['--accept-data-loss', 'yes'] });
    assert.match(accepting.stderr(), /"level":"error".*data\.db-wal is damaged at frame \d+, byte \d+/);
    await accepting.stop();
  });

  it('a file of the operations service that cannot be used', async () => {
    const dataDir = await makeDataDirectory();
    const path = join(dataDir, 'ops', 'ops.db');
    writeFileSync(path, 'text '.repeat(2000));
    await expectRefusal(dataDir, `${path} cannot be used: file is not a database`);
    writeFileSync(`${path}-wal`, Buffer.alloc(32));
    writeFileSync(path, '');
    await expectRefusal(dataDir, `${path} is empty, but ${path}-wal exists: `);
  });

  it('a data directory that is a file, or below one', async () => {
    const dataDir = join(makeTemporaryDirectory(), 'file');
    writeFileSync(dataDir, 'mine');
    for (const path of [dataDir, join(dataDir, 'below')])
      await expectRefusal(path, `the data directory ${path} cannot be created: `);
    assert.equal(readFileSync(dataDir, 'utf8'), 'mine');
  });

  it('a lock file that is something else', async () => {
    const dataDir = makeTemporaryDirectory();
    mkdirSync(join(dataDir, 'lock.db'));
    await expectRefusal(dataDir, `the data directory ${dataDir} cannot be used: lock.db: `);
  });

  it('a data directory that it may not write', async (t) => {
    const dataDir = makeTemporaryDirectory();
    const isRoot = process.getuid?.() === 0;
    // Permissions do not bind root, a file system that is mounted to be read only does.
    if (!isRoot) chmodSync(dataDir, 0o500);
    else if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', dataDir]).status !== 0) {
      t.skip('root may write everywhere and may not mount here');
      return;
    }
    try {
      const stderr = await expectRefusal(dataDir, `the data directory ${dataDir} cannot be used: lock.db: `);
      assert.match(
        stderr,
        /\((EACCES|EROFS): the server may not write there; make the directory writable for the user/,
      );
    } finally {
      if (isRoot) spawnSync('umount', [dataDir]);
      else chmodSync(dataDir, 0o700);
    }
  });
});

/** A directory that a server has used. */
async function makeDataDirectory(): Promise<string> {
  const dataDir = makeTemporaryDirectory();
  const server = await startServer({ dataDir });
  await server.stop();
  return dataDir;
}

async function expectRefusal(dataDir: string, message: string): Promise<string> {
  // Without the entry of the log that says what is being started.
  const quiet = ['--port=0', '--ops-port=0', '--log-level=warn'];
  const run = await runColonnade(['serve', '--data-dir', dataDir, ...quiet]);
  assert.equal(run.code, 1, run.stderr);
  assert.equal(run.stdout, '');
  assert.ok(run.stderr.startsWith(`colonnade: ${message}`), run.stderr);
  assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr);
  return run.stderr;
}
