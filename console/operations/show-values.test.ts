// Numbers as people read them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesText, roughNumber, shortNumber, withUnit } from './show-values.js';

describe('numbers', () => {
  it('have few digits', () => {
    assert.deepEqual([0, 0.5784, 8.66, 57.3, 161.7, 12_345, -4.56].map(roughNumber), [
      ...['0', '0.58', '8.7', '57', '162', '12.3k', '-4.6'],
    ]);
    assert.equal(shortNumber(0.041_23), '0.0412');
  });

  it('show bytes by powers of two, also of rates and differences', () => {
    assert.deepEqual([0, 0.2, 512, 1536, -2048].map(bytesText), [
      '0 B',
      '0.2 B',
      '512 B',
      '1.5 KiB',
      '-2 KiB',
    ]);
    assert.equal(bytesText(null), 'unknown');
    assert.equal(withUnit(2048, 'bytes/s'), '2 KiB/s');
    assert.equal(withUnit(2048, 'MiB'), '2 GiB');
    assert.equal(withUnit(85.04, '%'), '85 %');
    assert.equal(withUnit(1234, '1/s'), '1.23k');
  });
});
