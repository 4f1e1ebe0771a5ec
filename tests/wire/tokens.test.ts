// Which requests a server with a token lets in, and that one without lets everybody in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const body = '{"findKeyspaces":{}}';
const found = '{"status":{"keyspaces":["default_keyspace"]}}';
const missing = '{"errors":[<REQUEST SECURITY MISSING_AUTHENTICATION_TOKEN: Authentication token missing>]}';
const refused = '{"errors":[<REQUEST SECURITY UNAUTHENTICATED_REQUEST: Authentication token not accepted>]}';
const json = { 'content-type': 'application/json' };
type Headers = Readonly<Record<string, string>>;

describe('a server with --token T', () => {
  const { send } = useWireServer({ args: ['--token', 'Cassandra:YQ==:Yg=='] });
  const cases: readonly (readonly [name: string, headers: Headers, status: number, reply: string])[] = [
    ['the token in the header Token is let in', { token: 'Cassandra:YQ==:Yg==' }, 200, found],
    [
      'it may stand in the older header X-Cassandra-Token',
      { 'x-cassandra-token': 'Cassandra:YQ==:Yg==' },
      200,
      found,
    ],
    [
      'Token comes before X-Cassandra-Token',
      { token: 'x', 'x-cassandra-token': 'Cassandra:YQ==:Yg==' },
      401,
      refused,
    ],
    ['absent: 401', {}, 401, missing],
    ['empty: 401', { token: '' }, 401, missing],
    ['an Authorization header is not a token', { authorization: 'Bearer Cassandra:YQ==:Yg==' }, 401, missing],
    ['unequal: 401', { token: 'Cassandra:YQ==:Yw==' }, 401, refused],
    ['a part of the token: 401', { token: 'Cassandra:YQ==' }, 401, refused],
    ['another case: 401', { token: 'cassandra:YQ==:Yg==' }, 401, refused],
  ];
  for (const [name, headers, status, reply] of cases) {
    it(`--token T: ${name}`, async () => {
      const answer = await send({ path: '/v1', body, headers: { ...json, ...headers } });
      assert.deepEqual([answer.status, shortened(answer.text)], [status, reply]);
    });
  }

  it('looks at the token before anything else of the request', async () => {
    for (const bad of ['no json', '{"nonsense":{}}', '{"findKeyspaces":{"x":1}}']) {
      const { status, text } = await send({
        path: '/v1/nowhere',
        body: bad,
        headers: { 'content-type': 'text/x' },
      });
      assert.deepEqual([status, shortened(text)], [401, missing]);
    }
  });

  it('does not need it for paths and methods that do not exist', async () => {
    assert.equal((await send({ path: '/v2', body })).status, 404);
    assert.equal((await send({ path: '/v1', method: 'GET' })).status, 405);
  });
});

describe('a server without --token', () => {
  const { send } = useWireServer();
  for (const headers of [
    {},
    { token: '' },
    { token: 'anything' },
    { 'x-cassandra-token': 'Cassandra:YQ==:Yg==' },
  ]) {
    it(`no --token: any token or none is accepted: ${JSON.stringify(headers)}`, async () => {
      const { status, text } = await send({ path: '/v1', body, headers: { ...json, ...headers } });
      assert.deepEqual([status, text], [200, found]);
    });
  }
});
