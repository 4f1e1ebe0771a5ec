// Entries stay complete while segments are merged, documents change in between, and merges are interrupted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import type { SqlValue } from '../../../../foundation/sqlite/sql-value.js';
import {
  addEntriesText,
  createEntriesStatements,
  putSegmentText,
  removeEntryText,
} from '../statements/entry-statements.js';
import { EntrySegments } from './entry-segments.js';
import { SegmentMerges } from './segment-merges.js';

const table = { id: 7 };
const sizes = { filled: 40, copied: 30, deleted: 20, largestAtRest: 2_000, most: 40 };

describe('the segments of entries', () => {
  it('keep the entries of each document while they are merged', () => {
    const written = new WrittenEntries();
    for (let document = 1; document <= 1_500; document += 1) {
      written.insert(document);
      if (document % 3 === 0) written.change(1 + ((document * 7919) % document));
      written.step(false);
      if (document % 400 === 0) written.openAgain();
    }
    written.check();
    const underLoad = written.segmentCount;
    for (let steps = 0; written.step(true); steps += 1) {
      if (steps % 5 === 0) written.change(1 + ((steps * 104_729) % 1_500));
      if (steps === 60 || steps === 300) written.openAgain();
      assert.ok(steps < 5_000, 'merges at rest end');
    }
    written.check();
    assert.ok(underLoad < 40, `under load there are ${underLoad} segments`);
    assert.ok(written.segmentCount <= 5, `at rest there are ${written.segmentCount} segments`);
  });

  it('begins a new segment when one is full, whatever was opened again meanwhile', () => {
    const written = new WrittenEntries();
    for (let document = 1; document <= 100; document += 1) {
      written.insert(document);
      written.openAgain();
    }
    assert.equal(written.segmentCount, Math.ceil(100 / Math.floor(sizes.filled / 3)));
    written.check();
  });

  it('are merged at rest but for the largest', () => {
    const found = mergedAtRest([sizes.largestAtRest + 1, sizes.largestAtRest, 500, 500, 0]);
    assert.deepEqual(found, [2_001, 3_000, 0]);
  });

  it('are merged at rest before and between larger ones, too', () => {
    assert.deepEqual(mergedAtRest([700, 700, 2_500, 10, 2_600, 300, 200, 900, 2_700, 5, 0]), [
      ...[1_400, 2_500, 10, 2_600, 1_400, 2_700, 5, 0],
    ]);
  });

  it('are few at rest after so many inserts that merges were behind', () => {
    const found = mergedAtRest([...Array(58).fill(768), ...Array(140).fill(48), 0]);
    assert.ok(found.length <= 8, found.join(' '));
    assert.equal(
      found.reduce((sum, entries) => sum + entries, 0),
      58 * 768 + 140 * 48,
    );
  });
});

/** The numbers of entries of the segments that merges at rest leave of segments with these. */
function mergedAtRest(entries: readonly number[]): readonly number[] {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of createEntriesStatements(table)) database.exec(sql);
  for (const [at, count] of entries.entries())
    database.statement(putSegmentText(table)).run([at * 100, at + 1, count]);
  const segments = new EntrySegments(table, database, sizes);
  const merges = new SegmentMerges(table, segments, database, sizes);
  while (database.transaction(() => merges.step(true))) {}
  return segments.list.map((segment) => segment.entries);
}

/** Documents with some entries each, in a database and in a map. */
class WrittenEntries {
  readonly #database: Database;
  readonly #entries = new Map<number, Set<number>>();
  #segments: EntrySegments;
  #merges: SegmentMerges;
  #value = 0;

  constructor() {
    this.#database = openDatabase({ path: ':memory:' });
    for (const { sql } of createEntriesStatements(table)) this.#database.exec(sql);
    this.#segments = new EntrySegments(table, this.#database, sizes);
    this.#merges = new SegmentMerges(table, this.#segments, this.#database, sizes);
  }

  get segmentCount(): number {
    return this.#segments.list.length;
  }

  insert(document: number): void {
    const values = [this.#newValue(), this.#newValue(), this.#newValue()];
    this.#entries.set(document, new Set(values));
    const segment = this.#segments.idForNew(document, values.length);
    for (const value of values) this.#add(segment, entryOf(value, document));
  }

  /** One entry instead of another, as the writer does it. */
  change(document: number): void {
    const values = this.#entries.get(document) ?? new Set();
    const [removed = 0] = values;
    const added = this.#newValue();
    const segment = this.#segments.idOf(document);
    const target = this.#merges.targetOf(segment);
    const remove = this.#database.statement(removeEntryText(table));
    for (const id of [segment, target]) if (id !== undefined) remove.run([id, ...entryOf(removed, document)]);
    this.#add(segment, entryOf(added, document));
    this.#merges.noteAdded(segment, entryOf(added, document));
    values.delete(removed);
    values.add(added);
  }

  step(isAtRest: boolean): boolean {
    return this.#database.transaction(() => this.#merges.step(isAtRest));
  }

  /** Does what the end of a process does: a merge under way is lost. */
  openAgain(): void {
    this.#segments = new EntrySegments(table, this.#database, sizes);
    this.#merges = new SegmentMerges(table, this.#segments, this.#database, sizes);
  }

  /** The entries of a document are those of the map, in its segment; others are of no segment. */
  check(): void {
    const sql =
      'SELECT entry.document, entry.value FROM d7 AS entry JOIN e7 AS segment ON segment.id = entry.segment ' +
      'WHERE segment.first = (SELECT max(first) FROM e7 WHERE first <= entry.document)';
    const stored = this.#database.statement(sql, { returnArrays: true }).all();
    const expected = [...this.#entries].flatMap(([document, values]) =>
      [...values].map((value) => `${document} ${value}`),
    );
    assert.deepEqual(stored.map((row) => row.join(' ')).sort(), expected.sort());
    const all = this.#database.statement('SELECT count(*) FROM d7 WHERE segment IN (SELECT id FROM e7)', {
      returnArrays: true,
    });
    assert.deepEqual(all.get(), [expected.length]);
  }

  #add(segment: number, entry: readonly SqlValue[]): void {
    this.#database.statement(addEntriesText(table, 1)).run([segment, ...entry]);
  }

  /** In no order. */
  #newValue(): number {
    this.#value += 1;
    return (this.#value * 7_919) % 100_003;
  }
}

/** Path, key and document. */
function entryOf(value: number, document: number): readonly SqlValue[] {
  return [1 + (value % 5), value, document];
}
