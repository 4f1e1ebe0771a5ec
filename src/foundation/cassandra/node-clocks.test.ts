// Which node is chosen by its clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from './cql-session.js';
import { firstOfAgreeingClocks } from './node-clocks.js';
import { CassandraFailure } from './session.js';

const presentMs = Date.UTC(2026, 10, 29);

/** Nodes by what their clocks are ahead, in ms; undefined: the node does not answer. */
function nodesWith(...ahead: readonly (number | undefined)[]): readonly CqlNode[] {
  return ahead.map((ms) => ({
    run: async () => {
      if (ms === undefined) throw new CassandraFailure('unanswered', 'no answer');
      return { rows: [[new Date(presentMs + ms)]], next: null, bytes: 0 };
    },
  }));
}

describe('firstOfAgreeingClocks', () => {
  for (const [what, ahead, place] of [
    ['the only node', [500_000], 0],
    ['the first node where all agree', [1_500, 0, 1], 0],
    ['the next one where the first is ahead', [150_832, 0, 30], 1],
    ['the next one where the first is behind', [-292_690, 0, 30], 1],
    ['the first where another is ahead', [0, 150_832, 30], 0],
    ['one of most where two are wrong', [9_000, -9_000, 0, 0, 0], 2],
    ['the first one that answers', [undefined, 0, 30], 1],
  ] as const)
    it(`chooses ${what}`, async () => {
      const nodes = nodesWith(...ahead);
      assert.equal(await firstOfAgreeingClocks(nodes), nodes[place]);
    });

  it('chooses none where no clock agrees with most, and says how far they differ', async () => {
    for (const ahead of [
      [150_832, 0],
      [undefined, 0, 150_832],
      [0, -75_000, 75_832],
    ])
      await assert.rejects(
        firstOfAgreeingClocks(nodesWith(...ahead)),
        (error) =>
          error instanceof CassandraFailure &&
          error.kind === 'unavailable' &&
          /clocks of the nodes differ by 151 s.*nothing was changed/.test(error.message),
      );
  });

  it('fails as the nodes do where none answers', async () => {
    await assert.rejects(firstOfAgreeingClocks(nodesWith(undefined, undefined)), /no answer/);
  });
});
