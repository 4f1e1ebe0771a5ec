// Stored lists, sets and maps of floats: what replies show is what their values are written as.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { listOf, mapOf, setOf } from './containers.js';
import { double, float } from './floats.js';
import { text } from './text.js';

const limits = { maxDepth: 10, maxNumberLength: 1_000 };
const numbers = ['1', '-0.0', '0', '"NaN"', '-7', '2.5', '1e21', '1e20', '123456', '"-Infinity"', '1e-7'];
const names = ['a', ':1}', '"', '\\', ',2', '":3,', '', '\\":4}'];

describe('a stored value with floats', () => {
  for (const member of [float, double]) {
    it(`is shown as it is written: list and set of ${member.name}`, () => {
      for (const type of [listOf(member), setOf(member)]) {
        for (const shown of [numbers, [...numbers, '1', '1'], ['1'], ['"NaN"']]) {
          const value = type.parse(parseJson(`[${shown.join()}]`, limits));
          const stored = String(type.sql.encode(value));
          assert.equal(type.sql.written?.(stored), type.serialize(value));
          assert.deepEqual(type.sql.decode(stored), value);
        }
      }
    });

    it(`is shown as it is written: map to ${member.name}`, () => {
      const type = mapOf(text, member);
      const members = names.flatMap((name, at) =>
        numbers.map((number, other) => `${JSON.stringify(`${name}${at}${other}${name}`)}:${number}`),
      );
      const value = type.parse(parseJson(`{${members.join()}}`, limits));
      const stored = String(type.sql.encode(value));
      assert.equal(type.sql.written?.(stored), type.serialize(value));
      assert.deepEqual(type.sql.decode(stored), value);
    });
  }

  for (const [kind, key] of [
    ['plain', 'k'.repeat(16 * 1024 * 1024)],
    ['full of escapes', '"\\'.repeat(4 * 1024 * 1024)],
  ] as const)
    it(`is shown with a key of 16 MB that is ${kind}`, () => {
      const stored = `{${JSON.stringify(key)}:1,"a":2.5}`;
      const shown = `${stored.slice(0, -',"a":2.5}'.length)}.0,"a":2.5}`;
      // A failed comparison of texts of this size would show them.
      assert.ok(mapOf(text, double).sql.written?.(stored) === shown);
    });

  it('keeps the stored form of earlier versions, without points', () => {
    const value = listOf(double).parse(parseJson('[1.0,2.5,-0.0]', limits));
    assert.equal(listOf(double).sql.encode(value), '[1,2.5,-0.0]');
    assert.equal(listOf(double).serialize(value), '[1.0,2.5,-0.0]');
  });
});
