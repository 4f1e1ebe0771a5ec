// What alterType makes of the fields of a type.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../column-types/integers.js';
import { changedUserType } from './parse-user-type.js';

const field = (name: string) => ({ name, type: int });
const type = { keyspace: 'k', name: 't', fields: [field('a'), field('b')] };
const names = ({ fields }: typeof type) => fields.map(({ name }) => name);

describe('a changed user-defined type', () => {
  it('has renamed fields in their places, new ones behind them, and names that were freed again', () => {
    const renames = [
      ['a', 'c'],
      ['b', 'a'],
      ['c', 'b'],
    ] as const;
    assert.deepEqual(names(changedUserType(type, renames, [field('c')]) as typeof type), ['b', 'a', 'c']);
  });

  it('does not take names of fields that it has, or lacks', () => {
    const refused = (
      renames: readonly (readonly [string, string])[],
      added: readonly string[],
      code: string,
    ) => assert.throws(() => changedUserType(type, renames, added.map(field)), { code });
    refused([['a', 'b']], [], 'CANNOT_ADD_EXISTING_FIELD');
    refused([['a', 'a']], [], 'CANNOT_ADD_EXISTING_FIELD');
    refused([['a', 'c']], ['c'], 'CANNOT_ADD_EXISTING_FIELD');
    refused([], ['x', 'x'], 'CANNOT_ADD_EXISTING_FIELD');
    refused([['x', 'y']], [], 'CANNOT_RENAME_UNKNOWN_TYPE_FIELD');
    const twice = [
      ['a', 'c'],
      ['a', 'd'],
    ] as const;
    refused(twice, [], 'CANNOT_RENAME_UNKNOWN_TYPE_FIELD');
  });

  it('reads its fields a few times each, however many are added', () => {
    let reads = 0;
    const added = Array.from({ length: 1000 }, (_, at) => ({
      type: int,
      get name() {
        reads += 1;
        return `f${at}`;
      },
    }));
    assert.equal(changedUserType(type, [], added).fields.length, 1002);
    assert.ok(reads < 20_000, `${reads} reads`);
  });
});
