// The write-ahead log of real files at rest, with short times.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseFailure } from '../../../../foundation/sqlite/database-failure.js';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { IdleCheckpoint, keptLogBytes } from './idle-checkpoint.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-rest-'));
after(() => rmSync(directory, { recursive: true }));

const restMs = { many: 2, few: 5, truncate: 10 };
const rowBytes = 100_000;
const manyRows = Math.ceil((2 * keptLogBytes) / rowBytes);

function openFile(name: string) {
  const path = join(directory, name);
  const database = openDatabase({ path, walAutocheckpointPages: 0 });
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)');
  return {
    path,
    database,
    rest: new IdleCheckpoint(database, path, restMs),
    write: (rows: number) =>
      database.transaction(() => {
        const insert = database.statement('INSERT INTO t (x) VALUES (?)');
        for (let row = 0; row < rows; row += 1) insert.run([new Uint8Array(rowBytes)]);
      }),
    logBytes: () => statSync(`${path}-wal`).size,
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 10_000; !isTrue(); await sleep(2))
    if (performance.now() > endMs) assert.fail('it is not so after 10 s');
}

/** A connection with an open snapshot, and what it counts in it. */
function openSnapshot(path: string) {
  const reader = openDatabase({ path, readOnly: true });
  reader.exec('BEGIN');
  const count = () => reader.statement('SELECT count(*) FROM t', { returnArrays: true }).get()?.[0];
  count(); // takes the snapshot
  return { count, end: () => reader.endReading(), close: () => reader.close() };
}

describe('IdleCheckpoint', () => {
  it('truncates a long log, again after further writes, and keeps a short one', async () => {
    const { database, rest, write, logBytes } = openFile('long.db');
    for (let round = 0; round < 2; round += 1) {
      write(manyRows);
      rest.noteMany();
      assert.ok(logBytes() > keptLogBytes);
      await until(() => logBytes() === 0);
    }
    write(1);
    rest.noteSets(1);
    const short = logBytes();
    assert.ok(short > 0);
    await sleep(4 * (restMs.few + restMs.truncate));
    assert.equal(logBytes(), short);
    // It is in the file, so the next commit writes over it.
    write(1);
    assert.equal(logBytes(), short);
    rest.close();
    database.close();
  });

  it('truncates the log that an earlier process left', async () => {
    const { path, database, rest, write, logBytes } = openFile('left.db');
    write(manyRows);
    rest.close();
    const next = new IdleCheckpoint(database, path, restMs);
    await until(() => logBytes() === 0);
    next.close();
    database.close();
  });

  it('waits for a reader with a snapshot, which delays neither reads nor writes', async () => {
    const { path, database, rest, write, logBytes } = openFile('read.db');
    write(1);
    const { count, end, close } = openSnapshot(path);
    write(manyRows);
    rest.noteMany();
    await sleep(4 * (restMs.many + restMs.truncate));
    assert.ok(logBytes() > keptLogBytes);
    assert.equal(count(), 1);
    write(1);
    const later = openSnapshot(path);
    assert.equal(later.count(), manyRows + 2);
    end();
    assert.equal(count(), manyRows + 2);
    later.end();
    await until(() => logBytes() === 0);
    assert.equal(count(), manyRows + 2);
    close();
    later.close();
    rest.close();
    database.close();
  });

  it('is tried again after a failure', async () => {
    const { database, rest, write, logBytes } = openFile('failing.db');
    write(manyRows);
    database.exec('BEGIN IMMEDIATE');
    assert.throws(() => database.checkpoint('PASSIVE'), DatabaseFailure);
    await sleep(4 * restMs.few);
    database.exec('COMMIT');
    await until(() => logBytes() === 0);
    rest.close();
    database.close();
  });

  it('does nothing after close', async () => {
    const { database, rest, write, logBytes } = openFile('closed.db');
    write(manyRows);
    rest.noteMany();
    rest.close();
    await sleep(4 * (restMs.many + restMs.truncate));
    assert.ok(logBytes() > keptLogBytes);
    database.close();
  });
});
