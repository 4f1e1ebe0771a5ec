// Places survive the way through the address bar.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hrefOf, parsePlace } from './url-state.js';

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
