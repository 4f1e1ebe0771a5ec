// Collections with vectors of a local model, moved to another server: the fingerprint comes with them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { send } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, runColonnade, withServer } from '../acceptance/start-server.js';
import { floats, rows, safetensorsFile, writeStaticModel } from './model-files.js';

describe('a moved collection with a local model', () => {
  it('is taken by a server with the same files, and refused by one with others', async () => {
    const [same, other] = [makeTemporaryDirectory(), makeTemporaryDirectory()];
    writeStaticModel(same, 'words');
    const changed = safetensorsFile({ embeddings: floats(rows.map((row) => [...row].reverse())) });
    writeStaticModel(other, 'words', { 'model.safetensors': changed });
    const directory = join(makeTemporaryDirectory(), 'export');
    await withServer({ args: ['--models', same] }, async ({ url }) => {
      const service = { provider: 'local', modelName: 'words' };
      await send(
        url,
        '/default_keyspace',
        JSON.stringify({ createCollection: { name: 'notes', options: { vector: { service } } } }),
      );
      await send(
        url,
        '/default_keyspace/notes',
        JSON.stringify({ insertOne: { document: { _id: 1, $vectorize: 'roof' } } }),
      );
      const exported = await runColonnade(['export', directory, '--url', url]);
      assert.equal(exported.code, 0, exported.stderr);
    });
    await withServer({ args: ['--models', same] }, async ({ url }) => {
      const imported = await runColonnade(['import', directory, '--url', url]);
      assert.equal(imported.code, 0, imported.stderr);
      const found = await send(
        url,
        '/default_keyspace/notes',
        JSON.stringify({ findOne: { sort: { $vectorize: 'tiles' } } }),
      );
      assert.match(found, /"_id":1/);
    });
    await withServer({ args: ['--models', other] }, async ({ url }) => {
      const imported = await runColonnade(['import', directory, '--url', url]);
      assert.equal(imported.code, 1, imported.stdout);
      assert.match(imported.stderr, /the parameter "fingerprint" must be one of [0-9a-f]{32}/);
    });
  });
});
