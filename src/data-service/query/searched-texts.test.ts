// Texts to search for that take long to split: they are left to another thread, or refused, before they are split.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzerOf } from '../text-analysis/parse-analyzer.js';
import { withSearchedLimit } from './searched-texts.js';
import { tokensToFind } from './word-search.js';

const pattern = analyzerOf('{"tokenizer":{"name":"pattern","args":{"pattern":"a.*x|a"}}}');
const standard = analyzerOf('"standard"');
const refuse = (problem: string) => new RangeError(problem);
const leave = () => new Error('left');

/** Splits a text so many times, as a plan with so many comparisons does. */
function split(text: string, times: number, analyzer = pattern): number {
  let tokens = 0;
  for (let time = 0; time < times; time += 1) tokens += tokensToFind(text, analyzer, refuse).length;
  return tokens;
}

describe('a plan with texts to search for', () => {
  it('is left to another thread where they may take long', () => {
    assert.throws(() => withSearchedLimit(leave, split, 'b'.repeat(13_000), 1), /left/);
    assert.throws(() => withSearchedLimit(leave, split, 'b'.repeat(20), 64), /left/);
    assert.equal(withSearchedLimit(leave, split, 'b'.repeat(20), 2), 2);
    assert.equal(withSearchedLimit(leave, split, 'red '.repeat(400), 64, standard), 400 * 64);
  });

  it('is refused on every thread where they would take seconds', () => {
    assert.throws(() => withSearchedLimit(undefined, split, 'b'.repeat(1_800), 64), /too long together/);
    assert.equal(withSearchedLimit(undefined, split, 'b'.repeat(200), 64), 64);
    assert.equal(withSearchedLimit(undefined, split, 'b'.repeat(200), 64), 64, 'each plan has its own limit');
  });
});
