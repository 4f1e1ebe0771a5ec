// Merging segments keeps what newer ones have of a row.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../../../foundation/sqlite/open-database.js';
import { addBuilt, keepSegments } from './keep-segments.js';
import { SegmentBuilder } from './segment-builder.js';
import { WordIndex } from './word-index.js';

const sizes = { chunk: 120, sharedList: 12, texts: 10, segments: 3 };
const tables = { postings: 'p', recent: 'r', segments: 'x', progress: 's' };
const logged = (word: string) => Buffer.from(`1\u0000${word}\u0000`);

describe('merged segments', () => {
  it('keep that a row lost a token, also if it had it again between', () => {
    const database = openDatabase({ path: ':memory:' });
    database.exec(
      'CREATE TABLE p (segment, token BLOB, row, change, postings BLOB, PRIMARY KEY (segment, token, row));' +
        'CREATE TABLE r (row INTEGER PRIMARY KEY, tokens BLOB, old BLOB);' +
        'CREATE TABLE s AS SELECT 0 AS built, 0 AS last;' +
        'CREATE TABLE x (id INTEGER PRIMARY KEY, state, level, first, last, texts, length, done)',
    );
    const addSegment = (row: number, word: string, old: string | null) => {
      const builder = new SegmentBuilder();
      builder.add(row, logged(word), old === null ? null : logged(old));
      addBuilt(database, tables, sizes, builder);
    };
    const merge = () => {
      while (keepSegments(database, { tables, sizes }, () => false) > 0) {}
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
      const { rows } = index.matched({ above: 0, through: 10 });
      return [rows, index.statistics().rows];
    };
    assert.deepEqual(rowsWith('a'), [[2, 3], [2]]);
    assert.deepEqual(rowsWith('b'), [[1], [1]]);
    database.close();
  });
});
