// Checksums of pages: of a file that grows, shrinks and is checkpointed, after the end of a process, and of damage.
import assert from 'node:assert/strict';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkPages } from './check-pages.js';
import { type Database, openDatabase } from './open-database.js';
import { findSums, makeSums, sumsPath } from './page-sums.js';
import { prepareSums } from './prepare-sums.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-sums-'));
after(() => rmSync(directory, { recursive: true }));

const reading = { pieceBytes: 64 * 1024, doPiece: async (piece: () => number) => piece() };
const open = (path: string, walAutocheckpointPages = 40) =>
  openDatabase({ path, hasPageSums: true, walAutocheckpointPages });

/** The pages that differ; fails if there are no sums to compare with. */
async function differing(path: string): Promise<readonly number[]> {
  const { pages, without, problem } = await checkPages(path, reading);
  assert.deepEqual([without, problem], [undefined, undefined]);
  return pages;
}

function fill(database: Database, from: number, to: number): void {
  for (let id = from; id < to; id += 1)
    database.transaction(() =>
      database.statement('INSERT OR REPLACE INTO t VALUES (?, ?)').run([id, `${id} `.repeat(200)]),
    );
}

function newFile(name: string): { readonly path: string; readonly database: Database } {
  const path = join(directory, name);
  const database = open(path);
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  return { path, database };
}

/** The files of a database as a kill would leave them. */
function copyOf(path: string, name: string): string {
  const copy = join(directory, name);
  for (const ending of ['', '-wal', '-sums'])
    if (existsSync(path + ending)) cpSync(path + ending, copy + ending);
  return copy;
}

function damage(path: string, at: number): void {
  const file = openSync(path, 'r+');
  const byte = readFileSync(path)[at] ?? 0;
  writeSync(file, Buffer.of(byte ^ 4), 0, 1, at);
  closeSync(file);
}

