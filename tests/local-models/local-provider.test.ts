// The embedding provider `local` in requests: vectors by meaning, and weights that were replaced.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory, runColonnade } from '../acceptance/start-server.js';
import { useWireServer } from '../wire/wire-server.js';
import { floats, rows, safetensorsFile, writeStaticModel } from './model-files.js';

const models = makeTemporaryDirectory();
writeStaticModel(models, 'words');
writeStaticModel(models, 'other', { 'config.json': { normalize: false } });
const server = useWireServer({ args: ['--models', models] });
const service = '{"provider":"local","modelName":"words"}';

interface Reply {
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: { readonly documents?: readonly Readonly<Record<string, unknown>>[] };
  readonly errors?: readonly { readonly errorCode: string; readonly message: string }[];
}

interface ListedProvider {
  readonly displayName: string;
  readonly models: readonly {
    readonly name: string;
    readonly vectorDimension: number;
    readonly parameters: readonly { readonly name: string; readonly defaultValue: string }[];
  }[];
}

async function ask(path: string, body: string): Promise<Reply> {
  const { text } = await server.send({ path, body });
  return JSON.parse(text) as Reply; // a reply of the data service
}

const database = (body: string) => ask('/v1/default_keyspace', body);

async function expectDone(path: string, body: string): Promise<Reply> {
  const reply = await ask(path, body);
  assert.equal(reply.errors, undefined, JSON.stringify(reply));
  return reply;
}

