// Checks which versions of Node are refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeProblem } from './node-problem.js';

describe('nodeProblem', () => {
  it('refuses versions before 20, and says what to install', () => {
    assert.match(
      nodeProblem('18.20.1') ?? '',
      /^Node 18\.20\.1 is too old: Colonnade needs Node 20 or later/,
    );
    for (const version of ['20.0.0', '22.15.0', '26.1.0']) assert.equal(nodeProblem(version), undefined);
  });
});
