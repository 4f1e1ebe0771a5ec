// The size limits of replies.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors/api-error.js';
import { listText } from './reply.js';

describe('the list of a reply', () => {
  it('holds definitions up to the limit of a reply, and is refused above it', () => {
    const definition = `"${'x'.repeat(1024 * 1024 - 3)}"`; // 1 MiB with its comma
    assert.equal(listText(['"a"', '"b"']), '["a","b"]');
    assert.equal(listText(Array<string>(32).fill(definition)).length, 32 * 1024 * 1024 + 1);
    assert.throws(
      () => listText(Array<string>(33).fill(definition)),
      (error) => error instanceof ApiError && error.code === 'REPLY_SIZE_LIMIT_VIOLATION',
    );
  });
});
