// A secret that several servers share: the key of page states.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertAll, send } from './between-servers.js';
import { type RunningServer, withServer } from './start-server.js';

describe('a page state', () => {
  const path = '/default_keyspace/rows';
  const prepare = async ({ url }: RunningServer) => {
    const definition = '{"columns":{"id":"int"},"primaryKey":"id"}';
    await send(url, '/default_keyspace', `{"createTable":{"name":"rows","definition":${definition}}}`);
    await insertAll(
      url,
      path,
      Array.from({ length: 60 }, (_, id) => `{"id":${id}}`),
    );
  };
  const page = async ({ url }: RunningServer, pageState: string | null) =>
    JSON.parse(await send(url, path, JSON.stringify({ find: { options: { pageState } } }), true));
  const withSecret = (letter: string, work: (server: RunningServer) => Promise<void>) =>
    withServer({ environment: { COLONNADE_PAGE_STATE_SECRET: letter.repeat(40) } }, async (server) => {
      await prepare(server);
      await work(server);
    });

  it('is valid on every server with the secret of the one that returned it, and on no other', async () => {
    await withSecret('a', async (first) => {
      const { nextPageState } = (await page(first, null)).data;
      await withSecret('a', async (second) => {
        assert.equal((await page(second, nextPageState)).data.documents.length, 10);
      });
      await withSecret('b', async (other) => {
        assert.equal((await page(other, nextPageState)).errors[0].errorCode, 'COMMAND_FIELD_VALUE_INVALID');
      });
    });
  });
});
