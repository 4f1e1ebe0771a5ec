// Places survive the way through the address bar.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitsAddress, hrefOf, longestSubject, parsePart, parsePlace, partText } from './url-state.js';

describe('places', () => {
  it('are read from the hash that a link wrote', () => {
    const path = ['data', 'a b', 'x/y?z#%'];
    const query = { filter: '{"a":"&=+ ü"}', tab: 'rows' };
    assert.deepEqual(parsePlace(hrefOf(path, query)), { path, query });
  });

  it('leave out values that are empty', () => {
    assert.equal(hrefOf(['data'], { tab: '', filter: undefined }), '#/data');
  });

  it('take what is not percent-encoded as it is', () => {
    assert.deepEqual(parsePlace('#/data/100%'), { path: ['data', '100%'], query: {} });
    assert.deepEqual(parsePlace(''), { path: [], query: {} });
  });
});

describe('parts of the query', () => {
  it('are a kind, and what follows its colon', () => {
    for (const part of [
      { kind: 'row', subject: '{"a":"b:c"}' },
      { kind: 'insert', subject: '' },
    ])
      assert.deepEqual(parsePart(partText(part)), part);
    assert.deepEqual(parsePart(''), { kind: '', subject: '' });
  });

  it('fit into an address as long as they are short in it', () => {
    assert.equal(fitsAddress('a'.repeat(longestSubject)), true);
    assert.equal(fitsAddress('a'.repeat(longestSubject + 1)), false);
    assert.equal(fitsAddress('日'.repeat(longestSubject / 9 + 1)), false);
  });
});
