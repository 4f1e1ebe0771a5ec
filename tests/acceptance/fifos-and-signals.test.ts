// FIFOs where files must be, and signals while a command waits: no command hangs.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { move } from './between-servers.js';
import { createNotes } from './moved-tables.js';
import {
  colonnadePath,
  environmentOfTests,
  makeTemporaryDirectory,
  type RunningServer,
  startServer,
} from './start-server.js';

/** A FIFO that nobody writes to, in place of a file. */
function putFifo(path: string): string {
  rmSync(path, { force: true, recursive: true });
  execFileSync('mkfifo', [path]);
  return path;
}

describe('FIFOs and signals', { skip: process.platform === 'win32' && 'it is about files of Unix' }, () => {
  let server: RunningServer;
  const directory = makeTemporaryDirectory();
  const [backup, exported] = [join(directory, 'backup'), join(directory, 'export')];

  before(async () => {
    server = await startServer();
    await createNotes(server.url, 'default_keyspace');
    await move(['backup', backup, '--data-dir', server.dataDir]);
    await move(['export', exported, '--url', server.url]);
  });
  after(() => server.stop());

  /** A copy of a directory with a FIFO in place of one of its files. */
  function withFifo(source: string, name: string): string {
    const copy = join(makeTemporaryDirectory(), 'copy');
    cpSync(source, copy, { recursive: true });
    putFifo(join(copy, name));
    return copy;
  }

  it('refuse a FIFO among the files of a backup and of a data directory', async () => {
    const target = () => join(makeTemporaryDirectory(), 'target');
    for (const name of ['backup.json', 'data.db', 'ops/ops.db']) {
      const broken = withFifo(backup, name);
      for (const args of [
        ['check', broken],
        ['restore', broken, '--data-dir', target()],
      ])
        assert.match((await move(args, 1)).stderr, /is a FIFO and not a regular file/, args.join(' '));
    }
    const data = join(makeTemporaryDirectory(), 'data');
    await move(['restore', backup, '--data-dir', data]);
    for (const name of ['data.db', 'ops/ops.db', 'page-state.key']) {
      const broken = withFifo(data, name);
      const { stderr } = await move(['backup', target(), '--data-dir', broken], 1);
      assert.match(stderr, /is a FIFO and not a regular file/, name);
    }
    for (const name of ['data.db', 'ops/ops.db']) {
      const { stderr } = await move(['check', '--data-dir', withFifo(data, name)], 1);
      assert.match(stderr, /is a FIFO and not a regular file/, name);
    }
  });

  it('refuse a FIFO among the files of an export, of its progress and in the place of its result', async () => {
    const rows = readdirSync(exported).find((name) => name.endsWith('.ndjson')) ?? '';
    for (const name of ['manifest.json', rows, 'import-progress.json']) {
      const { stderr } = await move(['import', withFifo(exported, name), '--url', server.url], 1);
      assert.match(stderr, /is a FIFO and not a regular file/, name);
    }
    const begun = join(makeTemporaryDirectory(), 'begun');
    mkdirSync(begun);
    putFifo(join(begun, 'manifest.json'));
    assert.match((await move(['export', begun, '--url', server.url], 1)).stderr, /is a FIFO/);
    const file = join(makeTemporaryDirectory(), 'notes.csv');
    putFifo(`${file}.part`);
    assert.match((await move(['export', file, '--table', 'notes', '--url', server.url], 1)).stderr, /FIFO/);
    writeFileSync(file, 'id\n1\n');
    putFifo(`${file}.import-progress.json.new`);
    await move(['import', file, '--collection', 'from_file', '--url', server.url], 1);
  });

  it('end a command that waits for a FIFO', async () => {
    for (const [first, code] of [
      ['SIGTERM', 130],
      ['SIGINT', 130],
      ['SIGHUP', 130],
    ] as const) {
      const fifo = putFifo(join(makeTemporaryDirectory(), 'rows.ndjson'));
      const args = [colonnadePath, 'import', fifo, '--collection', 'never', '--url', server.url];
      const child = spawn(process.execPath, args, { env: environmentOfTests() });
      const ended = once(child, 'exit');
      const writer = await open(fifo, 'w'); // waits for the reader
      child.kill(first);
      const [found] = await ended;
      assert.equal(found, code, first);
      await writer.close();
    }
  });
});
