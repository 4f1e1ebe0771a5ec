// Checks the hint for a misspelled name.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestName } from './nearest-name.js';

const commands = ['deleteMany', 'deleteOne', 'find', 'findOne', 'insertMany', 'insertOne', 'updateOne'];

describe('the nearest name', () => {
  const cases: readonly (readonly [name: string, nearest: string | undefined])[] = [
    ['insertone', 'insertOne'],
    ['inserOne', 'insertOne'],
    ['findone', 'findOne'],
    ['fnd', 'find'],
    ['fidn', 'find'],
    ['countDocuments', undefined],
    ['', undefined],
    ['insertOne'.repeat(100_000), undefined],
  ];
  for (const [name, nearest] of cases) {
    it(`of ${name.slice(0, 20)} is ${nearest}`, () => assert.equal(nearestName(name, commands), nearest));
  }
});
