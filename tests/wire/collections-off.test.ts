// A server without collections: their commands are unknown, and there is no reranking.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shortened, useWireServer } from './wire-server.js';

const server = useWireServer({ args: ['--collections', 'off'] });

it('reranking: findRerankingProviders is refused as the commands of collections are', async () => {
  const send = async (path: string, body: string) => (await server.send({ path, body })).text;
  for (const command of ['createCollection', 'deleteCollection'])
    assert.match(await send('/v1/default_keyspace', `{"${command}":{"name":"a"}}`), /"COMMAND_UNKNOWN"/);
  assert.equal(await send('/v1/default_keyspace', '{"findCollections":{}}'), '{"status":{"collections":[]}}');
  const refused = '{"errors":[<REQUEST SCHEMA RERANKING_FEATURE_NOT_ENABLED: Reranking not available>]}';
  assert.equal(shortened(await send('/v1', '{"findRerankingProviders":{}}')), refused);
});
