// The columns of the grid, and their widths.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gridColumnsOf } from './grid-columns.js';

const collection = { kind: 'collection', name: 'c', definition: {} } as const;

describe('the columns of the grid', () => {
  it('have a width also for fields with the names of what every object has', () => {
    const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'];
    const rows = [{ _id: 1, ...Object.fromEntries(names.map((name) => [name, 'a'])) }];
    const shown = { rows, scores: new Map(), sort: '', widths: { valueOf: 200 } };
    const widths = new Map(gridColumnsOf(collection, shown).map(({ id, widthPx }) => [id, widthPx]));
    assert.deepEqual([...widths.keys()], ['_id', ...names]);
    for (const width of widths.values()) assert.equal(typeof width, 'number');
    assert.equal(widths.get('valueOf'), 200);
  });
});
