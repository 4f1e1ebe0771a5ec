// The official client under each of its environments, with and without a token.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsernamePasswordTokenProvider } from '@datastax/astra-db-ts';
import type { RunningServer } from '../acceptance/start-server.js';
import { assertRefused, connectTo, createTable, type Environment, startEmpty } from './connect.js';

const environments: readonly Environment[] = ['dse', 'hcd', 'cassandra', 'other'];

describe('the official client', () => {
  it('works under every environment that is not Astra’s, without a token', async () => {
    await withServer(undefined, async (server) => {
      for (const environment of environments) await writeAndRead(server, { environment });
    });
  });

  it('works under every environment with the token of the server', async () => {
    await withServer('open-sesame', async (server) => {
      for (const environment of environments) {
        await writeAndRead(server, { environment, token: 'open-sesame' });
      }
    });
  });

  it('works with the path that it uses by default, which is Astra’s', async () => {
    await withServer('open-sesame', (server) =>
      writeAndRead(server, { environment: 'astra', token: 'open-sesame' }),
    );
  });

  it('works with a user name and a password as the token', async () => {
    const token = new UsernamePasswordTokenProvider('ada', 'söcret').getToken();
    await withServer(token, (server) => writeAndRead(server, { token }));
  });

  it('may send any token to a server that has none', async () => {
    await withServer(undefined, (server) => writeAndRead(server, { token: 'whatever' }));
  });

  it('is refused without a token and with a wrong one, and does nothing then', async () => {
    await withServer('open-sesame', async (server) => {
      const stranger = connectTo(server).db;
      await assertRefused(stranger.listTables(), { code: 'MISSING_AUTHENTICATION_TOKEN', scope: 'SECURITY' });
      const burglar = connectTo(server, { token: 'open-barley' }).db;
      const made = createTable(burglar, 'loot', { columns: { id: 'int' }, primaryKey: 'id' });
      await assertRefused(made, { code: 'UNAUTHENTICATED_REQUEST', scope: 'SECURITY' });
      const owner = connectTo(server, { token: 'open-sesame' }).db;
      assert.deepEqual(await owner.listTables({ nameOnly: true }), []);
    });
  });
});

async function writeAndRead(
  server: RunningServer,
  options: { environment?: Environment; token?: string },
): Promise<void> {
  const { client, db } = connectTo(server, options);
  const name = `rows_${options.environment ?? 'default'}`;
  const table = await createTable(db, name, { columns: { id: 'int', word: 'text' }, primaryKey: 'id' });
  await table.insertOne({ id: 1, word: name });
  assert.deepEqual(await table.findOne({ id: 1 }), { id: 1, word: name });
  await client.close();
}

async function withServer(
  token: string | undefined,
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startEmpty(token === undefined ? {} : { token });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}
