// Checks the table that is printed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatRows } from './format-rows.js';

describe('formatRows', () => {
  it('lines columns up and counts rows', () => {
    const rows = [
      ['1', 'é😀'],
      ['20', 'null'],
    ];
    assert.equal(
      formatRows({ columns: ['id', 'name'], rows }),
      ' id | name\n----+------\n 1  | é😀\n 20 | null\n\n(2 rows)\n',
    );
  });

  it('says that there are no rows', () => {
    assert.equal(formatRows({ columns: ['id'], rows: [] }), ' id\n----\n\n(0 rows)\n');
    assert.equal(formatRows({ columns: ['id'], rows: [['1']] }), ' id\n----\n 1\n\n(1 row)\n');
  });

  it('writes nothing where there are no columns', () => {
    assert.equal(formatRows({ columns: [], rows: [] }), '');
  });
});
