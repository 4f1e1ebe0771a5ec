// Several processes and several servers on one cluster: page states, keys, and restarts under load.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { restartUnderLoad, send, succeed } from '../acceptance/restart-under-load.js';
import { type RunningServer, type StartOptions, startServer } from '../acceptance/start-server.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const path = '/v1/many';

const definition = { columns: { id: 'int', note: 'text' }, primaryKey: 'id' };

describe('many processes on one cluster', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const servers: RunningServer[] = [];
  const start = async (args: readonly string[] = [], more: StartOptions = {}) => {
    const server = await startServer({
      ...more,
      args: [
        ...['--engine', 'cassandra', '--cassandra-contact-points', '127.0.0.1', '--token', 'T'],
        ...['--cassandra-port', String(cluster().nodes[0]?.place.nativePort)],
        ...['--cassandra-local-datacenter', 'datacenter1', ...args],
      ],
    });
    servers.push(server);
    return server;
  };
  before(async () => {
    const { url } = await start();
    await succeed(`${url}/v1`, { createKeyspace: { name: 'many' } });
    await succeed(`${url}${path}`, { createTable: { name: 'rows', definition } });
    const documents = Array.from({ length: 100 }, (_, id) => ({ id, note: 'x' }));
    await succeed(`${url}${path}/rows`, { insertMany: { documents } });
  });
  after(async () => {
    for (const server of servers) await server.stop();
  });

  const pageOf = async (url: string, pageState: string | null) =>
    JSON.parse(await send(`${url}${path}/rows`, { find: { options: { pageState } } }));

  it('a page state of one server is valid on all with its secret, and on no other', async () => {
    const environment = { COLONNADE_PAGE_STATE_SECRET: 's'.repeat(40) };
    const [first, second, other] = [
      await start([], { environment }),
      await start([], { environment }),
      servers[0],
    ];
    assert.ok(other !== undefined);
    const { nextPageState } = (await pageOf(first.url, null)).data;
    const [page, expected] = [
      await pageOf(second.url, nextPageState),
      await pageOf(first.url, nextPageState),
    ];
    assert.equal(page.data.documents.length, 50);
    assert.deepEqual(page.data, expected.data);
    const [error] = (await pageOf(other.url, nextPageState)).errors;
    assert.equal(error.errorCode, 'COMMAND_FIELD_VALUE_INVALID');
    assert.match(error.message, /--page-state-secret/);
  });

  it('workers share page states, the key store and native queries', async () => {
    const server = await start(['--workers', '2']);
    // Each request has its own connection, which any worker accepts.
    for (let round = 0; round < 10; round += 1) {
      const { nextPageState } = (await pageOf(server.url, null)).data;
      assert.equal((await pageOf(server.url, nextPageState)).data.documents.length, 50);
    }
    const service = {
      provider: 'openai',
      modelName: 'text-embedding-3-small',
      authentication: { providerKey: 'shared' },
    };
    const create = (name: string) => ({
      createTable: {
        name,
        definition: { primaryKey: 'id', columns: { id: 'int', v: { type: 'vector', service } } },
      },
    });
    assert.match(await send(`${server.url}${path}`, create('refused')), /"errors":/);
    const headers = { 'content-type': 'application/json', token: 'T' };
    const put = await fetch(`${server.opsUrl}/local/embedding-keys/shared`, {
      method: 'PUT',
      headers,
      body: '{"providerKey":"secret"}',
    });
    assert.equal(put.status, 200, await put.text());
    for (let round = 0; round < 6; round += 1)
      await succeed(`${server.url}${path}`, create(`with_key_${round}`));
    const query = JSON.stringify({ query: 'SELECT note FROM many.rows WHERE id = 7' });
    const selected = await fetch(`${server.opsUrl}/local/cql`, { method: 'POST', headers, body: query });
    assert.match(await selected.text(), /\["x"\]|"x"/);
  });

  it('servers behind a balancer are restarted one after the other under load, and no request fails', async () => {
    const running = await restartUnderLoad({
      start,
      commands: (id) => [{ insertOne: { document: { id, note: 'kept' } } }, { findOne: { filter: { id } } }],
      path: `${path}/rows`,
    });
    for (const id of running.ids) {
      const found = await succeed(`${running.url}${path}/rows`, { findOne: { filter: { id } } });
      assert.match(found, new RegExp(`"id":${id},"note":"kept"`));
    }
  });
});
