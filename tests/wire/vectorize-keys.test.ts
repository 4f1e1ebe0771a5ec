// Keys of the key store, set by the command line on a running server: which one reaches the provider.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runColonnade } from '../acceptance/start-server.js';
import { useEmbeddingWireServer } from './embedding-wire-server.js';

const { at, withHeaders, provider, process: running, restart } = useEmbeddingWireServer();
const keyspace = at('/v1/default_keyspace');
const table = withHeaders('/v1/default_keyspace/stored');
const secret = 'sk-Stored.0123456789';
const inserted = (id: number) =>
  `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
const insert = (id: number) => `{"insertOne":{"document":{"id":${id},"v":"a text"}}}`;
const invalid = 'SCHEMA VECTORIZE_CREDENTIAL_INVALID: Credential not in the key store';

async function keys(args: readonly string[], input?: string) {
  const { code, stdout, stderr } = await runColonnade(
    ['keys', ...args, '--ops-url', running().opsUrl],
    {},
    input,
  );
  return { code, text: stdout + stderr };
}

function lastKey(): unknown {
  return provider().received.at(-1)?.headers['authorization'];
}

describe('a column that names a key of the key store', () => {
  const service = '{"provider":"ours","modelName":"m","authentication":{"providerKey":"mine"}}';

  it('a credential name that the key store lacks: cannot be defined', () =>
    keyspace(
      `{"createTable":{"name":"stored","definition":{"columns":{"id":"int","v":{"type":"vector","service":${service}}},"primaryKey":"id"}}}`,
      `{"status":{"ok":0},"errors":[<REQUEST ${invalid}>]}`,
      'The credential "mine"',
    ));

  it('has its texts embedded with that key; it is shown as name.member', async () => {
    assert.deepEqual(await keys(['set', 'mine'], `${secret}\n`), { code: 0, text: 'stored mine\n' });
    assert.deepEqual(await keys(['list']), { code: 0, text: 'mine\n' });
    await keyspace(
      `{"createTable":{"name":"stored","definition":{"columns":{"id":"int","v":{"type":"vector","service":${service}}},"primaryKey":"id"}}}`,
      '{"status":{"ok":1}}',
    );
    await table({}, insert(1), inserted(1));
    assert.equal(lastKey(), `Bearer ${secret}`);
    await keyspace(
      '{"listTables":{"options":{"explain":true}}}',
      `{"status":{"tables":[{"name":"stored","definition":{"columns":{"id":{"type":"int"},
        "v":{"type":"vector","dimension":4,"service":{"provider":"ours","modelName":"m",
        "authentication":{"providerKey":"mine.providerKey"}},"apiSupport":{"createTable":true,"insert":true,
        "read":true,"filter":false,"cqlDefinition":"vector<float, 4>"}}},"primaryKey":{"partitionBy":["id"],
        "partitionSort":{}}}}]}}`,
    );
  });

  it('has a header go before the key store', async () => {
    await table({ 'x-embedding-api-key': 'sk-Header' }, insert(2), inserted(2));
    assert.equal(lastKey(), 'Bearer sk-Header');
    await table({ 'x-embedding-api-key': '' }, insert(3), inserted(3));
    assert.equal(lastKey(), `Bearer ${secret}`);
  });

  it('keeps its key over a restart, and takes a new one at once', async () => {
    await restart();
    await table({}, insert(4), inserted(4));
    assert.equal(lastKey(), `Bearer ${secret}`);
    await keys(['set', 'mine'], 'sk-New');
    await table({}, insert(5), inserted(5));
    assert.equal(lastKey(), 'Bearer sk-New');
  });

  it('a credential name that the key store lacks: embeds nothing, unless a header has the key', async () => {
    assert.deepEqual(await keys(['delete', 'mine']), { code: 0, text: 'deleted mine\n' });
    await table({}, insert(6), `{"errors":[<REQUEST ${invalid}>]}`, 'The credential "mine"');
    await table({ 'x-embedding-api-key': 'sk-Header' }, insert(7), inserted(7));
    assert.match((await keys(['delete', 'mine'])).text, /the key store has no entry "mine"/);
  });

  it('a key-store entry: goes to a server that the column chooses only if it is stored for the provider', async () => {
    const parameters = '"parameters":{"endpointName":"mine","regionName":"us-east-1","cloudName":"aws"}';
    const model = '"modelName":"endpoint-defined-model"';
    const create = (name: string, service: string) =>
      `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int","v":{"type":"vector","dimension":4,
        "service":{${service},"authentication":{"providerKey":"bound"}}}},"primaryKey":"id"}}}`;
    const dedicated = create('dedicated', `"provider":"huggingfaceDedicated",${model},${parameters}`);
    const ours = create('ours', '"provider":"ours","modelName":"m"');
    const refused = `{"status":{"ok":0},"errors":[<REQUEST ${invalid}>]}`;
    await keys(['set', 'bound'], 'sk-bound');
    await keyspace(dedicated, refused, 'colonnade keys set bound --provider huggingfaceDedicated');
    await keys(['set', 'bound', '--provider', 'huggingfaceDedicated'], 'sk-bound');
    await keyspace(dedicated, '{"status":{"ok":1}}');
    await keyspace(ours, refused, 'it is for huggingfaceDedicated, not for ours');
    await keys(['set', 'bound', '--provider', 'ours'], 'sk-bound');
    await keyspace(ours, '{"status":{"ok":1}}');
    const table = at('/v1/default_keyspace/dedicated');
    await table(
      insert(1),
      `{"errors":[<REQUEST ${invalid}>]}`,
      'it is for ours, not for huggingfaceDedicated',
    );
  });

  it('a key-store entry: bedrock wants both secrets, under one name', async () => {
    const parts =
      '"provider":"bedrock","modelName":"amazon.titan-embed-text-v1","parameters":{"region":"eu-west-1"}';
    const create = (name: string) =>
      `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int","v":{"type":"vector",
        "service":{${parts},"authentication":{"providerKey":"aws"}}}},"primaryKey":"id"}}}`;
    await keys(['set', 'aws'], 'sk-one');
    await keyspace(
      create('aws'),
      `{"status":{"ok":0},"errors":[<REQUEST ${invalid}>]}`,
      'it has no secret "accessId"',
    );
    assert.deepEqual(await keys(['set', 'aws', '--aws'], 'AKID\ns3cret/Key\n'), {
      code: 0,
      text: 'stored aws\n',
    });
    await keyspace(create('aws'), '{"status":{"ok":1}}');
  });

  it('leaves no secret in the log or in any file but encrypted, and those for the owner only', () => {
    const { dataDir, stderr } = running();
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((name) =>
      join(dataDir, name),
    );
    const secrets = [secret, 'sk-New', 'sk-Header', 's3cret/Key'];
    for (const file of files.filter((name) => statSync(name).isFile())) {
      const content = readFileSync(file);
      for (const one of secrets) assert.ok(!content.includes(one), `${one} is in ${file}`);
      if (/key-store/.test(file)) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    }
    for (const one of secrets) assert.ok(!stderr().includes(one));
    assert.ok(files.some((file) => file.endsWith('key-store.enc')));
  });
});
