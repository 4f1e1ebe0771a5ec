// Pages of one database that are written into another one are read there as whole transactions, beside readers.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Database, openDatabase } from './open-database.js';
import { PageWriter, type WrittenPage } from './page-writer.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-pages-'));
after(() => rmSync(directory, { recursive: true }));

/** The pages of a file without a log, which differ from others. */
function changedPages(
  path: string,
  before: Buffer,
): { readonly pages: readonly WrittenPage[]; readonly size: number } {
  const now = readFileSync(path);
  const pages: WrittenPage[] = [];
  for (let at = 0; at < now.length; at += 4096) {
    const content = now.subarray(at, at + 4096);
    if (!content.equals(before.subarray(at, at + 4096))) pages.push({ page: at / 4096 + 1, content });
  }
  return { pages, size: now.length / 4096 };
}

const sumOf = (database: Database) => ({
  ...database.statement('SELECT count(*) AS n, coalesce(sum(x), 0) AS s FROM t').get(),
});

/** A database that changes, and a copy of it that gets its pages. */
class Pair {
  readonly source: Database;
  readonly path: string;
  readonly copy: string;
  #before: Buffer;

  constructor() {
    const folder = mkdtempSync(join(directory, 'pair-'));
    this.path = join(folder, 'a.db');
    this.copy = join(folder, 'b.db');
    this.source = openDatabase({ path: this.path, walAutocheckpointPages: 0 });
    this.source.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER, filling TEXT)');
    this.source.checkpoint('TRUNCATE');
    this.#before = readFileSync(this.path);
    copyFileSync(this.path, this.copy);
  }

  /** Runs SQL, and returns the pages that it changed. */
  change(sql: string) {
    this.source.exec(sql);
    this.source.checkpoint('TRUNCATE');
    const changed = changedPages(this.path, this.#before);
    this.#before = readFileSync(this.path);
    return changed;
  }
}

const insert = (from: number, count: number) =>
  `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})
   INSERT INTO t SELECT i, 1, hex(zeroblob(300)) FROM n`;

describe('PageWriter', () => {
  it('shows transactions to readers that are open, which keep their snapshots', () => {
    const pair = new Pair();
    const writer = new PageWriter(pair.copy, () => randomBytes(8));
    const reader = openDatabase({ path: pair.copy, readOnly: true, busyTimeoutMs: 1_000 });
    const slow = openDatabase({ path: pair.copy, readOnly: true, busyTimeoutMs: 1_000 });
    assert.deepEqual(sumOf(reader), { n: 0, s: 0 });
    for (let round = 0; round < 30; round += 1) {
      const { pages, size } = pair.change(insert(round * 50, 50));
      slow.exec('BEGIN');
      const before = sumOf(slow);
      writer.add(pages.slice(0, 2));
      assert.deepEqual(sumOf(reader), before, 'a part of a transaction is visible');
      writer.add(pages.slice(2));
      writer.commit(size);
      assert.deepEqual(sumOf(reader), sumOf(pair.source));
      assert.deepEqual(sumOf(slow), before, 'a snapshot changed');
      assert.equal(writer.emptyLog(), false, 'a reader needs the log');
      slow.endReading();
      if (round % 3 === 2) assert.equal(writer.emptyLog(), true);
    }
    assert.deepEqual(reader.statement('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
    reader.close();
    slow.close();
    writer.close();
    assert.equal(statSync(`${pair.copy}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0);
    pair.source.close();
  });

  it('lets readers see a changed schema, and a database that becomes smaller', () => {
    const pair = new Pair();
    const writer = new PageWriter(pair.copy, () => randomBytes(8));
    const reader = openDatabase({ path: pair.copy, readOnly: true, busyTimeoutMs: 1_000 });
    const apply = (sql: string) => {
      const { pages, size } = pair.change(sql);
      writer.add(pages);
      writer.commit(size);
    };
    apply(`${insert(0, 3000)}; CREATE INDEX i ON t (x)`);
    assert.deepEqual(sumOf(reader), { n: 3000, s: 3000 });
    apply('DELETE FROM t WHERE id > 10; DROP INDEX i; CREATE TABLE u (y); PRAGMA incremental_vacuum');
    assert.deepEqual(sumOf(reader), { n: 11, s: 11 });
    assert.equal(reader.statement('SELECT count(*) AS n FROM u').get()?.['n'], 0);
    assert.ok(writer.emptyLog());
    assert.equal(statSync(pair.copy).size, statSync(pair.path).size);
    assert.deepEqual(reader.statement('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
    reader.close();
    writer.close();
    pair.source.close();
  });

  it('forgets a transaction that is rolled back, or that a killed process left', () => {
    const pair = new Pair();
    const writer = new PageWriter(pair.copy, () => randomBytes(8));
    const first = pair.change(insert(0, 100));
    writer.add(first.pages);
    writer.commit(first.size);
    const second = pair.change(insert(100, 100));
    writer.add(second.pages);
    writer.rollBack();
    writer.add(second.pages);
    // What a kill leaves: the files as they are, with a part of the second transaction.
    const left = join(mkdtempSync(join(directory, 'left-')), 'b.db');
    for (const end of ['', '-wal', '-sums']) copyFileSync(`${pair.copy}${end}`, `${left}${end}`);
    const next = new PageWriter(left, () => randomBytes(8));
    const reader = openDatabase({ path: left, readOnly: true, busyTimeoutMs: 1_000 });
    assert.deepEqual(sumOf(reader), { n: 100, s: 100 });
    next.add(second.pages);
    next.commit(second.size);
    assert.deepEqual(sumOf(reader), { n: 200, s: 200 });
    reader.close();
    next.close();
    writer.close();
    pair.source.close();
  });
});
