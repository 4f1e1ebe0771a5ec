// Numbers keep every digit from the reply to the screen and back.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  exactNumber,
  isNumber,
  isObject,
  memberAt,
  parseJson,
  plainText,
  toCount,
  writeJson,
} from './exact-json.js';

describe('exact JSON', () => {
  it('keeps every digit of numbers', () => {
    const text = '{"a":9007199254740993,"b":0.10000000000000000001,"c":[1e400,-0,1.50]}';
    assert.equal(writeJson(parseJson(text)), text);
  });

  it('takes numbers neither for objects nor for texts', () => {
    const value = parseJson('1.50');
    assert.deepEqual([isNumber(value), isObject(value), plainText(value)], [true, false, '1.50']);
    assert.equal(writeJson({ n: exactNumber('12345678901234567890') }), '{"n":12345678901234567890}');
    assert.equal(toCount(parseJson('50')), 50);
  });

  it('finds members by their path', () => {
    const value = parseJson('{"status":{"count":3}}');
    assert.equal(plainText(memberAt(value, 'status', 'count')), '3');
    assert.equal(memberAt(value, 'status', 'count', 'x'), undefined);
    assert.equal(memberAt(value, 'toString'), undefined);
  });

  it('names the position of a mistake', () => {
    assert.throws(() => parseJson('{"a":'), /position 5/);
  });
});
