// Inserts of many large rows in a large request: they are written in portions.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { int } from '../../src/data-service/column-types/integers.js';
import { text } from '../../src/data-service/column-types/text.js';
import { type EngineHost, openGuestEngine } from '../../src/data-service/engine/embedded/guest-engine.js';
import { makeTable } from '../../src/data-service/schema/table.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';

it('the thread for large requests writes large rows in several jobs', async () => {
  const dataDirectory = newDataDirectory();
  const engine = await openEmbedded(dataDirectory);
  const sent: unknown[] = [];
  const none = () => Promise.reject(new TypeError('not used'));
  const host: EngineHost = {
    write: async (write) => void sent.push(write),
    writeDocuments: none,
    deleteAll: none,
    findNearest: none,
    schemaGeneration: none,
  };
  const guest = openGuestEngine({ dataDirectory, clock: systemClock, readTimeoutMs: 60_000 }, host);
  const columns = [
    { name: 'id', type: int },
    { name: 'content', type: text },
  ];
  const table = makeTable(
    { id: 4, version: 1, keyspace: 'k' },
    { name: 'rows', columns, partitionKey: ['id'], clustering: [] },
  );
  const content = 'x'.repeat(600_000);
  const rows = [1, 2, 3, 4, 5].map((id) => ({ columns: table.columns, values: [id, content] }));
  assert.deepEqual((await guest.insertRows({ table, rows })).rows, Array(5).fill(null));
  assert.equal(sent.length, 3);
  await guest.close();
  await engine.close();
});
