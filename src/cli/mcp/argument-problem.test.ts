// Checks what assistants read about wrong arguments.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { argumentProblem } from './argument-problem.js';

const tool = { name: 'find', properties: { name: {}, filter: {}, limit: {} }, required: ['name'] };

describe('argumentProblem', () => {
  it('names an unknown argument, the nearest one and those that exist', () => {
    assert.equal(
      argumentProblem(tool, { name: 'a', limt: 1 }, 'data must NOT have additional properties'),
      'there is no argument "limt". Did you mean "limit"? The arguments of find: name (required), filter, limit.',
    );
  });

  it('names a missing argument', () => {
    assert.match(argumentProblem(tool, {}, 'x'), /^the argument "name" is missing\. The arguments of find: /);
    assert.match(
      argumentProblem({ ...tool, properties: {} }, { a: 1 }, 'x'),
      /The arguments of find: none\.$/,
    );
  });

  it('names the argument that has a wrong value', () => {
    const values = { name: 'a', limit: 1000, filter: {} };
    assert.equal(argumentProblem(tool, values, 'data/limit must be <= 100'), '"limit" must be <= 100');
    assert.equal(argumentProblem(tool, values, 'data/filter/a/0 must be x'), '"filter/a/0" must be x');
    assert.equal(argumentProblem(tool, { name: 1 }, 'data must be object'), 'the arguments must be object');
  });
});
