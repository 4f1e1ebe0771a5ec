// Where JSON is wrong: the line and the column.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonProblem } from './json-problem.js';

describe('a problem of JSON', () => {
  it('names the line and the column, from 1 on', () => {
    assert.equal(jsonProblem('{"a": [1, 2]}'), undefined);
    assert.match(jsonProblem('{"a":1,}') ?? '', /^Line 1, column 8: .*got '}'$/);
    assert.match(jsonProblem('{\n  "a": 1\n  "b": 2\n}') ?? '', /^Line 3, column 3: Comma/);
    assert.match(jsonProblem('{\n"a": [1,\n') ?? '', /^Line 3, column 1: .*end of input$/);
    assert.match(jsonProblem('') ?? '', /^Line 1, column 1: /);
    assert.match(jsonProblem('{\n"a": 1, "a": 2}') ?? '', /^Line 2, column \d+: Duplicate key 'a'$/);
  });
});
