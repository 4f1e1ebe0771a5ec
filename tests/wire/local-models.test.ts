// The providers `local` on the wire: transformers and rerankers, and texts that are longer than a model reads.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { writeFakeRuntime, writeReranker, writeTransformer } from '../local-models/graph-files.js';
import { writeStaticModel } from '../local-models/model-files.js';
import { useWireServer } from './wire-server.js';

const models = makeTemporaryDirectory();
writeStaticModel(models, 'words');
writeTransformer(models, 'mean');
writeReranker(models, 'ranks');
process.env['NODE_PATH'] = writeFakeRuntime(makeTemporaryDirectory()); // the server gets it
const { at, send } = useWireServer({ args: ['--models', models] });
const keyspace = at('/v1/default_keyspace');
const notes = at('/v1/default_keyspace/notes');
const ranked = at('/v1/default_keyspace/ranked');
const cut = '"warnings":[<REQUEST WARNING TEXTS_CUT_BY_MODEL: Texts longer than the model reads>]';

interface ListedProvider {
  readonly isDefault?: boolean;
  readonly models: readonly { readonly name: string; readonly vectorDimension?: number }[];
}

/** The providers of one kind or of the other. */
interface Listed {
  readonly status: {
    readonly embeddingProviders: Readonly<Record<string, ListedProvider>>;
    readonly rerankingProviders: Readonly<Record<string, ListedProvider>>;
  };
}

describe('local models', () => {
  it('are listed where they can be used: those that make vectors apart from those that rank', async () => {
    const { text } = await send({ path: '/v1', body: '{"findEmbeddingProviders":{}}' });
    const made = JSON.parse(text) as Listed; // as the API has it
    assert.deepEqual(
      made.status.embeddingProviders['local']?.models.map(({ name, vectorDimension }) => [
        name,
        vectorDimension,
      ]),
      [
        ['mean', 4],
        ['words', 4],
      ],
    );
    const ranking = await send({ path: '/v1', body: '{"findRerankingProviders":{}}' });
    const { status } = JSON.parse(ranking.text) as Listed;
    const { local, colonnade } = status.rerankingProviders;
    assert.deepEqual(
      local?.models.map(({ name }) => name),
      ['ranks'],
    );
    assert.deepEqual([local?.isDefault, colonnade?.isDefault], [false, true]);
  });

  it('rank what a search by meaning and a search by words found', async () => {
    const service = '"service":{"provider":"local","modelName":"mean"}';
    const rerank = '"rerank":{"enabled":true,"service":{"provider":"local","modelName":"ranks"}}';
    await keyspace(
      `{"createCollection":{"name":"ranked","options":{"vector":{${service}},"lexical":{"enabled":true},${rerank}}}}`,
      '{"status":{"ok":1}}',
    );
    const documents = ['the boiler', 'boiler heating', 'roof tiles', 'tiles tiles tiles tiles tiles boiler'];
    await ranked(
      JSON.stringify({ insertMany: { documents: documents.map(($hybrid, _id) => ({ _id, $hybrid })) } }),
      '{"status":{"insertedIds":[0,1,2,3]}}',
    );
    await ranked(
      '{"findAndRerank":{"sort":{"$hybrid":"boiler heating"},"projection":{"_id":1},"options":{"limit":3}}}',
      `{"data":{"documents":[{"_id":1},{"_id":0},{"_id":2}],"nextPageState":null},"status":{${cut}}}`,
      'The model ranks of the provider local reads 9 tokens of a text, and 1 text has more.',
    );
  });

  it('texts that are longer than a local model reads: are stored, with a warning', async () => {
    const long = 'tiles '.repeat(513);
    const service = '{"provider":"local","modelName":"words"}';
    await keyspace(
      `{"createCollection":{"name":"notes","options":{"vector":{"service":${service}}}}}`,
      '{"status":{"ok":1}}',
    );
    const insert = { insertMany: { documents: [1, 2, 3].map((_id) => ({ _id, $vectorize: long + _id })) } };
    await notes(
      JSON.stringify(insert),
      `{"status":{"insertedIds":[1,2,3],${cut}}}`,
      'The model words of the provider local reads 512 tokens of a text, and 3 texts have more.',
      'Split long texts into passages.',
    );
    await notes(
      '{"find":{"filter":{"_id":1},"projection":{"_id":1,"$vectorize":1}}}',
      JSON.stringify({ data: { documents: [{ _id: 1, $vectorize: `${long}1` }], nextPageState: null } }),
    );
    // What the model reads of the three is equal, so a filter says which one comes.
    await notes(
      JSON.stringify({
        findOne: { filter: { _id: 2 }, sort: { $vectorize: `roof ${long}` }, projection: { _id: 1 } },
      }),
      `{"data":{"document":{"_id":2}},"status":{${cut}}}`,
      'and 1 text has more.',
    );
  });
});
