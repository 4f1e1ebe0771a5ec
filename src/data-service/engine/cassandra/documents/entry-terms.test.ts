// Terms: the paths that they have, and their values, which are stored.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presenceTerm, sizeTerm, termPath, valueTerm } from './entry-terms.js';

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
    ];
    assert.deepEqual(terms, [-999559433, -530019977, -1400074465, -197318231, 1973609947]);
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
