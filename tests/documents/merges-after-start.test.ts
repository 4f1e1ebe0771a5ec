// Segments of index entries that an earlier process left are merged, though nothing is written.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { startInProcess } from '../faults/in-process-server.js';

const entrySizes = { filled: 100, copied: 600, deleted: 900, largestAtRest: 100_000, most: 1_000 };

function segmentsIn(dataDirectory: string): number {
  const database = openDatabase({
    path: join(dataDirectory, 'data.db'),
    readOnly: true,
    busyTimeoutMs: 1_000,
  });
  try {
    const id = database.statement('SELECT id FROM tables').get()?.['id'];
    return Number(database.statement(`SELECT count(*) AS count FROM e${id}`).get()?.['count']);
  } finally {
    database.close();
  }
}

it('segments of entries are merged after a start without writes', async () => {
  const dataDirectory = newDataDirectory();
  const first = await startInProcess(dataDirectory, { entrySizes });
  await first.client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
  const documents = Array.from({ length: 100 }, (_, _id) => ({ _id, a: _id, b: `b${_id}`, c: [1, 2] }));
  for (let turn = 0; turn < 5; turn += 1)
    await first.client.mustSend('/default_keyspace/docs', {
      insertMany: { documents: documents.map((one) => ({ ...one, _id: one._id + turn * 100 })) },
    });
  await first.close();
  const left = segmentsIn(dataDirectory);
  assert.ok(left > 5, `${left} segments`);

  const second = await startInProcess(dataDirectory, { entrySizes });
  try {
    for (let tries = 0; segmentsIn(dataDirectory) > 5; tries += 1) {
      assert.ok(tries < 200, `after ${tries} tries there are ${segmentsIn(dataDirectory)} segments`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { data } = await second.client.mustSend('/default_keyspace/docs', {
      findOne: { filter: { b: 'b7' } },
    });
    assert.equal(data?.document?.['b'], 'b7');
  } finally {
    await second.close();
  }
});
