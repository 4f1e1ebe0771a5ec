// What `colonnade backup`, `restore` and `check` refuse, and damage that `check` finds.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { move, newExportDirectory } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import { makeTemporaryDirectory, type RunningServer, runColonnade, startServer } from './start-server.js';

describe('colonnade backup, restore and check', () => {
  let server: RunningServer;
  let backup = '';

  before(async () => {
    server = await startServer();
    await createNotes(server.url, 'default_keyspace');
    backup = newExportDirectory();
    await move(['backup', backup, '--data-dir', server.dataDir]);
  });
  after(() => server.stop());

  it('check a running server and a backup without changing it', async () => {
    const files = readdirSync(backup, { recursive: true }).sort();
    for (const args of [
      ['check', backup],
      ['check', '--data-dir', server.dataDir],
    ])
      assert.match((await move(args)).stdout, /120 rows and documents checked: no damage found\n$/);
    assert.deepEqual(readdirSync(backup, { recursive: true }).sort(), files);
  });

  it('find a damaged backup, and restore nothing of it', async () => {
    const damaged = join(makeTemporaryDirectory(), 'damaged');
    await move(['backup', damaged, '--data-dir', server.dataDir]);
    const path = join(damaged, 'data.db');
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100);
    writeFileSync(path, bytes);
    const checked = await move(['check', damaged, '--json'], 1);
    assert.equal(
      JSON.parse(checked.stdout).problems[0],
      `the backup is damaged: ${path}: its checksum differs`,
    );
    const dataDir = join(makeTemporaryDirectory(), 'data');
    const { stderr } = await move(['restore', damaged, '--data-dir', dataDir], 1);
    assert.match(stderr, /the backup is damaged: .+data\.db: its checksum differs\n$/);
    assert.deepEqual(readdirSync(dataDir), ['lock.db']);
    rmSync(join(damaged, 'ops', 'ops.db'));
    assert.match((await move(['check', damaged], 1)).stderr, /ops\.db is missing/);
    const manifest = readFileSync(join(damaged, 'backup.json'), 'utf8');
    const files: readonly object[] = JSON.parse(manifest).files;
    for (const [wrong, problem] of [
      [[], /backup\.json is damaged: it does not name data\.db\n/],
      [[...files, files[0]], /backup\.json is damaged: it names a file twice\n/],
    ] as const) {
      writeFileSync(join(damaged, 'backup.json'), JSON.stringify({ ...JSON.parse(manifest), files: wrong }));
      assert.match((await move(['check', damaged], 1)).stderr, problem);
      assert.match((await move(['restore', damaged, '--data-dir', dataDir], 1)).stderr, problem);
    }
    rmSync(join(damaged, 'backup.json'));
    assert.match(
      (await move(['restore', damaged, '--data-dir', dataDir], 1)).stderr,
      /it is not a complete backup/,
    );
  });

  it('find values and indexes that are damaged in a data directory', async () => {
    const dataDir = join(makeTemporaryDirectory(), 'data');
    await move(['restore', backup, '--data-dir', dataDir]);
    const file = openDatabase({ path: join(dataDir, 'data.db') });
    file.exec("PRAGMA writable_schema = 1; UPDATE t1 SET c3 = x'010203' WHERE row_id = 5");
    file.close();
    const { stderr } = await move(['check', dataDir], 1);
    assert.match(stderr, /default_keyspace\.notes: row 5 with the key \(\d+\): meaning holds no vector/);
    writeFileSync(join(dataDir, 'data.db'), 'no database');
    assert.match(
      (await move(['check', dataDir], 1)).stderr,
      /data\.db cannot be read: file is not a database/,
    );
  });

  it('follow a symbolic link to the directory of the backup', async () => {
    const parent = makeTemporaryDirectory();
    mkdirSync(join(parent, 'place'));
    symlinkSync(join(parent, 'place'), join(parent, 'link'));
    await move(['backup', join(parent, 'link'), '--data-dir', server.dataDir]);
    assert.ok(existsSync(join(parent, 'place', 'backup.json')));
    assert.deepEqual(readdirSync(parent).sort(), ['link', 'place']);
  });

  const mountPoint = ['/dev/mqueue', '/dev/shm', '/sys/fs/pstore'].find(isEmptyMountPoint);
  const skip = mountPoint === undefined && 'there is no empty mount point';
  it('refuse a mount point for a backup', { skip }, async () => {
    const { stderr } = await move(['backup', mountPoint ?? '', '--data-dir', server.dataDir], 1);
    assert.match(stderr, /is a mount point: give a new directory in it/);
  });

  it('leave nothing where there is no room, and say how much is needed', async () => {
    const parent = makeTemporaryDirectory();
    const target = join(parent, 'b');
    const launcher = ['sh', '-c', 'ulimit -S -f 64 && exec "$@"', 'sh']; // blocks of 512 or 1024 bytes
    const run = await runColonnade(['backup', target, '--data-dir', server.dataDir], {}, undefined, launcher);
    assert.equal(run.code, 1, run.stderr);
    assert.match(
      run.stderr,
      /b\.unfinished cannot be written, .+B of the disk are free, and about .+B are needed/,
    );
    assert.deepEqual(readdirSync(parent), []);
  });

  it('check no backup or restore that is not finished', async () => {
    const directory = makeTemporaryDirectory();
    mkdirSync(join(directory, 'monday.unfinished'));
    mkdirSync(join(directory, 'half', 'restore-unfinished'), { recursive: true });
    for (const [name, problem] of [
      ['half', /a restore into .+half was interrupted: run the same colonnade restore again/],
      ['monday', /monday\.unfinished is a backup that is not finished: wait for/],
      ['monday.unfinished', /monday\.unfinished is a backup that is not finished: .+ run the same one/],
    ] as const)
      assert.match((await move(['check', join(directory, name)], 1)).stderr, problem);
  });

  it('refuse what would destroy or mix data, and say what to do', async () => {
    const full = makeTemporaryDirectory();
    writeFileSync(join(full, 'notes.txt'), 'mine');
    const half = makeTemporaryDirectory();
    mkdirSync(join(half, 'restore-unfinished'));
    const link = join(makeTemporaryDirectory(), 'link');
    symlinkSync(server.dataDir, link);
    const dangling = join(makeTemporaryDirectory(), 'dangling');
    symlinkSync(join(full, 'none'), dangling);
    const later = newExportDirectory();
    await move(['backup', later, '--data-dir', server.dataDir]);
    const manifest = readFileSync(join(later, 'backup.json'), 'utf8');
    writeFileSync(join(later, 'backup.json'), manifest.replaceAll(/"version":\d+/g, '"version":9999'));
    const ports = ['--port', '0', '--ops-port', '0'];
    const cases: readonly (readonly [args: readonly string[], code: number, problem: RegExp])[] = [
      [['restore', backup, '--data-dir', full], 1, /is not empty \(notes\.txt\), and nothing is overwritten/],
      [['restore', backup, '--data-dir', server.dataDir], 1, /is in use by another process/],
      [
        ['restore', full, '--data-dir', join(full, 'x')],
        1,
        /has no backup\.json: it is not a complete backup/,
      ],
      [['restore', later, '--data-dir', join(full, 'x')], 1, /was made by a later release .+ version 9999/],
      [['backup', full, '--data-dir', server.dataDir], 1, /exists and is not empty: give a new directory/],
      [['backup', join(link, 'b'), '--data-dir', server.dataDir], 1, /must be outside of the data directory/],
      [
        ['backup', join(full, 'b'), '--data-dir', full],
        1,
        /data\.db does not exist: .+ is not a data directory/,
      ],
      [['backup', join(full, 'b'), '--data-dir', join(full, 'none')], 1, /there is no data directory/],
      [
        ['backup', dangling, '--data-dir', server.dataDir],
        1,
        /is a symbolic link to a path that does not exist/,
      ],
      [['backup', '/proc/none/b', '--data-dir', server.dataDir], 1, /ENOENT|EACCES|EPERM/],
      [['check', full], 1, /is neither a data directory nor a backup/],
      [['check', join(full, 'none')], 1, /there is no directory/],
      [['backup'], 2, /give one directory/],
      [['check', '--nope'], 2, /there is no option --nope/],
      [['serve', '--data-dir', backup, ...ports], 1, /is a backup, and a server would change it/],
      [['serve', '--data-dir', half, ...ports], 1, /a restore into .+ was interrupted: run the same/],
    ];
    for (const [args, code, problem] of cases) {
      const run = await runColonnade(args);
      assert.equal(run.code, code, `${args.join(' ')}: ${run.stderr}`);
      assert.match(run.stderr, problem);
    }
    assert.ok(
      !existsSync(join(full, 'b')) && !existsSync(join(full, 'b.unfinished')) && !existsSync(join(full, 'x')),
    );
  });
});

function isEmptyMountPoint(path: string): boolean {
  if (!existsSync(path) || readdirSync(path).length > 0) return false;
  return statSync(path).dev !== statSync(dirname(path)).dev;
}
