// Which documents of a list are refused, and why.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../json/exact-json.js';
import { reasonsOf, refusedPlaces } from './insert-refusals.js';

const status = parseJson(
  `{"documentResponses":[{"status":"ERROR","errorsIdx":1},{"status":"OK"},{"status":"ERROR","errorsIdx":0},
    {"status":"ERROR","errorsIdx":1}]}`,
);
const errors = ['has no key', 'is too\nlong'].map((message) => ({ code: 'X', title: 'T', message }));

describe('the reply to an insert of a list', () => {
  it('says which are refused, and of none if its list is of others', () => {
    assert.deepEqual(refusedPlaces(4, status), [0, 2, 3]);
    assert.deepEqual(refusedPlaces(2, status), [0, 1]);
    assert.deepEqual(refusedPlaces(2, undefined), [0, 1]);
  });

  it('gives each reason the numbers of its rows', () => {
    const refused = [0, 2, 3].map((at) => ({ at, number: at + 1 }));
    assert.deepEqual(reasonsOf('Row', refused, { status, errors }), [
      'Rows 1, 4: is too long',
      'Row 3: has no key',
    ]);
    assert.deepEqual(reasonsOf('Row', refused, { status: undefined, errors }), []);
  });
});
