// Terms: the paths that they have, and their values, which are stored.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bucketTerm, presenceTerm, sizeTerm, termPath, tokenTerm, valueTerm } from './entry-terms.js';
import type { KeyBucket } from './key-buckets.js';

describe('the path of terms', () => {
  it('leaves places in arrays out, and names that could be places', () => {
    const paths = ['a', 'a.&*', 'a.&*.&*', 'a.b.&*.c', 'a.0', 'a.0.12.b', 'a.01', '0', '0.0'];
    assert.deepEqual(paths.map(termPath), ['a', 'a', 'a', 'a.b.c', 'a', 'a.b', 'a.01', '0', '0']);
  });

  it('keeps escaped characters', () => {
    const paths = ['a&.5', 'a&&.5', 'a&&&.5', 'a&.b.&*', 'a&&.&*', 'a.&&', 'a.&.0'];
    assert.deepEqual(paths.map(termPath), ['a&.5', 'a&&', 'a&&&.5', 'a&.b', 'a&&', 'a.&&', 'a.&.0']);
  });
});

describe('terms', () => {
  it('have the values that are stored in clusters', () => {
    const size = Buffer.from('0500000002aabbccddeeff', 'hex');
    const terms = [
      presenceTerm('a.b'),
      valueTerm('a', 'x'),
      valueTerm('a', 1),
      valueTerm('a', -0),
      sizeTerm('a', size),
      tokenTerm('roof'),
      valueTerm('a', 1.5),
      valueTerm('é.b', Buffer.of(6, 255)),
      valueTerm('a', 12345678901234567890n),
    ];
    const values = [-999559433, -530019977, -1400074465, -197318231, 1973609947];
    assert.deepEqual(terms, [...values, -813237788, 1786100624, 977387175, -1494752475]);
  });

  it('of buckets have the values that are stored in clusters', () => {
    const stored: readonly (readonly [...Parameters<typeof bucket>, term: number])[] = [
      ['number', 0, 65_535, -1110422739],
      ['number', 12, 8, -157008711],
      ['text', 8, 97, 216411183],
      ['boolean', 0, 1, -31981600],
      ['date', 4, 0, -881189528],
      ['date', 0, 50_402, -862211514],
    ];
    for (const [kind, bits, number, term] of stored)
      assert.equal(bucketTerm('a.b', bucket(kind, bits, number)), term);
  });

  it('differ for values of different types, and are the same for both zeros', () => {
    assert.notEqual(valueTerm('a', '1'), valueTerm('a', 1));
    assert.equal(valueTerm('a', -0), valueTerm('a', 0));
  });

  it('of sizes are those of arrays alone', () => {
    assert.equal(sizeTerm('a', 'x'), undefined);
    assert.equal(sizeTerm('a', Buffer.of(4, 1, 2, 3, 4, 5)), undefined);
  });
});

function bucket(kind: KeyBucket['kind'], bits: number, number: number): KeyBucket {
  return { kind, bits, number };
}
