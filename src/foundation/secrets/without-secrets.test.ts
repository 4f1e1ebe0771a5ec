// Checks that no secret is left in a text, neither as it is nor as JSON writes it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutSecrets } from './without-secrets.js';

describe('withoutSecrets', () => {
  it('blanks every place of every secret, the longer ones first', () => {
    assert.equal(withoutSecrets('key-12 and key-123', ['key-12', 'key-123']), '*** and ***');
  });

  it('blanks a secret as JSON would have it', () => {
    assert.equal(withoutSecrets('{"key":"a\\"b\\\\c"}', ['a"b\\c']), '{"key":"***"}');
  });

  it('leaves what is too short to be a secret', () => {
    assert.equal(withoutSecrets('a cat', ['a', '']), 'a cat');
  });
});
