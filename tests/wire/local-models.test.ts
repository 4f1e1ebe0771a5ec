// The provider `local` on the wire: texts that are longer than its model reads.
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { writeStaticModel } from '../local-models/model-files.js';
import { useWireServer } from './wire-server.js';

const models = makeTemporaryDirectory();
writeStaticModel(models, 'words');
const { at } = useWireServer({ args: ['--models', models] });
const keyspace = at('/v1/default_keyspace');
const notes = at('/v1/default_keyspace/notes');
const cut = '"warnings":[<REQUEST WARNING TEXTS_CUT_BY_MODEL: Texts longer than the model reads>]';

describe('local models', () => {
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
    await notes(
      JSON.stringify({ findOne: { sort: { $vectorize: `roof ${long}` }, projection: { _id: 1 } } }),
      `{"data":{"document":{"_id":1}},"status":{${cut}}}`,
      'and 1 text has more.',
    );
  });
});
