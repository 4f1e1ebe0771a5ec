// Checks the SQLite wrapper against real files.
import assert from 'node:assert/strict';
import { mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { memoryOutside } from '../memory-outside.js';
import { DatabaseFailure, type DatabaseFailureKind, toDatabaseFailure } from './database-failure.js';
import { openDatabase } from './open-database.js';
import type { SqlValue } from './sql-value.js';
import { unusableFile } from './unusable-file.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-sqlite-'));
after(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

function assertFails(kind: DatabaseFailureKind, work: () => unknown): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof DatabaseFailure, String(error));
    assert.equal(error.kind, kind, error.message);
    return true;
  });
}

describe('openDatabase', () => {
  it('makes durable, incrementally vacuumed WAL files without foreign keys', () => {
    const database = openDatabase({
      path: freshPath(),
      cacheSizeBytes: 1_000_000,
      walAutocheckpointPages: 30_000,
    });
    const read = (name: string) => database.statement(`PRAGMA ${name}`, { returnArrays: true }).get()?.[0];
    assert.deepEqual(
      ['journal_mode', 'synchronous', 'auto_vacuum', 'foreign_keys', 'temp_store', 'cache_size'].map(read),
      ['wal', 2, 2, 0, 2, -977],
    );
    assert.equal(read('wal_autocheckpoint'), 30_000);
    database.close();
  });

  it('keeps these settings when the file is opened again', () => {
    const path = freshPath();
    const first = openDatabase({ path });
    first.exec('CREATE TABLE t (a)');
    first.close();
    const again = openDatabase({ path });
    assert.equal(again.statement('PRAGMA auto_vacuum', { returnArrays: true }).get()?.[0], 2);
    again.close();
  });

  it('has few statements wait for the garbage collector, however many left the cache', async () => {
    const database = openDatabase({ path: ':memory:', statementCacheSize: 2 });
    const before = memoryOutside.waitingBytes;
    let mostBytes = 0;
    for (let number = 0; number < 4000; number += 1) {
      database.statement(`SELECT ${number}`);
      if (number % 50 === 0) await nextTurn();
      mostBytes = Math.max(mostBytes, memoryOutside.waitingBytes - before);
    }
    assert.ok(mostBytes > 0);
    assert.ok(mostBytes < 32 * 2 ** 20, `${mostBytes} bytes of about 64 million waited`);
    database.close();
  });

  it('binds by position and returns objects or arrays, numbers or bigints', () => {
    const database = openDatabase({ path: ':memory:' });
    const sql = 'SELECT ? AS a, ? AS b';
    assert.deepEqual(
      { ...database.statement(sql).get([new Uint8Array([1]), 'x']) },
      { a: new Uint8Array([1]), b: 'x' },
    );
    assert.deepEqual(database.statement(sql, { returnArrays: true }).all([1, null]), [[1, null]]);
    const big = database.statement(sql, { returnArrays: true, readBigInts: true });
    assert.deepEqual(big.get([2n ** 60n, 1]), [2n ** 60n, 1n]);
    database.close();
  });

  it('returns the same statement for the same text and options', () => {
    const database = openDatabase({ path: ':memory:' });
    assert.equal(database.statement('SELECT 1'), database.statement('SELECT 1'));
    assert.notEqual(database.statement('SELECT 1'), database.statement('SELECT 1', { returnArrays: true }));
    database.close();
  });

  it('commits a transaction and undoes one that throws', () => {
    const database = openDatabase({ path: ':memory:' });
    database.exec('CREATE TABLE t (a)');
    assert.equal(
      database.transaction(() => database.statement('INSERT INTO t VALUES (?)').run([1]).changes),
      1,
    );
    assert.throws(
      () =>
        database.transaction(() => {
          database.exec('INSERT INTO t VALUES (2)');
          throw new Error('no');
        }),
      { message: 'no' },
    );
    assert.equal(database.isInTransaction, false);
    assert.deepEqual(database.statement('SELECT a FROM t', { returnArrays: true }).all(), [[1]]);
    database.close();
  });

  it('iterates and can be left early', () => {
    const database = openDatabase({ path: ':memory:' });
    database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)');
    for (const row of database.statement('SELECT a FROM t', { returnArrays: true }).iterate()) {
      assert.deepEqual(row, [1]);
      break;
    }
    database.exec('DROP TABLE t'); // SQLite refuses this while a statement is still open
    database.close();
  });

  it('lets statements call functions, and undoes the transaction of one that throws', () => {
    const functions = {
      join_two: (left: SqlValue, right: SqlValue) => (right === null ? null : `${left}\u{1f600}${right}`),
      fail: () => {
        throw new RangeError('not today');
      },
    };
    const database = openDatabase({ path: freshPath(), functions });
    database.exec('CREATE TABLE words (word TEXT)');
    database.statement('INSERT INTO words VALUES (join_two(?, ?)), (join_two(1, NULL))').run(['é', 'b']);
    assert.throws(() => {
      database.transaction(() => database.statement('UPDATE words SET word = fail()').run());
    }, /not today/);
    const words = database.statement('SELECT word FROM words', { returnArrays: true }).all();
    assert.deepEqual(words, [['é\u{1f600}b'], [null]]);
    database.close();
  });

  it('closes with an empty log and without its transaction though statements are still referenced', () => {
    const path = freshPath();
    const database = openDatabase({ path });
    database.exec('CREATE TABLE t (a)');
    const insert = database.statement('INSERT INTO t VALUES (?)');
    insert.run([1]);
    database.close();
    assert.equal(statSync(`${path}-wal`).size, 0);

    const second = openDatabase({ path });
    second.exec('BEGIN IMMEDIATE');
    const count = second.statement('SELECT count(*) FROM t', { returnArrays: true });
    assert.deepEqual(count.get(), [1]);
    second.close();
    const third = openDatabase({ path });
    third.exec('BEGIN IMMEDIATE');
    third.close();
    assert.ok(insert !== undefined && count !== undefined);
  });

  it('closes twice without complaint', () => {
    const database = openDatabase({ path: ':memory:' });
    database.close();
    database.close();
    assert.equal(database.isOpen, false);
  });
});

