// The lists of replies: their size limit, and their turns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../errors/api-error.js';
import { listInTurns } from './reply.js';

const same = (text: string) => text;

describe('the list of a reply', () => {
  it('holds definitions up to the limit of a reply, and is refused above it', async () => {
    const definition = `"${'x'.repeat(1024 * 1024 - 3)}"`; // 1 MiB with its comma
    assert.equal(await listInTurns(['"a"', '"b"'], same), '["a","b"]');
    const most = await listInTurns(Array<string>(32).fill(definition), same);
    assert.equal(most.length, 32 * 1024 * 1024 + 1);
    await assert.rejects(
      listInTurns(Array<string>(33).fill(definition), same),
      (error) => error instanceof ApiError && error.code === 'REPLY_SIZE_LIMIT_VIOLATION',
    );
  });

  it('is made in turns of the event loop, if it is long', async () => {
    let turns = 0;
    let isMade = false;
    const count = () => {
      turns += 1;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    await listInTurns(Array<string>(100).fill('"short"'), same);
    assert.equal(turns, 0);
    const definition = `"${'x'.repeat(16 * 1024 - 3)}"`;
    await listInTurns(Array<string>(41).fill(definition), same);
    isMade = true;
    assert.equal(turns, 10);
  });
});
