// Checks which buttons undo a filter, a sort or a search.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { undosOf } from './undo-query.js';

const empty = { filter: '', sort: '', search: '', by: '', like: '' };
const labels = (query: Partial<typeof empty>, shown?: typeof empty) =>
  undosOf({ ...empty, ...query }, shown).map(({ label }) => label);

describe('the buttons of a query without a result', () => {
  it('remove each part that has something to remove', () => {
    assert.deepEqual(labels({ filter: '{"a":1}', by: 'text' }), ['Remove the filter']);
    assert.deepEqual(labels({ search: 'a', by: 'text' }), ['Remove the search']);
    assert.deepEqual(labels({ like: '{"_id":1}' }), ['Remove the search']);
    assert.deepEqual(labels({ filter: '{}', sort: '{"a":1}' }), ['Remove the sort', 'Remove the filter']);
  });

  it('return to the query of the rows that are shown', () => {
    assert.deepEqual(labels({ by: 'text', search: 'a' }, empty), ['Undo the search']);
  });
});
