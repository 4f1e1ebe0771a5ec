// Commands that malformed bodies have found to fail the server, each kept as it is.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { DataClient } from './data-client.js';

describe('commands that once failed the server', () => {
  let server: RunningServer;
  let client: DataClient;
  before(async () => {
    server = await startServer();
    client = new DataClient(server.url);
    const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };
    await client.mustSend('/default_keyspace', { createTable: { name: 'rows', definition } });
    await client.mustSend('/default_keyspace/rows', { insertOne: { document: { id: 1, content: 'a' } } });
  });
  after(async () => {
    client.close();
    await server.stop();
  });

  it('find a row by its whole key without selecting the key', async () => {
    const find = { filter: { id: 1 }, projection: { content: true } };
    const body = await client.mustSend('/default_keyspace/rows', { find });
    assert.deepEqual(body.data, { documents: [{ content: 'a' }], nextPageState: null });
  });
});
