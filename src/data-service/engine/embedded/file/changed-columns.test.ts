// Columns added to a table and dropped from it: their ids, the versions of the table, what is remembered of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ColumnType } from '../../../column-types/column-type.js';
import { columnTypeNamed } from '../../../column-types/registry.js';
import { type Column, makeTable, type Table, withoutColumns } from '../../../schema/table.js';
import { withColumns } from './column-slots.js';

const [int, text] = [typeNamed('int'), typeNamed('text')];
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

describe('withColumns', () => {
  const after = withColumns(table, [
    { name: 'a', type: int },
    { name: 'b', type: text },
  ]);

  it('puts the columns behind the others, in the next version of the same table', () => {
    assert.deepEqual(shown(after.columns), ['1 n', '2 p', '3 c', '4 d', '5 a', '6 b']);
    assert.deepEqual([after.id, after.version, after.keyspace, after.name], [7, 4, 'k', 't']);
    assert.equal(after.columnsByName.get('b'), after.columns[5]);
  });

  it('keeps the key and the existing columns, the same objects', () => {
    assert.deepEqual(after.keyOrder, table.keyOrder);
    assert.ok(table.columns.every((column) => after.columns.includes(column)));
    assert.ok(table.keyColumns.every((column, at) => after.keyColumns[at] === column));
  });

  it('leaves the table before as it was', () => {
    assert.deepEqual([table.version, table.columns.length, table.columnsByName.has('a')], [3, 4, false]);
  });
});

describe('withoutColumns', () => {
  const dropped = withoutColumns(withColumns(table, [{ name: 'a', type: text }]), [columnOf(table, 'n')]);

  it('keeps what was dropped in mind, in the next version', () => {
    assert.deepEqual(shown(dropped.columns), ['2 p', '3 c', '4 d', '5 a']);
    assert.deepEqual(shown(dropped.droppedColumns), ['1 n']);
    assert.deepEqual([dropped.version, dropped.columnsByName.has('n')], [5, false]);
    assert.deepEqual(dropped.keyOrder, table.keyOrder);
  });

  it('never gives an id again, neither of a column nor of a dropped one', () => {
    const last = withoutColumns(dropped, [columnOf(dropped, 'a')]);
    assert.deepEqual(shown(last.droppedColumns), ['1 n', '5 a']);
    const again = withColumns(last, [
      { name: 'n', type: int },
      { name: 'a', type: text },
    ]);
    assert.deepEqual(shown(again.columns), ['2 p', '3 c', '4 d', '6 n', '7 a']);
    assert.deepEqual(shown(again.droppedColumns), ['1 n', '5 a']);
  });
});

function shown(columns: readonly Pick<Column, 'id' | 'name'>[]): readonly string[] {
  return columns.map(({ id, name }) => `${id} ${name}`);
}

function columnOf({ columnsByName }: Table, name: string): Column {
  const column = columnsByName.get(name);
  assert.ok(column);
  return column;
}

function typeNamed(name: string): ColumnType {
  const type = columnTypeNamed(name);
  assert.ok(type);
  return type;
}
