// Checks hashes of passwords.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashPassword, isPasswordHash, isPasswordOf } from './password-hash.js';

describe('the hash of a password', () => {
  it('fits this password only, and is another one each time', async () => {
    const hash = await hashPassword('right horse');
    assert.ok(isPasswordHash(hash));
    assert.equal(await isPasswordOf(hash, 'right horse'), true);
    assert.equal(await isPasswordOf(hash, 'right horses'), false);
    assert.notEqual(await hashPassword('right horse'), hash);
    assert.doesNotMatch(hash, /horse/);
  });

  it('does not depend on how a keyboard composes letters', async () => {
    assert.equal(await isPasswordOf(await hashPassword('Z\u00fcrich'), 'Zu\u0308rich'), true);
  });

  it('has one form, whose cost cannot be changed', async () => {
    const hash = await hashPassword('x');
    for (const bad of ['', 'x', hash.replace('32768', '2'), hash.replace('32768', '1048576'), `${hash}A`]) {
      assert.equal(isPasswordHash(bad), false, bad);
      assert.equal(await isPasswordOf(bad, 'x'), false, bad);
    }
  });
});
