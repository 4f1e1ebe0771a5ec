// Texts of `$vectorize` that a change does not alter are not sent to the embedding provider again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useEmbeddingWireServer } from './embedding-wire-server.js';

const path = '/v1/default_keyspace/notes';
const options = '{"vector":{"service":{"provider":"free","modelName":"m"}}}';
const { provider, send } = useEmbeddingWireServer({
  prepare: [
    ['/v1/default_keyspace', `{"createCollection":{"name":"notes","options":${options}}}`],
    [
      path,
      '{"insertMany":{"documents":[{"_id":1,"$vectorize":"one"},{"_id":2,"$vectorize":"two"},{"_id":3,"k":1}]}}',
    ],
  ],
});

/** The texts that the provider gets for a command, and the reply. */
async function sent(body: string): Promise<{ readonly texts: readonly unknown[]; readonly reply: string }> {
  const before = provider().received.length;
  const { text } = await send({ path, body });
  assert.doesNotMatch(text, /"errors"/);
  const texts = provider()
    .received.slice(before)
    .flatMap(({ body: { input } }) => input as readonly unknown[]); // a list of texts
  return { texts, reply: text };
}

const vectorOf = async (id: number) => {
  const { reply } = await sent(
    `{"findOne":{"filter":{"_id":${id}},"projection":{"$vectorize":1,"$vector":1}}}`,
  );
  return reply;
};
const update = (command: string, filter: string, set: string) =>
  `{"${command}":{"filter":${filter},"update":{"$set":${set}}}}`;

describe('a text that does not change', () => {
  it('is not embedded again by $set', async () => {
    const before = await vectorOf(1);
    for (const command of ['updateOne', 'updateMany', 'findOneAndUpdate']) {
      const { texts, reply } = await sent(update(command, '{"_id":1}', '{"$vectorize":"one","n":1}'));
      assert.deepEqual(texts, []);
      assert.match(reply, /"matchedCount":1,"modifiedCount":[01]/);
    }
    assert.deepEqual((await sent(update('updateOne', '{"_id":1}', '{"$vectorize":"one"}'))).texts, []);
    const after = await vectorOf(1);
    assert.equal(after.replace('"n":1,', ''), before);
  });

  it('is not embedded again by a replacement', async () => {
    const replacement = '{"findOneAndReplace":{"filter":{"_id":2},"replacement":{"$vectorize":"two","a":1}}}';
    const before = await vectorOf(2);
    assert.deepEqual((await sent(replacement)).texts, []);
    assert.equal((await vectorOf(2)).replace('"a":1,', ''), before);
  });

  it('is not embedded again by a command that sorts by the text of a search', async () => {
    const documents = '{"_id":11,"$vectorize":"eleven"},{"_id":12,"$vectorize":"twelve"}';
    await sent(`{"insertMany":{"documents":[${documents}]}}`);
    const [eleven, twelve] = [await vectorOf(11), await vectorOf(12)];
    const filter = '"filter":{"_id":{"$in":[11,12]}}';
    const sorted = (command: string, search: string, more: string) =>
      sent(`{"${command}":{${filter},"sort":{"$vectorize":"${search}"},${more}}}`);

    for (const command of ['updateOne', 'findOneAndUpdate']) {
      const { texts, reply } = await sorted(
        command,
        'twelve',
        '"update":{"$set":{"$vectorize":"twelve","n":1}}',
      );
      assert.deepEqual(texts, ['twelve']);
      assert.match(reply, /"matchedCount":1,"modifiedCount":[01]/);
    }
    const replacement = '"replacement":{"$vectorize":"twelve","a":1}';
    assert.deepEqual((await sorted('findOneAndReplace', 'twelve', replacement)).texts, ['twelve']);
    assert.equal((await vectorOf(12)).replace('"a":1,', ''), twelve);
    assert.equal(await vectorOf(11), eleven);

    const changed = await sorted('updateOne', 'twelve', '"update":{"$set":{"$vectorize":"other"}}');
    assert.deepEqual(changed.texts, ['twelve', 'other']);
    assert.match(await vectorOf(12), /"\$vectorize":"other"/);
    assert.notEqual((await vectorOf(12)).replace('other', 'twelve'), twelve);
    await sent('{"deleteMany":{"filter":{"_id":{"$in":[11,12]}}}}');
  });

  it('is embedded by an upsert whose search finds no document', async () => {
    const update = '"update":{"$set":{"$vectorize":"one"}},"options":{"upsert":true}';
    const upsert = `{"updateOne":{"filter":{"_id":13},"sort":{"$vectorize":"none"},${update}}}`;
    const { texts, reply } = await sent(upsert);
    assert.deepEqual(texts, ['none', 'one']);
    assert.equal(reply, '{"status":{"upsertedId":13,"matchedCount":0,"modifiedCount":0}}');
    assert.equal(
      (await vectorOf(13)).replace('13', '1').replace(/"n":1,/, ''),
      (await vectorOf(1)).replace(/"n":1,/, ''),
    );
    await sent('{"deleteOne":{"filter":{"_id":13}}}');
  });

  it('is embedded once for documents that do not have it', async () => {
    assert.deepEqual((await sent(update('updateOne', '{"_id":3}', '{"$vectorize":"three"}'))).texts, [
      'three',
    ]);
    assert.deepEqual((await sent(update('updateOne', '{"_id":3}', '{"$vectorize":"four"}'))).texts, ['four']);
    const many = update('updateMany', '{}', '{"$vectorize":"four"}');
    const { texts, reply } = await sent(many);
    assert.deepEqual([texts, reply], [[], '{"status":{"matchedCount":3,"modifiedCount":2}}']);
    const vectors = await Promise.all(
      [1, 2, 3].map(async (id) => /"\$vector":\[[^\]]*\]/.exec(await vectorOf(id))?.[0]),
    );
    assert.equal(new Set(vectors).size, 1);
  });
});
