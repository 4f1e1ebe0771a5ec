// The commits of a log by SQLite's index of it are those that its frames show.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { LogPosition } from '../../src/archive/format/log-position.js';
import { closeSource, openLog, scanCommits } from '../../src/archive/shipping/read-log.js';
import { findIndexedCommits } from '../../src/archive/shipping/read-log-index.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

const open: Database[] = [];
afterEach(() => {
  for (const database of open.splice(0)) database.close();
});

const wantedPages = 20_000;

/** A database without checkpoints, so that its log only grows. */
function makeDatabase(): { readonly database: Database; readonly path: string } {
  const path = join(makeTemporaryDirectory(), 'data.db');
  const database = openDatabase({ path, walAutocheckpointPages: 0 });
  open.push(database);
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
    writeFileSync(`${copy}-shm`, Buffer.alloc(32_768, 1));
    assert.equal(findIndexedCommits(copy, source, source.start, 1_000), undefined);
    assert.equal(findIndexedCommits(`${copy}-other`, source, source.start, 1_000), undefined);
    closeSource(source);
  });
});