describe('the provider local', () => {
  it('is listed with the models of the directory, their dimensions and fingerprints', async () => {
    const { status } = await ask('/v1', '{"findEmbeddingProviders":{}}');
    const providers = status?.['embeddingProviders'] as Readonly<Record<string, ListedProvider>>; // as the API has it
    assert.equal(providers['local']?.displayName, 'Local models (files of this machine)');
    const shown = providers['local']?.models ?? [];
    assert.deepEqual(
      shown.map(({ name, vectorDimension }) => [name, vectorDimension]),
      [
        ['other', 4],
        ['words', 4],
      ],
    );
    for (const { parameters } of shown) {
      assert.equal(parameters[0]?.name, 'fingerprint');
      assert.match(parameters[0]?.defaultValue ?? '', /^[0-9a-f]{32}$/);
    }
  });

  it('finds documents of a collection by meaning', async () => {
    await expectDone(
      '/v1/default_keyspace',
      `{"createCollection":{"name":"notes","options":{"vector":{"service":${service}}}}}`,
    );
    await expectDone(
      '/v1/default_keyspace/notes',
      `{"insertMany":{"documents":[
      {"_id":1,"$vectorize":"the boiler"},{"_id":2,"$vectorize":"tiles"},{"_id":3,"$vectorize":"invoices"}]}}`,
    );
    const found = await expectDone(
      '/v1/default_keyspace/notes',
      '{"find":{"sort":{"$vectorize":"roof"},"options":{"limit":1}}}',
    );
    assert.deepEqual(found.data?.documents, [{ _id: 2 }]);
    const { status } = await database('{"findCollections":{"options":{"explain":true}}}');
    assert.match(
      JSON.stringify(status),
      /"dimension":4,.*"provider":"local","modelName":"words","parameters":\{"fingerprint":"[0-9a-f]{32}"\}/,
    );
    await expectDone(
      '/v1/default_keyspace',
      `{"createCollection":{"name":"notes","options":{"vector":{"service":${service}}}}}`,
    );
  });

  it('makes the vectors of a column, whose dimension is that of the model', async () => {
    const create = (name: string, dimension: string) =>
      `{"createTable":{"name":"${name}","definition":{"columns":{"id":"int","v":{"type":"vector"${dimension},"service":${service}}},"primaryKey":"id"}}}`;
    await expectDone('/v1/default_keyspace', create('plain', ''));
    await expectDone('/v1/default_keyspace', create('exact', ',"dimension":4'));
    const wrong = await database(create('wrong', ',"dimension":5'));
    assert.match(
      wrong.errors?.[0]?.message ?? '',
      /the model "words" does not support 5 dimensions; it supports 4/,
    );
    await expectDone('/v1/default_keyspace/plain', '{"insertOne":{"document":{"id":1,"v":"roof"}}}');
    const { data } = await ask('/v1/default_keyspace/plain', '{"find":{}}');
    assert.deepEqual(data?.documents, [{ id: 1, v: [0, 1, 0, 0] }]);
  });

  it('embeds the texts of a large request, and counts those that are too long', async () => {
    const words = 'tiles '.repeat(600);
    const documents = Array.from({ length: 100 }, (_, at) => ({ $vectorize: `roof ${at} ${words}` }));
    const body = JSON.stringify({ insertMany: { documents } });
    assert.ok(body.length > 131_072);
    const { status } = await expectDone('/v1/default_keyspace/notes', body);
    assert.match(JSON.stringify(status?.['warnings']), /100 texts have more/);
  });

  it('refuses models and fingerprints that it does not have, and keys', async () => {
    const create = (text: string) =>
      database(`{"createCollection":{"name":"bad","options":{"vector":{"service":${text}}}}}`);
    const problemOf = async (text: string) => (await create(text)).errors?.[0]?.message ?? '';
    assert.match(
      await problemOf('{"provider":"local","modelName":"none"}'),
      /the models of local are other, words/,
    );
    assert.match(
      await problemOf('{"provider":"local","modelName":"words","parameters":{"fingerprint":"abc"}}'),
      /the parameter "fingerprint" must be one of [0-9a-f]{32}/,
    );
    assert.match(
      await problemOf('{"provider":"local","modelName":"words","authentication":{"providerKey":"k"}}'),
      /does not use keys from the key store/,
    );
  });

  it('refuses texts after its weights were replaced, while it runs and after a start', async () => {
    const file = join(models, 'other', 'model.safetensors');
    const create =
      '{"createCollection":{"name":"replaced","options":{"vector":{"service":{"provider":"local","modelName":"other"}}}}}';
    const insert = (id: number) =>
      ask('/v1/default_keyspace/replaced', `{"insertOne":{"document":{"_id":${id},"$vectorize":"roof"}}}`);
    await expectDone('/v1/default_keyspace', create);
    writeFileSync(file, safetensorsFile({ embeddings: floats(rows.map((row) => [...row].reverse())) }));
    const running = await insert(1);
    assert.equal(running.errors?.[0]?.errorCode, 'EMBEDDING_PROVIDER_UNAVAILABLE');
    assert.match(running.errors?.[0]?.message ?? '', /its files have changed since the server was started/);
    const others = readFileSync(file);
    writeFileSync(file, safetensorsFile({ embeddings: floats(rows) }));
    assert.equal((await insert(0)).errors, undefined);
    writeFileSync(file, others);
    await server.restart();
    const changed = await insert(1);
    assert.equal(changed.errors?.[0]?.errorCode, 'EMBEDDING_PROVIDER_UNAVAILABLE');
    const message = changed.errors?.[0]?.message ?? '';
    assert.match(
      message,
      /made with files of the fingerprint [0-9a-f]{32}, and the model of this name now has [0-9a-f]{32}/,
    );
    assert.match(message, /Put the former files back, or give the new ones another name/);
    const again = await database(create);
    assert.equal(again.errors?.[0]?.errorCode, 'EXISTING_COLLECTION_DIFFERENT_SETTINGS');
    writeFileSync(file, safetensorsFile({ embeddings: floats(rows) }));
    await server.restart();
    await expectDone('/v1/default_keyspace', create);
    assert.equal((await insert(1)).errors, undefined);
  });

  it('names a model that is gone', async () => {
    rmSync(join(models, 'other'), { recursive: true });
    await server.restart();
    const gone = await ask('/v1/default_keyspace/replaced', '{"find":{"sort":{"$vectorize":"roof"}}}');
    assert.equal(gone.errors?.[0]?.errorCode, 'EMBEDDING_PROVIDER_UNAVAILABLE');
    assert.match(gone.errors?.[0]?.message ?? '', /this server does not offer the model/);
  });
});

describe('a start with models that cannot be used', () => {
  it('ends with 2 and every problem', async () => {
    const directory = makeTemporaryDirectory();
    writeStaticModel(directory, 'cut', { 'model.safetensors': 'short' });
    writeStaticModel(directory, 'bare', { 'tokenizer.json': undefined });
    const args = ['serve', '--data-dir', join(directory, '.data'), '--port=0', '--ops-port=0'];
    const { code, stderr } = await runColonnade([...args, '--models', directory]);
    assert.equal(code, 2);
    assert.match(stderr, /--models: .*bare: tokenizer\.json is missing/);
    assert.match(stderr, /--models: .*cut: model\.safetensors is not a safetensors file/);
  });
});
