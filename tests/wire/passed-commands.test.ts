// Commands of the data service over the operations port, on real processes: the same replies, under other logins.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withWorkers } from '../acceptance/serve-by-workers.js';
import { makeTemporaryDirectory, type RunningServer, withServer } from '../acceptance/start-server.js';
import { users } from '../ops-service/login-users.js';
import { shortened } from './wire-server.js';

interface Sent {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function send(url: string, { body, headers = {}, method = 'POST' }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers };
    const sent = request(url, { method, headers: all, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const { date: _, connection: __, 'keep-alive': ___, ...rest } = response.headers;
        resolve({ status: response.statusCode, headers: rest, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Errors have random ids. */
function withoutIds({ text, ...rest }: Got): Got {
  return { ...rest, text: text.replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":""') };
}

/** Sends a command to both ports; the replies must be equal. */
async function sendToBoth({ url, opsUrl }: RunningServer, path: string, sent: Sent): Promise<Got> {
  const direct = withoutIds(await send(`${url}/v1${path}`, sent));
  const passed = withoutIds(await send(`${opsUrl}/data/v1${path}`, sent));
  assert.deepEqual(passed, direct);
  return passed;
}

async function logIn({ opsUrl }: RunningServer, username: string, password: string) {
  const reply = await fetch(`${opsUrl}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return { 'opscenter-session': String(JSON.parse(await reply.text()).sessionid) };
}

const keyspace = '/default_keyspace';
const table = `${keyspace}/t`;
const createTable =
  '{"createTable":{"name":"t","definition":{"columns":{"id":"int","text":"text"},"primaryKey":"id"}}}';
const rows = (count: number, length: number) => {
  const documents = Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(length) }));
  return JSON.stringify({ insertMany: { documents } });
};

describe('commands over the operations port', () => {
  it('have the same replies as on the data port, small and large, right and wrong', async () => {
    await withServer({}, async (server) => {
      const both = (path: string, body: string, headers = {}) => sendToBoth(server, path, { body, headers });
      await both('', '{"findKeyspaces":{}}');
      assert.match((await send(`${server.opsUrl}/data/v1${keyspace}`, { body: createTable })).text, /"ok":1/);
      await both(`${keyspace}/`, '{"listTables":{"options":{"explain":true}}}');
      await both(table, '{"insertOne":{"document":{"id":1,"text":"a"}}}');
      await both(table, '{"find":{"filter":{"id":1}}}');
      await both(table, rows(40, 10_000)); // answered by the thread for large requests
      const large = await both(table, '{"find":{"options":{"limit":40}}}');
      assert.ok(large.text.length > 100_000);
      await both('/no%20such/t', '{"find":{}}');
      await both(table, 'no JSON');
      await both(table, '{"nonsense":{}}');
      assert.equal((await both(table, '{"find":{}}', { 'content-type': 'text/plain' })).status, 415);
      // Refused by its declared length, before it is sent.
      assert.equal((await both(table, '', { 'content-length': String(21 * 1024 * 1024) })).status, 413);
    });
  });

  it('have one more, which counts the rows of a table', async () => {
    await withServer({}, async (server) => {
      const pass = async (path: string, body: string) =>
        (await send(`${server.opsUrl}/data/v1${path}`, { body })).text;
      await pass(keyspace, createTable);
      await pass(table, rows(40, 5));
      await pass(table, '{"deleteOne":{"filter":{"id":1}}}');
      assert.equal(await pass(table, '{"estimatedRowCount":{}}'), '{"status":{"count":39}}');
      assert.match(await pass(table, '{"estimatedRowCount":{"filter":{"id":1}}}'), /COMMAND_FIELD_UNKNOWN/);
      const direct = await send(`${server.url}/v1${table}`, { body: '{"estimatedRowCount":{}}' });
      assert.match(direct.text, /COMMAND_UNKNOWN/);
    });
  });

  it('need the token of the data service where the operations service has no users', async () => {
    await withServer({ args: ['--token', 'T'] }, async (server) => {
      const read = '{"findKeyspaces":{}}';
      const status = async (headers: object, body = read) =>
        (await sendToBoth(server, '', { body, headers: { ...headers } })).status;
      assert.equal(await status({}), 401);
      assert.equal(await status({ token: 'x' }), 401);
      assert.equal(await status({ token: 'T' }), 200);
      const large = `${read}${' '.repeat(200_000)}`;
      assert.equal(await status({}, large), 401);
      assert.equal(await status({ token: 'T' }, large), 200);
      for (const more of [{ origin: 'http://evil.example' }, { host: 'evil.example' }]) {
        const headers = { token: 'T', ...more };
        const { status: refused } = await send(`${server.opsUrl}/data/v1`, { body: read, headers });
        assert.equal(refused, 403);
      }
    });
  });

  it('need a login where there are users, not the token; a viewer only reads; events name the sender', async () => {
    const directory = makeTemporaryDirectory();
    const config = join(directory, 'colonnade.json');
    writeFileSync(config, JSON.stringify({ ops: { users } }));
    await withServer({ args: ['--config', config, '--token', 'T'] }, async (server) => {
      const pass = (path: string, body: string, headers = {}) =>
        send(`${server.opsUrl}/data/v1${path}`, { body, headers });
      assert.equal((await pass('', '{"findKeyspaces":{}}', { token: 'T' })).status, 401);
      const viewer = await logIn(server, 'vic', 'blue battery');
      const operator = await logIn(server, 'ada', 'right horse');
      for (const { text } of [
        await pass(keyspace, createTable, viewer),
        await pass(keyspace, `${createTable}${' '.repeat(200_000)}`, viewer),
        await pass(keyspace, '{"dropTable":{"name":"t"}}', viewer),
        await pass(table, rows(1, 5), viewer),
        await pass(table, rows(40, 10_000), viewer),
        await pass(table, '{"deleteMany":{"filter":{}}}', viewer),
      ]) {
        const errors = shortened(text).replace(/^.*"errors":/, '');
        assert.equal(errors, '[<REQUEST SECURITY COMMAND_NOT_PERMITTED: Command not permitted>]}', text);
      }
      assert.equal((await pass(keyspace, createTable, viewer)).status, 403);
      assert.match((await pass(keyspace, createTable, operator)).text, /"ok":1/);
      assert.match((await pass(table, rows(40, 10_000), operator)).text, /insertedIds/);
      const found = await pass(table, '{"find":{"options":{"limit":40}}}', viewer);
      assert.ok(found.text.length > 100_000);
      assert.match((await pass(keyspace, '{"listTables":{}}', viewer)).text, /"tables":\["t"\]/);
      const events = await fetch(`${server.opsUrl}/local/events?count=100`, { headers: viewer });
      const changes = (await events.json()) as { action: number; user: string; message: string }[];
      const [change] = changes.filter(({ action }) => action === 1040);
      assert.deepEqual([change?.user, change?.message], ['ada', 'created the table default_keyspace.t']);
    });
  });

  it('are passed on to the workers', async () => {
    await withWorkers([], async (server) => {
      const body = '{"findKeyspaces":{}}';
      const { text } = await sendToBoth(server, '', { body });
      assert.match(text, /"errorCode":"/);
      const user = `Cassandra:${btoa('ann')}:${btoa('pass')}`;
      await sendToBoth(server, '', { body, headers: { token: user } });
      await sendToBoth(server, '', { body: `${body}${' '.repeat(200_000)}`, headers: { token: user } });
    });
  });
});
