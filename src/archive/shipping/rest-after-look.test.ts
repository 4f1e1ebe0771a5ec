// The rest of the archive thread, by what it did before.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restAfterLook } from './rest-after-look.js';

describe('the rest after a look at the logs', () => {
  it('is 250 ms if little was written, and longer the more the thread worked', () => {
    assert.equal(restAfterLook(10, 5), 250);
    assert.equal(restAfterLook(100, 80), 320);
    assert.equal(restAfterLook(150, 140), 560);
  });

  it('is shorter where a look takes long, but never less than 100 ms', () => {
    assert.equal(restAfterLook(300, 290), 450);
    assert.equal(restAfterLook(600, 10), 150);
    assert.equal(restAfterLook(2_000, 500), 100);
  });
});
