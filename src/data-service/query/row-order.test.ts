// Positions in an order of columns: they are read back unchanged, and belong to one order.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../foundation/json/parse-json.js';
import { int } from '../column-types/integers.js';
import { columnTypes } from '../column-types/registry.js';
import { text } from '../column-types/text.js';
import { makeTable } from '../schema/table.js';
import { OutdatedPosition, readPosition, writePosition } from './row-order.js';

describe('positions', () => {
  for (const type of columnTypes.filter(({ traits }) => traits.key)) {
    it(`keep every value of ${type.name}`, () => {
      const { keyOrder } = makeTable(
        { id: 3, version: 1, keyspace: 'k' },
        { name: 't', columns: [{ name: 'id', type }], partitionKey: ['id'], clustering: [] },
      );
      for (const example of type.examples.accepts) {
        const value = type.parse(parseJson(example, { maxDepth: 9, maxNumberLength: 100 }));
        const values = readPosition(keyOrder, writePosition(keyOrder, [value]));
        assert.equal(values.length, 1);
        assert.equal(type.serialize(values[0]), type.serialize(value));
      }
    });
  }

  it('are refused in another order than the one in which they were given', () => {
    const { keyOrder } = makeTable(
      { id: 1, version: 1, keyspace: 'k' },
      {
        name: 't',
        columns: [
          { name: 'p', type: text },
          { name: 'c', type: int },
        ],
        partitionKey: ['p'],
        clustering: [{ name: 'c', direction: 1 }],
      },
    );
    const position = writePosition(keyOrder, ['p', 5]);
    assert.deepEqual(readPosition(keyOrder, position), ['p', 5]);
    const others = [
      keyOrder.toReversed(),
      keyOrder.slice(0, 1),
      keyOrder.map(({ column }) => ({ column, direction: -1 as const })),
    ];
    for (const other of others) assert.throws(() => readPosition(other, position), OutdatedPosition);
    const ofText = writePosition(keyOrder.slice(0, 1), ['p']);
    const ofNumber = keyOrder.slice(0, 1).map(({ column, direction }) => {
      return { column: { ...column, type: int }, direction };
    });
    assert.throws(() => readPosition(ofNumber, ofText), OutdatedPosition);
  });
});
