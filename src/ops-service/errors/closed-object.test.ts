// Objects report every unknown member: a newer valibot must not change that unnoticed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import { closedObject } from './closed-object.js';

const schema = closedObject({ name: v.string(), inner: v.optional(closedObject({ size: v.number() })) });

function problemsOf(checked: v.GenericSchema, input: unknown): readonly string[] {
  return (v.safeParse(checked, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '').sort();
}

describe('closedObject', () => {
  it('takes its own members', () => {
    assert.deepEqual(problemsOf(schema, { name: 'a', inner: { size: 1 } }), []);
  });

  it('reports all others, here and inside, beside what is wrong with its own', () => {
    assert.deepEqual(problemsOf(schema, { a: 1, b: 2, name: 3, inner: { c: 4, d: 5, size: 6 } }), [
      'a',
      'b',
      'inner.c',
      'inner.d',
      'name',
    ]);
  });

  it('does so where members may be left out', () => {
    const { entries } = schema;
    assert.deepEqual(problemsOf(v.partial(closedObject(entries)), { a: 1, b: 2 }), ['a', 'b']);
  });

  it('refuses lists', () => {
    assert.notDeepEqual(problemsOf(schema, []), []);
    assert.notDeepEqual(problemsOf(v.partial(schema), []), []);
  });
});
