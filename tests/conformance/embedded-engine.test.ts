// The engine suite on the embedded engine, and what only an engine with a file can show.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeEngine, describeExtendedEngine, repeatedCases } from './describe-engine.js';
import { createTable, dropTable } from './engine-steps.js';
import { newDataDirectory, openEmbedded } from './open-embedded.js';

describeEngine('embedded', () => openEmbedded(newDataDirectory()), repeatedCases);
describeExtendedEngine('embedded', () => openEmbedded(newDataDirectory(), { dialect: 'extended' }));

it('gives no table id again after the file was opened again', async () => {
  const dataDirectory = newDataDirectory();
  const ids: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const engine = await openEmbedded(dataDirectory);
    const table = await createTable(engine, { columns: { id: 'int' } });
    ids.push(table.id);
    await dropTable(engine, table);
    await engine.close();
  }
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((left, right) => left - right),
  );
});

it('gives a new file the keyspace default_keyspace, once', async () => {
  const dataDirectory = newDataDirectory();
  const first = await openEmbedded(dataDirectory);
  assert.deepEqual([...(await first.readSchema()).keyspaces.keys()], ['default_keyspace']);
  await first.changeSchema({ kind: 'dropKeyspace', name: 'default_keyspace' });
  await first.close();
  const second = await openEmbedded(dataDirectory);
  assert.deepEqual([...(await second.readSchema()).keyspaces.keys()], []);
  await second.close();
});
