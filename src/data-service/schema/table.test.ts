// Tables: identities of columns, keys, labels.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../column-types/integers.js';
import { text } from '../column-types/text.js';
import { type Column, makeColumn, makeTable } from './table.js';

const table = makeTable(
  { id: 7, version: 3, keyspace: 'k' },
  {
    name: 't',
    columns: [
      { name: 'n', type: int },
      { name: 'p', type: text },
      { name: 'c', type: int },
      { name: 'd', type: int },
    ],
    partitionKey: ['p'],
    clustering: [
      { name: 'd', direction: -1 },
      { name: 'c', direction: 1 },
    ],
  },
);

describe('makeTable', () => {
  it('numbers the columns from 1 in the order of the definition', () => {
    assert.deepEqual(shown(table.columns), ['1 n', '2 p', '3 c', '4 d']);
  });

  it('puts the partition columns before the clustering columns in the key', () => {
    assert.deepEqual(shown(table.keyColumns), ['2 p', '4 d', '3 c']);
    assert.deepEqual(
      table.keyOrder.map(({ direction }) => direction),
      [1, -1, 1],
    );
  });

  it('takes the ids and the dropped columns that are given', () => {
    const gone = { ...makeColumn(9, { name: 'gone', type: int }), isEmpty: false };
    const definition = {
      name: 't',
      columns: [{ name: 'p', type: int }],
      partitionKey: ['p'],
      clustering: [],
    };
    const made = makeTable(table, definition, [{ id: 5, engineState: 2 }], [gone]);
    assert.deepEqual([shown(made.columns), shown(made.droppedColumns)], [['5 p'], ['9 gone']]);
  });

  it('does not make a table whose key names no column', () => {
    const definition = { name: 't', columns: [], partitionKey: ['p'], clustering: [] };
    assert.throws(() => makeTable(table, definition), /unknown column p/);
  });

  it('labels columns with their names as JSON', () => {
    assert.equal(makeColumn(1, { name: 'a"\n', type: int }).label, '"a\\"\\n":');
    const column = makeColumn(1, { name: 'a', type: int });
    assert.deepEqual(makeColumn(2, column, 3), { ...column, id: 2, engineState: 3 });
  });
});

function shown(columns: readonly Pick<Column, 'id' | 'name'>[]): readonly string[] {
  return columns.map(({ id, name }) => `${id} ${name}`);
}
