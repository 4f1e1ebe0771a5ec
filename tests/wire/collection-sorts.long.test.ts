// Sorts of as many documents as are allowed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { collectionSteps } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const { create, insert, ids, codes } = collectionSteps(useWireServer());

it('sorts of 10,000 documents: are possible, and one more is too many', async () => {
  await create('many');
  for (let from = 0; from < 10_000; from += 100)
    await insert('many', ...Array.from({ length: 100 }, (_, at) => `{"_id":${from + at},"n":${-from - at}}`));
  assert.equal(await ids('many', '"sort":{"n":1},"options":{"limit":2}', true), '9999 9998');
  await insert('many', '{"_id":"one more"}');
  assert.equal(await codes('{"find":{"sort":{"n":1}}}', 'many'), 'SORT OVERLOADED_SORT_ROW_LIMIT');
  assert.equal(
    await ids('many', '"filter":{"n":{"$gt":-10}},"sort":{"n":1},"options":{"limit":1}', true),
    '9',
  );
});