describe('checksums of pages', () => {
  it('are those of the file at any moment, while it grows, shrinks and is written again', async () => {
    const { path, database } = newFile('moments.db');
    for (let round = 0; round < 6; round += 1) {
      fill(database, round * 60, round * 60 + 150);
      assert.deepEqual(await differing(path), [], `round ${round}, written`);
      if (round % 2 === 1) {
        database.transaction(() => database.statement('DELETE FROM t WHERE id > ?').run([round * 10]));
        database.exec('PRAGMA incremental_vacuum');
        if (round === 3) database.checkpoint('TRUNCATE');
        assert.deepEqual(await differing(path), [], `round ${round}, shrunk`);
      }
      assert.deepEqual(await differing(copyOf(path, `killed-${round}.db`)), [], `round ${round}, killed`);
    }
    database.close();
    assert.deepEqual(await differing(path), []);
  });

  it('are made of the log that a killed process left', async () => {
    const { path, database } = newFile('log.db');
    fill(database, 0, 30);
    const copy = copyOf(path, 'left.db');
    database.close();
    const next = open(copy);
    fill(next, 20, 25);
    next.close();
    assert.equal(statSync(`${copy}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0);
    assert.deepEqual(await differing(copy), []);
  });

  it('are out of date if the log is gone that a process wrote, and made again by the next one', async () => {
    const { path, database } = newFile('gone.db');
    fill(database, 0, 30);
    const copy = copyOf(path, 'without-log.db');
    database.close();
    openDatabase({ path: copy }).close();
    rmSync(`${copy}-wal`, { force: true });
    assert.equal(findSums(copy).kind, 'outdated');
    assert.match((await checkPages(copy, reading)).without ?? '', /out of date/);
    open(copy).close();
    assert.deepEqual(await differing(copy), []);
  });

  it('stay those of the file if a process dies that wrote nothing, or whose log is empty', async () => {
    const { path, database } = newFile('rest.db');
    fill(database, 0, 30);
    database.checkpoint('TRUNCATE');
    database.transaction(() => database.statement('SELECT count(*) FROM t').get());
    assert.deepEqual(await differing(copyOf(path, 'nothing-written.db')), []);
    database.exec('PRAGMA optimize');
    database.checkpoint('PASSIVE');
    assert.deepEqual(await differing(copyOf(path, 'at-rest.db')), []);
    database.close();
  });

  it('find a changed bit in every page, and exchanged pages', async () => {
    const { path, database } = newFile('damage.db');
    fill(database, 0, 40);
    database.close();
    const pages = statSync(path).size / 4096;
    for (let page = 2; page <= pages; page += 1) {
      const copy = copyOf(path, 'damaged.db');
      damage(copy, (page - 1) * 4096 + ((page * 571) % 4096));
      assert.deepEqual(await differing(copy), [page]);
    }
    const bytes = readFileSync(path);
    const third = Buffer.from(bytes.subarray(8192, 12_288));
    bytes.copyWithin(8192, 12_288, 16_384);
    third.copy(bytes, 12_288);
    writeFileSync(path, bytes);
    assert.deepEqual(await differing(path), [3, 4]);
  });

  it('stay those of a copy without a log when it gets one, and keep damage of its first page visible', async () => {
    const { path, database } = newFile('source.db');
    fill(database, 0, 40);
    database.close();
    const copy = join(directory, 'without-log-version.db');
    const plain = readFileSync(path).fill(1, 18, 20);
    writeFileSync(copy, plain);
    for (const _ of makeSums(copy));
    const sums = readFileSync(sumsPath(copy));
    open(copy).close();
    assert.notDeepEqual(readFileSync(copy).subarray(0, 100), plain.subarray(0, 100));
    assert.deepEqual(await differing(copy), []);
    assert.deepEqual(await differing(copyOf(copy, 'without-log-killed.db')), []);

    const other = join(directory, 'without-log-damaged.db');
    writeFileSync(other, plain);
    writeFileSync(sumsPath(other), sums);
    damage(other, 70);
    open(other).close();
    assert.deepEqual(await differing(other), [1]);
  });

  it('are made before a large file is opened, in slices with other work between them', async () => {
    const { path, database } = newFile('large.db');
    fill(database, 0, 1_000);
    database.close();
    rmSync(sumsPath(path));
    const steps: unknown[] = [];
    const making = prepareSums(path, ({ isDone }) => steps.push(isDone), 1);
    setImmediate(() => steps.push('other work'));
    await making;
    assert.deepEqual(steps, [false, 'other work', true]);
    assert.deepEqual(await differing(path), []);
    await prepareSums(path, () => assert.fail('they are there'), 1);
  });

  it('keep the log short, however it is written', () => {
    const { path, database } = newFile('short.db');
    const logBytes = () => statSync(`${path}-wal`).size;
    const pageBytes = 4096;
    for (let id = 0; id < 2_000; id += 1)
      database.statement('INSERT INTO t VALUES (?, ?)').run([id, 'x'.repeat(1_000)]);
    assert.ok(logBytes() < 200 * pageBytes, `${logBytes()} bytes after statements`);
    for (let id = 2_000; id < 2_400; id += 1) database.exec(`INSERT INTO t VALUES (${id}, zeroblob(1000))`);
    assert.ok(logBytes() < 200 * pageBytes, `${logBytes()} bytes after texts of statements`);
    const large = 'x'.repeat(1_100 * pageBytes);
    for (let id = 10_000; id < 10_008; id += 1)
      database.transaction(() => database.statement('INSERT INTO t VALUES (?, ?)').run([id, large]));
    assert.ok(logBytes() < 2 * large.length, `${logBytes()} bytes after large transactions`);
    database.close();
  });

  it('find what another program wrote', async () => {
    const { path, database } = newFile('other.db');
    fill(database, 0, 10);
    database.close();
    const other = openDatabase({ path });
    other.exec("UPDATE t SET text = 'changed' WHERE id = 5");
    other.close();
    assert.notDeepEqual(await differing(path), []);
  });

  it('are made for a file that has none, and again if they are damaged', async () => {
    const path = join(directory, 'old.db');
    const old = openDatabase({ path });
    old.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
    fill(old, 0, 40);
    old.close();
    assert.match((await checkPages(path, reading)).without ?? '', /has no checksums/);
    open(path).close();
    assert.deepEqual(await differing(path), []);
    damage(sumsPath(path), 3);
    assert.match((await checkPages(path, reading)).problem ?? '', /-sums is damaged/);
    open(path).close();
    assert.deepEqual(await differing(path), []);
  });
});
