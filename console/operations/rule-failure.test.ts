// Checks the words of problems of rules.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemText as textOf } from './rule-failure.js';

const labels = new Map([
  ['threshold', 'Threshold'],
  ['annotations', 'Annotations'],
  ['metric', 'Metric'],
]);
const problemText = (detail: string) => textOf(detail, (name) => labels.get(name) ?? name);

describe('the problem of a rule', () => {
  it('names the field as the form does', () => {
    assert.equal(problemText('threshold: must be a number'), 'Threshold must be a number');
    assert.equal(problemText('annotations.a b: must be text'), 'Annotations a b must be text');
    assert.equal(
      problemText('metric: there is no metric "x"; GET: y'),
      'Metric there is no metric "x"; GET: y',
    );
    assert.equal(problemText('must be an object'), 'must be an object');
  });
});
