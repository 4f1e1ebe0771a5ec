// Checks that totals depend on the rows and not on their order.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { areSameRows, noRows, RowChecksum, type RowTotals } from './row-checksum.js';

function totalsOf(rows: readonly string[], from?: RowTotals): RowTotals {
  const sum = new RowChecksum(from);
  for (const row of rows) sum.add(row);
  return sum.totals();
}

const rows = Array.from({ length: 100 }, (_, at) => `{"id":${at}}`);

describe('RowChecksum', () => {
  it('is the SHA-256 of one row', () => {
    const checksum = createHash('sha256').update('{"id":1}').digest('hex');
    assert.deepEqual(totalsOf(['{"id":1}']), { rows: 1, checksum });
    assert.deepEqual(totalsOf([]), noRows);
  });

  it('is the same in any order, and continues from stored totals', () => {
    const all = totalsOf(rows);
    assert.deepEqual(totalsOf(rows.toReversed()), all);
    assert.deepEqual(totalsOf(rows.slice(40), totalsOf(rows.slice(0, 40))), all);
    assert.match(all.checksum, /^[0-9a-f]{64}$/);
  });

  it('differs for other rows, also as many', () => {
    const other = ['{"id":100}', ...rows.slice(1)];
    assert.ok(areSameRows(totalsOf(rows), totalsOf(rows)));
    assert.ok(!areSameRows(totalsOf(rows), totalsOf(other)));
    assert.ok(!areSameRows(totalsOf(rows), totalsOf(rows.slice(1))));
    assert.ok(!areSameRows(totalsOf(['a', 'a']), totalsOf([])));
  });
});
