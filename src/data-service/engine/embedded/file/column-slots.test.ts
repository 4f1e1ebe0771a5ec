// Columns added to a table and dropped from it: their ids, the versions of the table, the records of dropped ones, and
// which slots are used again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { type Column, makeTable, type Table, withoutColumns } from '../../../schema/table.js';
import {
  filledColumns,
  hasLostSlots,
  hasRoomFor,
  maxSlots,
  withColumns,
  withEmptied,
} from './column-slots.js';
import { slotOf } from './engine-state.js';

const start = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  { name: 't', columns: named('p', 'a', 'b'), partitionKey: ['p'], clustering: [] },
);

/** With clustering columns, and a version that is not the first. */
const clustered = makeTable(
  { id: 7, version: 3, keyspace: 'k' },
  {
    name: 't',
    columns: named('n', 'p', 'c', 'd'),
    partitionKey: ['p'],
    clustering: [
      { name: 'd', direction: -1 },
      { name: 'c', direction: 1 },
    ],
  },
);

describe('withColumns', () => {
  const after = withColumns(clustered, [...named('a'), ...named('b').map(asText)]);

  it('puts the columns behind the others, in the next version of the same table', () => {
    assert.deepEqual(idsOf(after.columns), ['1 n', '2 p', '3 c', '4 d', '5 a', '6 b']);
    assert.deepEqual([after.id, after.version, after.keyspace, after.name], [7, 4, 'k', 't']);
    assert.equal(after.columnsByName.get('b'), after.columns[5]);
  });

  it('keeps the key and the existing columns, the same objects', () => {
    assert.deepEqual(after.keyOrder, clustered.keyOrder);
    assert.ok(clustered.columns.every((column) => after.columns.includes(column)));
    assert.ok(clustered.keyColumns.every((column, at) => after.keyColumns[at] === column));
  });

  it('leaves the table before as it was', () => {
    const { version, columns, columnsByName } = clustered;
    assert.deepEqual([version, columns.length, columnsByName.has('a')], [3, 4, false]);
  });
});

describe('withoutColumns', () => {
  const less = dropped(withColumns(clustered, named('a').map(asText)), 'n');

  it('keeps what was dropped in mind, in the next version', () => {
    assert.deepEqual(idsOf(less.columns), ['2 p', '3 c', '4 d', '5 a']);
    assert.deepEqual(idsOf(less.droppedColumns), ['1 n']);
    assert.deepEqual([less.version, less.columnsByName.has('n')], [5, false]);
    assert.deepEqual(less.keyOrder, clustered.keyOrder);
  });

  it('never gives an id again, neither of a column nor of a dropped one', () => {
    const last = dropped(less, 'a');
    assert.deepEqual(idsOf(last.droppedColumns), ['1 n', '5 a']);
    const again = withColumns(last, [...named('n'), ...named('a').map(asText)]);
    assert.deepEqual(idsOf(again.columns), ['2 p', '3 c', '4 d', '6 n', '7 a']);
    assert.deepEqual(idsOf(again.droppedColumns), ['1 n', '5 a']);
  });
});

describe('slots of columns', () => {
  it('are not given again while rows may hold values of the dropped column', () => {
    const again = withColumns(dropped(start, 'a'), named('a'));
    assert.deepEqual(shown(again.columns), ['1 p in 1', '3 b in 3', '4 a in 4']);
    assert.deepEqual(shown(again.droppedColumns), ['2 a in 2']);
  });

  it('are given again afterwards, to columns that are stored alike', () => {
    const empty = emptied(dropped(start, 'a', 'b'));
    const after = withColumns(empty, [...named('x'), ...named('y', 'z', 'w').map(asText)]);
    assert.deepEqual(shown(after.columns), ['1 p in 1', '4 x in 3', '5 y in 4', '6 z in 5', '7 w in 6']);
    assert.deepEqual(shown(after.droppedColumns), ['2 a in 2', '3 b in null']);
  });

  it('do not run out, nor does the memory grow, however often a column is dropped and added', () => {
    let table = start;
    for (let round = 0; round < 3 * maxSlots; round += 1) {
      table = dropped(table, 'a');
      if (round % 3 === 0) table = emptied(table);
      table = withColumns(table, named('a'));
    }
    assert.ok(hasRoomFor(table, named('x')));
    assert.ok(table.droppedColumns.length <= 4, `${table.droppedColumns.length} dropped columns`);
    assert.equal(table.columnsByName.get('a')?.id, 3 + 3 * maxSlots);
  });

  it('keep the last column of a name and its type, also when another column has its slot', () => {
    let table = withColumns(emptied(dropped(start, 'a', 'b')), named('x', 'y'));
    assert.deepEqual(shown(table.droppedColumns), ['2 a in null', '3 b in null']);
    table = dropped(withColumns(table, named('a')), 'a');
    assert.deepEqual(shown(table.droppedColumns), ['3 b in null', '6 a in 4']);
  });

  it('end', () => {
    const full = withColumns(start, named(...Array.from({ length: maxSlots - 3 }, (_, at) => `c${at}`)));
    assert.equal(hasRoomFor(full, named('x')), false);
    const filled = dropped(full, 'a');
    assert.deepEqual([hasRoomFor(filled, named('x')), filledColumns(filled).length], [false, 1]);
    const free = emptied(filled);
    assert.deepEqual([hasRoomFor(free, named('x')), filledColumns(free).length], [true, 0]);
    assert.equal(hasRoomFor(free, named('x').map(asText)), false);
  });
});

describe('hasLostSlots', () => {
  const empty = emptied(dropped(start, 'a'));

  it('is false as long as no other column has had the slot', () => {
    assert.equal(hasLostSlots(start, start), false);
    assert.equal(hasLostSlots(start, empty), false);
    assert.equal(hasLostSlots(start, withColumns(empty, named('x').map(asText))), false);
  });

  it('is true once another column has it, and stays so', () => {
    const taken = withColumns(empty, named('x'));
    assert.equal(hasLostSlots(start, taken), true);
    assert.equal(hasLostSlots(start, dropped(taken, 'x')), true);
    assert.equal(hasLostSlots(start, withColumns(emptied(dropped(taken, 'x')), named('a'))), true);
    assert.equal(hasLostSlots(taken, taken), false);
  });
});

function named(...names: readonly string[]) {
  return names.map((name) => ({ name, type: int }));
}

function asText<Definition>(definition: Definition) {
  return { ...definition, type: text };
}

function dropped(table: Table, ...names: readonly string[]): Table {
  return withoutColumns(
    table,
    table.columns.filter(({ name }) => names.includes(name)),
  );
}

function emptied(table: Table): Table {
  return withEmptied(table, filledColumns(table));
}

/** With ids, as `withColumns` and `withoutColumns` give them. */
function idsOf(columns: readonly Pick<Column, 'id' | 'name'>[]): readonly string[] {
  return columns.map(({ id, name }) => `${id} ${name}`);
}

/** With ids and slots. */
function shown(columns: readonly Column[]) {
  return columns.map((column) => `${column.id} ${column.name} in ${slotOf(column)}`);
}
