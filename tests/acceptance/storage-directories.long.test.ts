// Which files `colonnade backup`, `restore` and `check` take for those of a server, by their options.
import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { lockDataDirectory } from '../../src/foundation/sqlite/lock-data-directory.js';
import { move } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { makeTemporaryDirectory, runColonnade, startServer } from './start-server.js';

const noOps =
  /warning: there is no .+ops\.db, so this backup has no operations data: if the server has an --ops-dir/;
describe('the directories of a server with an --ops-dir', () => {
  const parent = makeTemporaryDirectory();
  const [dataDir, opsDir] = [join(parent, 'data'), join(parent, 'ops')];
  const backup = join(parent, 'backup');
  /** Such a configuration is refused where ports are opened: its token is in another file. */
  const config = join(parent, 'config.json');
  let freeDirectory = 0;
  const newDirectory = () => {
    freeDirectory += 1;
    return join(parent, `new-${freeDirectory}`);
  };

  before(async () => {
    const server = await startServer({ dataDir, args: ['--ops-dir', opsDir] });
    await createNotes(server.url, 'default_keyspace');
    await server.stop();
    writeFileSync(config, JSON.stringify({ host: '0.0.0.0', opsHost: '0.0.0.0', dataDir, opsDir }));
    await move(['backup', backup, '--data-dir', dataDir, '--ops-dir', opsDir]);
  });
  after(() => rmSync(parent, { recursive: true }));

  it('are backed up with a config file that names hosts, and not the token', async () => {
    const target = newDirectory();
    const { stderr } = await move(['backup', target, '--config', config]);
    assert.doesNotMatch(stderr, /warning/);
    assert.ok(existsSync(join(target, 'ops', 'ops.db')));
    assert.match((await move(['check', '--config', config])).stdout, /no damage found/);
    assert.match((await move(['serve', '--config', config], 2)).stderr, /there is no --token/);
  });

  it('are backed up without operations data with a warning, as is the restore', async () => {
    const target = newDirectory();
    const made = await move(['backup', target, '--data-dir', dataDir, '--json']);
    assert.match(made.stderr, noOps);
    assert.match(JSON.parse(made.stdout).problems.join(), noOps);
    const restored = await move(['restore', target, '--data-dir', newDirectory()]);
    assert.match(restored.stderr, /warning: the backup has no operations data/);
  });

  it('are both checked when the data directory is an argument', async () => {
    const damaged = newDirectory();
    cpSync(opsDir, damaged, { recursive: true });
    const file = openSync(join(damaged, 'ops.db'), 'r+');
    writeSync(file, 'damage', 4096 + 2000);
    closeSync(file);
    const { stderr } = await move(['check', dataDir, '--ops-dir', damaged], 1);
    assert.match(stderr, /ops\.db is not as the server wrote it/);
    assert.match((await move(['check', dataDir, '--ops-dir', opsDir])).stdout, /no damage found/);
    for (const args of [
      [dataDir, '--data-dir', dataDir],
      [backup, '--ops-dir', opsDir],
    ])
      assert.match((await move(['check', ...args], 2)).stderr, /not both|leave --ops-dir out/);
  });

  it('stay as they are when a restore to another data directory was interrupted', async () => {
    const [interrupted, inUse] = [newDirectory(), newDirectory()];
    mkdirSync(join(interrupted, 'restore-unfinished'), { recursive: true });
    cpSync(opsDir, inUse, { recursive: true });
    const args = ['restore', backup, '--data-dir', interrupted, '--ops-dir', inUse];
    assert.match((await move(args, 1)).stderr, /is not empty \(ops\.db\)/);
    assert.ok(existsSync(join(inUse, 'ops.db')));

    const empty = newDirectory();
    mkdirSync(empty);
    const lock = lockDataDirectory(empty);
    const { stderr } = await move(['restore', backup, '--data-dir', newDirectory(), '--ops-dir', empty], 1);
    lock.release();
    assert.match(stderr, /the operations directory .+ is in use by another process/);
  });

  it('are restored by the same call again when one was killed between its moves', async () => {
    const [restored, ops] = [newDirectory(), newDirectory()];
    const args = ['restore', backup, '--data-dir', restored, '--ops-dir', ops];
    await move(args);
    // A kill after the move of the operations data leaves them so.
    const unfinished = join(restored, 'restore-unfinished');
    mkdirSync(join(unfinished, 'ops'), { recursive: true });
    renameSync(join(restored, 'data.db'), join(unfinished, 'data.db'));
    const names = ['ops/ops.db', 'ops/ops.db-sums'];
    writeFileSync(join(unfinished, 'moves.json'), JSON.stringify({ opsDir: ops, names }));
    await move(args);
    assert.deepEqual(readdirSync(ops).sort(), ['lock.db', 'ops.db', 'ops.db-sums']);
    assert.match((await move(['check', restored, '--ops-dir', ops])).stdout, /no damage found/);
  });

  it('are restored by the same call again when one was killed while it copied to another disk', async () => {
    const [restored, ops] = [newDirectory(), newDirectory()];
    const unfinished = join(restored, 'restore-unfinished');
    cpSync(backup, unfinished, { recursive: true });
    const names = ['ops/ops.db', 'ops/ops.db-sums'];
    writeFileSync(join(unfinished, 'moves.json'), JSON.stringify({ opsDir: ops, names }));
    mkdirSync(ops);
    writeFileSync(join(ops, 'ops.db.new'), 'a part');
    await move(['restore', backup, '--data-dir', restored, '--ops-dir', ops]);
    assert.match((await move(['check', restored, '--ops-dir', ops])).stdout, /no damage found/);
    assert.deepEqual(readdirSync(ops).sort(), ['lock.db', 'ops.db', 'ops.db-sums']);
  });
});

describe('the directories of a server with another engine', () => {
  const parent = makeTemporaryDirectory();
  const cluster = {
    COLONNADE_ENGINE: 'cassandra',
    COLONNADE_CASSANDRA_CONTACT_POINTS: '127.0.0.1',
    COLONNADE_CASSANDRA_LOCAL_DATACENTER: 'dc1',
  };
  const dataDir = join(parent, 'data');
  const backup = join(parent, 'backup');

  before(async () => {
    const server = await startServer({ dataDir });
    await server.stop();
    for (const name of readdirSync(dataDir)) if (name.startsWith('data.db')) rmSync(join(dataDir, name));
    const made = await runColonnade(['backup', backup, '--data-dir', dataDir], cluster);
    assert.equal(made.code, 0, made.stderr);
  });
  after(() => rmSync(parent, { recursive: true }));

  it('are not restored for this one', async () => {
    const other = join(parent, 'restored');
    const { stderr } = await move(['restore', backup, '--data-dir', other], 1);
    assert.match(stderr, /--engine cassandra, and the configuration has embedded: give the --config/);
    const restored = await runColonnade(['restore', backup, '--data-dir', other], cluster);
    assert.equal(restored.code, 0, restored.stderr);
    assert.ok(readFileSync(join(backup, 'backup.json'), 'utf8').includes('"engine":"cassandra"'));
  });

  it('are not taken for directories without data', async () => {
    const { stderr } = await move(['backup', join(parent, 'b'), '--data-dir', dataDir], 1);
    assert.match(
      stderr,
      /there are other files of a server .+ if its --engine is not embedded, give its --config/,
    );
    const checked = await runColonnade(['check', dataDir], cluster);
    assert.deepEqual([checked.code, checked.stderr], [0, '']);
  });
});
