// Merging segments keeps what newer ones have of a row.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { addBuilt, keepSegments } from './keep-segments.js';
import { SegmentBuilder } from './segment-builder.js';
import { WordIndex } from './word-index.js';

const sizes = { chunk: 120, sharedList: 12, texts: 10, segments: 3 };
const tables = { postings: 'p', recent: 'r', segments: 'x', progress: 's' };
const logged = (word: string) => Buffer.from(`1\u0000${word}\u0000`);

function emptyIndex(): Database {
  const database = openDatabase({ path: ':memory:' });
  database.exec(
    'CREATE TABLE p (segment, token BLOB, row, change, postings BLOB, PRIMARY KEY (segment, token, row));' +
      'CREATE TABLE r (row INTEGER PRIMARY KEY, tokens BLOB, old BLOB);' +
      'CREATE TABLE s AS SELECT 0 AS built, 0 AS last;' +
      'CREATE TABLE x (id INTEGER PRIMARY KEY, state, level, first, last, texts, length, done)',
  );
  return database;
}

describe('merged segments', () => {
  it('keep that a row lost a token, also if it had it again between', () => {
    const database = emptyIndex();
    const addSegment = (row: number, word: string, old: string | null) => {
      const builder = new SegmentBuilder();
      builder.add(row, logged(word), old === null ? null : logged(old));
      addBuilt(database, tables, sizes, builder);
    };
    const merge = () => {
      while (keepSegments(database, { tables, sizes, isAtRest: false }, () => false) > 0) {}
    };
    for (const row of [1, 2, 3]) addSegment(row, 'a', null);
    merge();
    addSegment(1, 'b', 'a');
    addSegment(1, 'a', 'b');
    addSegment(1, 'b', 'a');
    merge();
    assert.equal(database.statement('SELECT count(*) AS count FROM x').get()?.['count'], 2);
    const rowsWith = (token: string) => {
      const index = new WordIndex(database, tables, [token]);
      return [index.rows({ above: 0, through: 10 }), index.statistics().rows];
    };
    assert.deepEqual(rowsWith('a'), [[2, 3], [2]]);
    assert.deepEqual(rowsWith('b'), [[1], [1]]);
    database.close();
  });

  it('are few at rest: each covers four times as many ages as all newer ones', () => {
    const database = emptyIndex();
    const run = (isAtRest: boolean) => {
      while (keepSegments(database, { tables, sizes, isAtRest }, () => true) > 0) {}
      const found = database.statement('SELECT first, last FROM x WHERE state = 0 ORDER BY first').all();
      return found.map(({ first, last }) => Number(last) - Number(first) + 1);
    };
    for (let row = 1; row <= 110; row += 1) {
      database.statement('INSERT INTO r VALUES (?, ?, NULL)').run([row, logged('a')]);
      run(false);
    }
    assert.deepEqual(run(false), [9, 1, 1]);
    assert.deepEqual(run(true), [9, 2]);
    database.statement('INSERT INTO r VALUES (111, ?, NULL)').run([logged('a')]);
    assert.deepEqual(run(false), [9, 2], 'a text that is logged');
    assert.deepEqual(run(true), [12], 'nothing is logged');
    const index = new WordIndex(database, tables, ['a']);
    assert.equal(index.rows({ above: 0, through: 200 }).length, 111);
    assert.deepEqual(index.statistics(), { texts: 111, length: 111, rows: [111] });
    database.close();
  });
});
