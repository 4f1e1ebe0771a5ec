// Which bodies the thread for large requests reads.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLargeBody } from './large-requests.js';

const kib = 1024;

/** Rows with vectors of so many bytes of base64. */
function withVectors(count: number, bytes: number): Buffer {
  const row = `{"id":1,"v":{"$binary":"${'A'.repeat(bytes)}"}}`;
  return Buffer.from(`{"insertMany":{"documents":[${Array(count).fill(row).join(',')}]}}`);
}

describe('a large body', () => {
  it('has more than 128 KiB', () => {
    assert.equal(isLargeBody(Buffer.alloc(128 * kib, ' ')), false);
    assert.equal(isLargeBody(Buffer.alloc(128 * kib + 1, ' ')), true);
  });

  it('does not count vectors in base64, up to 1 MiB', () => {
    assert.equal(isLargeBody(withVectors(100, 2 * kib)), false);
    assert.equal(isLargeBody(withVectors(100, 8 * kib)), false);
    assert.equal(isLargeBody(withVectors(100, 11 * kib)), true);
  });

  it('counts everything beside the vectors', () => {
    const [rows, filling] = [withVectors(100, 2 * kib), Buffer.alloc(127 * kib, ' ')];
    assert.equal(isLargeBody(Buffer.concat([rows, filling])), true);
    assert.equal(isLargeBody(Buffer.concat([filling, rows])), true);
    assert.equal(isLargeBody(withVectors(10_000, 1)), true);
  });

  it('may end inside a vector', () => {
    const cut = (bytes: number) => Buffer.from(`${' '.repeat(bytes)}{"$binary":"${'A'.repeat(10 * kib)}`);
    assert.equal(isLargeBody(cut(119 * kib)), true);
    assert.equal(isLargeBody(cut(100 * kib)), false);
  });
});
