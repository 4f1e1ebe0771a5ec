// The limits of finishing a read: sizes of values, and the work to find the first rows.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { columnTypeOfName } from '../column-types/type-names.js';
import { bytesOf, FirstRows } from './finish-limits.js';

interface Found {
  readonly row: readonly unknown[];
}

const jsonLimits = { maxDepth: 1, maxNumberLength: 1000 };
const int = { type: typeNamed('int') };
const text = { type: typeNamed('text') };

describe('the size of a row', () => {
  it('counts what values hold, also where nothing of it can be seen', () => {
    class Hidden {
      readonly #text = 'x'.repeat(1000);
      toString() {
        return this.#text;
      }
    }
    const hidden = { type: { ...text.type, serialize: (value: unknown) => `"${value}"` } };
    assert.equal(bytesOf([new Hidden()], [hidden]), 2004);
    const list = { type: typeNamed('list<text>') };
    assert.ok(bytesOf([list.type.parse(['x'.repeat(1000)])], [list]) >= 2000);
    const decimal = { type: typeNamed('decimal') };
    assert.ok(bytesOf([decimal.type.parse(parseJson('1'.repeat(1000), jsonLimits))], [decimal]) >= 1000);
    const varint = { type: { ...int.type, serialize: () => assert.fail('digits take too long to write') } };
    assert.equal(bytesOf([1n << 8000n], [varint]), 1000);
    assert.equal(bytesOf([1, null, 'ab'], [int, int, text]), 8 + 8 + 4);
  });
});

describe('the first rows of an order', () => {
  const beyond = new Error('too many bytes');
  /** Adds `count` different rows of 8 bytes, in a mixed order; returns the first of them. */
  const firstOf = (count: number, wanted: number, mostBytes: number) => {
    let compared = 0;
    const compare = (left: Found, right: Found) => {
      compared += 1;
      return Number(left.row[0]) - Number(right.row[0]);
    };
    const first = new FirstRows<Found>({ wanted, columns: [int], mostBytes }, compare, () => beyond);
    for (let at = 0; at < count; at += 1) first.add({ row: [(at * 7919) % count] });
    return { rows: first.sorted().map(({ row }) => row[0]), compared };
  };

  it('are refused where they have more bytes than may be held, however few rows come', () => {
    assert.throws(() => firstOf(2, 2, 15), beyond);
    assert.deepEqual(firstOf(2, 2, 16).rows, [0, 1]);
  });

  it('are not sorted at every row once they have almost as many bytes as may be held', () => {
    const { rows, compared } = firstOf(10_000, 1000, 8000);
    assert.deepEqual(
      rows,
      Array.from({ length: 1000 }, (_, at) => at),
    );
    assert.ok(compared < 1_000_000, `${compared} comparisons`);
  });
});

function typeNamed(name: string) {
  const type = columnTypeOfName(name);
  assert.ok(type, `the type ${name} exists`);
  return type;
}
