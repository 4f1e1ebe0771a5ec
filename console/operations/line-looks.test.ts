// Lines differ without their colours, and legends show the same dashes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { legendBackground, lookCount, lookOf } from './line-looks.js';

describe('the looks of lines', () => {
  it('differ in their dashes as in their colours, and begin again behind the last', () => {
    const looks = Array.from({ length: lookCount }, (_, at) => lookOf(at));
    assert.equal(new Set(looks.map(({ dash }) => dash.join())).size, lookCount);
    assert.equal(new Set(looks.map(({ colour }) => colour)).size, lookCount);
    assert.deepEqual(lookOf(lookCount), lookOf(0));
  });

  it('are those of the legend', () => {
    assert.equal(legendBackground(0), 'var(--series-1)');
    assert.equal(
      legendBackground(1),
      'repeating-linear-gradient(to right, var(--series-2) 0px 8px, transparent 8px 12px)',
    );
  });
});
