// The extended dialect: every vector column of a table may have a service of its own, but a key goes to one provider.
import { describe, it } from 'node:test';
import { useEmbeddingWireServer } from './embedding-wire-server.js';

const { at, withHeaders } = useEmbeddingWireServer({ args: ['--dialect', 'extended'] });
const key = { 'x-embedding-api-key': 'sk-Test.123' };

describe('vector columns with different services, in the extended dialect', () => {
  const table = withHeaders('/v1/default_keyspace/mixed');
  const inserted = (id: number) =>
    `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
  const vector = (provider: string, modelName = 'm') =>
    `{"type":"vector","service":{"provider":"${provider}","modelName":"${modelName}"}}`;

  it('can be defined, added and written together', async () => {
    await at('/v1/default_keyspace')(
      `{"createTable":{"name":"mixed","definition":{"primaryKey":"id",
        "columns":{"id":"int","a":${vector('ours')},"b":${vector('colonnade', 'hashed-ngrams')}}}}}`,
      '{"status":{"ok":1}}',
    );
    await table(
      {},
      `{"alterTable":{"operation":{"add":{"columns":{"c":${vector('free')}}}}}}`,
      '{"status":{"ok":1}}',
    );
    await table(key, '{"insertOne":{"document":{"id":1,"a":"x","b":"x"}}}', inserted(1));
    await table({}, '{"insertOne":{"document":{"id":2,"b":"x","c":"x"}}}', inserted(2));
  });

  it('one key for several providers: is refused', async () => {
    const problem = 'DOCUMENT UNSUPPORTED_VECTORIZE_CONFIGURATIONS: One key for several providers';
    await table(
      key,
      '{"insertOne":{"document":{"id":3,"a":"x","c":"x"}}}',
      `{"errors":[<REQUEST ${problem}>]}`,
      'several providers: ours, free',
    );
  });
});