describe('DatabaseFailure', () => {
  it('calls a full file full, undoes the transaction and reads on', () => {
    const database = openDatabase({ path: freshPath() });
    database.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA max_page_count = 10');
    const insert = database.statement('INSERT INTO t VALUES (?)');
    assertFails('full', () => database.transaction(() => insert.run([new Uint8Array(100_000)])));
    assert.equal(database.isInTransaction, false);
    assert.equal(database.statement('SELECT count(*) FROM t', { returnArrays: true }).get()?.[0], 1);
    database.close();
  });

  it('calls a disk full on which the index of the log cannot grow', () => {
    const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 4874 });
    const failure = toDatabaseFailure(error);
    assert.ok(failure instanceof DatabaseFailure);
    assert.deepEqual([failure.kind, failure.message], ['full', 'database or disk is full']);
    assert.match(unusableFile('data.db', failure).message, /disk is full: make room on the disk/);
  });

  it('names missing tables and columns a schema failure', () => {
    const database = openDatabase({ path: ':memory:' });
    database.exec('CREATE TABLE t (a)');
    assertFails('schema', () => database.statement('SELECT * FROM missing'));
    assertFails('schema', () => database.statement('SELECT missing FROM t'));
    assertFails('schema', () => database.statement('INSERT INTO t (missing) VALUES (1)'));
    assertFails('schema', () => database.exec('CREATE TABLE t (a)'));
    const prepared = database.statement('SELECT a FROM t');
    prepared.all();
    database.exec('DROP TABLE t');
    assertFails('schema', () => prepared.all());
    assertFails('schema', () => prepared.get());
    assertFails('other', () => database.statement('SELEC 1'));
    database.close();
  });

  it('distinguishes constraints, locks, read-only connections and sizes', () => {
    const path = freshPath();
    const database = openDatabase({ path });
    database.exec('CREATE TABLE t (a UNIQUE NOT NULL); INSERT INTO t VALUES (1)');
    assertFails('constraint', () => database.statement('INSERT INTO t VALUES (?)').run([1]));
    assertFails('constraint', () => database.exec('INSERT INTO t VALUES (NULL)'));
    assertFails('tooBig', () => database.statement('SELECT zeroblob(2000000000)').get());
    const other = openDatabase({ path });
    database.exec('BEGIN IMMEDIATE');
    assertFails('busy', () => other.exec('BEGIN IMMEDIATE'));
    database.exec('ROLLBACK');
    other.close();
    const reader = openDatabase({ path, readOnly: true });
    assertFails('readOnly', () => reader.exec('INSERT INTO t VALUES (2)'));
    reader.close();
    database.close();
  });

  it('reports a failure of a statement once', () => {
    const path = freshPath();
    const writer = openDatabase({ path });
    writer.exec('CREATE TABLE t (a)');
    const reader = openDatabase({ path, readOnly: true });
    const statement = reader.statement('SELECT count(*) AS n FROM t');
    const read = () => [...statement.iterate()];
    writer.exec('DROP TABLE t');
    for (let round = 0; round < 3; round += 1) {
      assertFails('schema', () => statement.get());
      assertFails('schema', read);
      reader.exec('BEGIN; COMMIT');
      assertFails('schema', read);
      reader.exec('BEGIN; COMMIT');
    }
    writer.exec('CREATE TABLE t (a)');
    assert.deepEqual(
      read().map(({ n }) => n),
      [0],
    );
    reader.close();
    writer.close();
  });

  it('reports a damaged file and a missing one', () => {
    const noDatabase = freshPath();
    writeFileSync(noDatabase, 'x'.repeat(8192));
    assertFails('corrupt', () => openDatabase({ path: noDatabase }));
    assertFails('io', () => openDatabase({ path: join(directory, 'missing', 'a.db') }));
    assertFails('io', () => openDatabase({ path: join(directory, 'missing.db'), readOnly: true }));

    const damaged = freshPath();
    const before = openDatabase({ path: damaged });
    before.exec(`CREATE TABLE t (a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO t SELECT randomblob(500) FROM n`);
    before.close();
    writeSync(openSync(damaged, 'r+'), Buffer.alloc(4096 * 20, 7), 0, 4096 * 20, 4096 * 5);
    const after = openDatabase({ path: damaged });
    assertFails('corrupt', () => after.statement('SELECT sum(length(a)) FROM t').get());
    assertFails('corrupt', () => [...after.statement('SELECT a FROM t').iterate()]);
    after.close();
  });

  it('leaves the errors of a wrong call as they are', () => {
    const database = openDatabase({ path: ':memory:' });
    const statement = database.statement('SELECT ?');
    database.close();
    assert.throws(
      () => statement.get([1]),
      (error) => error instanceof Error && !(error instanceof DatabaseFailure),
    );
  });
});
