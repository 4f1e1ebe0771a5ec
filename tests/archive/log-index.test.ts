// The commits of a log by SQLite's index of it are those that its frames show.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { LogPosition } from '../../src/archive/format/log-position.js';
import { closeSource, openLog, scanCommits } from '../../src/archive/shipping/read-log.js';
import { closeLogIndex, findIndexedCommits } from '../../src/archive/shipping/read-log-index.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const open: Database[] = [];
const indexed = new Set<string>();
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  for (const path of indexed) closeLogIndex(path);
  indexed.clear();
});

const wantedPages = 20_000;

/** A database without checkpoints, so that its log only grows. */
function makeDatabase(): { readonly database: Database; readonly path: string } {
  const path = join(makeTemporaryDirectory(), 'data.db');
  const database = openDatabase({ path, walAutocheckpointPages: 0 });
  open.push(database);
  indexed.add(path);
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  return { database, path };
}

function insert(database: Database, rows: number): void {
  database.exec(
    `INSERT INTO t (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
     SELECT hex(randomblob(1500)) FROM n`,
  );
}

/** Compares both ways from a place of the present round on, and returns where they end. */
function compare(path: string, place?: LogPosition): LogPosition | undefined {
  const source = openLog(path);
  assert.ok(source);
  try {
    const from = place ?? source.start;
    const scanned = scanCommits(source, from, wantedPages);
    const indexed = findIndexedCommits(path, source, from, wantedPages);
    assert.deepEqual(indexed, { commits: scanned });
    return scanned?.to;
  } finally {
    closeSource(source);
  }
}

describe('the index of a log', () => {
  it('has the same commits as the log, also behind the first 4,062 and 8,158 frames', () => {
    const { database, path } = makeDatabase();
    let to = compare(path);
    for (const rows of [1, 10, 3_000, 2_040, 30, 4_000, 8, 1]) {
      insert(database, rows);
      to = compare(path, to);
      compare(path);
    }
    assert.ok((to?.frames ?? 0) > 8_158);
    assert.equal(compare(path, to), undefined);
  });

  it('leaves out what is rolled back, and what is not committed yet', () => {
    const { database, path } = makeDatabase();
    database.exec('PRAGMA cache_size = 10');
    insert(database, 100);
    const to = compare(path);
    database.exec('BEGIN');
    insert(database, 500);
    assert.equal(compare(path, to), undefined);
    database.exec('ROLLBACK');
    assert.equal(compare(path, to), undefined);
    insert(database, 3);
    assert.notEqual(compare(path, to), undefined);
  });

  it('is that of the next round after a checkpoint', () => {
    const { database, path } = makeDatabase();
    insert(database, 100);
    const before = openLog(path);
    assert.ok(before);
    database.checkpoint('PASSIVE');
    insert(database, 5);
    assert.equal(findIndexedCommits(path, before, before.start, wantedPages), undefined);
    closeSource(before);
    assert.notEqual(compare(path), undefined);
  });

  it('is not used for more pages than wanted, nor if it is damaged', () => {
    const { database, path } = makeDatabase();
    insert(database, 100);
    const source = openLog(path);
    assert.ok(source);
    assert.notEqual(findIndexedCommits(path, source, source.start, 1_000), undefined);
    assert.equal(findIndexedCommits(path, source, source.start, 50), undefined);
    const copy = join(makeTemporaryDirectory(), 'copy');
    indexed.add(copy);
    const good = readFileSync(`${path}-shm`);
    const findIn = (index: Buffer) => {
      writeFileSync(`${copy}-shm`, index);
      return findIndexedCommits(copy, source, source.start, 1_000);
    };
    assert.notEqual(findIn(good), undefined);
    const headBytes = 48;
    // The number of frames in one head, in both heads without their sum, and the sum of both heads.
    for (const offsets of [[16], [headBytes + 16], [16, headBytes + 16], [40, headBytes + 40]]) {
      const damaged = Buffer.from(good);
      for (const offset of offsets) damaged.writeUInt8((damaged[offset] ?? 0) ^ 1, offset);
      assert.equal(findIn(damaged), undefined, String(offsets));
    }
    assert.equal(findIn(good.subarray(0, 20)), undefined);
    assert.equal(findIndexedCommits(`${copy}-other`, source, source.start, 1_000), undefined);
    closeSource(source);
  });

  it('keeps the locks of the server: another process that opens the database leaves the index as it is', () => {
    const { database, path } = makeDatabase();
    insert(database, 100);
    compare(path);
    const driver = createRequire(import.meta.url).resolve('@photostructure/sqlite');
    const read = `
      const { DatabaseSync } = require(process.argv[1]);
      const database = new DatabaseSync(process.argv[2], { readOnly: true });
      console.log(database.prepare('SELECT count(*) AS n FROM t').get().n);
      database.close();`;
    database.exec('BEGIN IMMEDIATE');
    const { size } = statSync(`${path}-shm`);
    const { stdout, status } = spawnSync(process.execPath, ['-e', read, driver, path], { encoding: 'utf8' });
    assert.deepEqual([status, stdout.trim()], [0, '100']);
    assert.equal(statSync(`${path}-shm`).size, size);
    database.exec('COMMIT');
    insert(database, 1);
    assert.notEqual(compare(path), undefined);
  });
});
