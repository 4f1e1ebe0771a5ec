// Slots of columns: which slots are used again, for which columns, and what is recorded of their former columns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnTypeNamed } from '../../../column-types/registry.js';
import { type Column, makeTable, type Table, withoutColumns } from '../../../schema/table.js';
import {
  filledColumns,
  hasLostSlots,
  hasRoomFor,
  maxSlots,
  withColumns,
  withEmptied,
} from './column-slots.js';

const start = makeTable(
  { id: 7, version: 1, keyspace: 'k' },
  { name: 't', columns: named('p', 'a', 'b'), partitionKey: ['p'], clustering: [] },
);

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
  return names.map((name) => ({ name, type: typeNamed('int') }));
}

function asText<Definition>(definition: Definition) {
  return { ...definition, type: typeNamed('text') };
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

function shown(columns: readonly (Pick<Column, 'id' | 'name'> & { readonly slot: number | null })[]) {
  return columns.map(({ id, name, slot }) => `${id} ${name} in ${slot}`);
}

function typeNamed(name: string): Column['type'] {
  const type = columnTypeNamed(name);
  assert.ok(type);
  return type;
}
