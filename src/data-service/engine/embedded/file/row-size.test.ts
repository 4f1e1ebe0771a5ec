// The size of rows: what is counted, and the limit.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxBodyBytes } from '../../../../foundation/http/server.js';
import { maxRowBytes } from '../../../schema/row-limit.js';
import { fitsInRow } from './row-size.js';

describe('the size of a row', () => {
  it('is at most that of a body', () => assert.equal(maxRowBytes, maxBodyBytes));

  it('is the sum of the bytes of texts and blobs', () => {
    const blob = new Uint8Array(maxRowBytes - 3);
    assert.equal(fitsInRow([1, 2n, null, blob, 'é', 'x']), true);
    assert.equal(fitsInRow([1, 2n, null, blob, 'é', 'é']), false);
    assert.equal(fitsInRow(['x'.repeat(maxRowBytes)]), true);
    assert.equal(fitsInRow(['x'.repeat(maxRowBytes), 'x']), false);
  });
});
