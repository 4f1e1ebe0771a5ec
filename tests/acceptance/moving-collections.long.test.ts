// `colonnade export` and `colonnade import` of collections between two real servers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  insertAll,
  killWhenHeld,
  move,
  newExportDirectory,
  openGate,
  send,
  useServerPair,
} from './between-servers.js';

const everything = '{"find":{"projection":{"*":true}}}';
const ids = [
  '1',
  '"x"',
  'true',
  'null',
  '1.5',
  '{"$date":7}',
  '{"$uuid":"018f0000-0000-7000-8000-000000000001"}',
  '{"$objectId":"507f1f77bcf86cd799439011"}',
];

describe('colonnade export and import of collections', () => {
  const { source, target, to, keyspace, both } = useServerPair();

  it('move options, ids of all kinds, digits, vectors and texts, and report counts as JSON', async () => {
    const ks = await keyspace('documents');
    const vector = { service: { provider: 'colonnade', modelName: 'hashed-ngrams' }, metric: 'dot_product' };
    const options = { vector, indexing: { deny: ['a.b'] }, defaultId: { type: 'objectId' } };
    await send(source().url, `/${ks}`, JSON.stringify({ createCollection: { name: 'rich', options } }));
    await send(
      source().url,
      `/${ks}`,
      '{"createCollection":{"name":"plain","options":{"vector":{"dimension":2},"lexical":{"enabled":false}}}}',
    );
    await insertAll(source().url, `/${ks}/rich`, [
      ...ids.map(
        (id, at) => `{"_id":${id},"z":{"b":${at},"a":[{}, [], null]},"n":12345678901234567890.123456789}`,
      ),
      '{"_id":"t","$hybrid":"a text to embed"}',
    ]);
    await insertAll(source().url, `/${ks}/plain`, ['{"_id":1,"$vector":[0.1,-1e-3]}']);
    const directory = newExportDirectory();
    const exported = await move(['export', directory, '--keyspace', ks, '--url', source().url, '--json']);
    assert.deepEqual(
      JSON.parse(exported.stdout).tables.map(({ name, kind, rows }: Record<string, unknown>) => [
        name,
        kind,
        rows,
      ]),
      [
        ['rich', 'collection', ids.length + 1],
        ['plain', 'collection', 1],
      ],
    );
    assert.match(
      readFileSync(join(directory, '0001-rich.ndjson'), 'utf8'),
      /"n":12345678901234567890\.123456789/,
    );
    const imported = await move(['import', directory, ...to('documents2'), '--json']);
    assert.equal(
      JSON.parse(imported.stdout).tables.every(({ verified }: { verified: boolean }) => verified),
      true,
    );
    for (const [path, command] of [
      ['', '{"findCollections":{"options":{"explain":true}}}'],
      ['/rich', everything],
      ['/plain', everything],
      ['/rich', '{"findOne":{"sort":{"$vectorize":"text"}}}'],
    ] as const) {
      const [ours, theirs] = await both(`/${ks}${path}`, `/documents2${path}`, command);
      assert.equal(theirs, ours, command);
    }
  });

  it('replace documents that exist, and refuse a collection with other options', async () => {
    const ks = await keyspace('again');
    await send(source().url, `/${ks}`, '{"createCollection":{"name":"docs"}}');
    await insertAll(
      source().url,
      `/${ks}/docs`,
      ids.map((id, at) => `{"_id":${id},"n":${at}}`),
    );
    const directory = newExportDirectory();
    await move(['export', directory, '--keyspace', ks, '--url', source().url]);
    await move(['import', directory, ...to('again2')]);
    await send(
      target().url,
      '/again2/docs',
      '{"updateMany":{"filter":{},"update":{"$set":{"n":99,"other":1}}}}',
    );
    const { stdout } = await move(['import', directory, ...to('again2')]);
    assert.match(stdout, /^docs: 8 documents, checksum [0-9a-f]{64}, verified$/m);
    await send(target().url, '', '{"createKeyspace":{"name":"again3"}}');
    await send(
      target().url,
      '/again3',
      '{"createCollection":{"name":"docs","options":{"indexing":{"deny":["x"]}}}}',
    );
    const { stderr } = await move(['import', directory, ...to('again3')], 1);
    assert.match(
      stderr,
      /the collection docs exists with other options: the option indexing is \{"deny":\["x"\]\} and not null/,
    );
  });

  it('continue after kills in the middle', async () => {
    const ks = await keyspace('killed');
    await send(source().url, `/${ks}`, '{"createCollection":{"name":"docs"}}');
    await insertAll(
      source().url,
      `/${ks}/docs`,
      Array.from({ length: 3000 }, (_, at) => `{"_id":${at},"at":${at}}`),
    );
    const directory = newExportDirectory();
    const out = await openGate(source().url, (command, count) =>
      command === 'find' && count === 20 ? 'hold' : 'pass',
    );
    const exportArgs = ['export', directory, '--keyspace', ks, '--url', out.url];
    await killWhenHeld(exportArgs, out.held);
    await move(exportArgs);
    out.close();
    const into = await openGate(target().url, (command, count) =>
      command === 'insertMany' && count === 25 ? 'hold' : 'pass',
    );
    const importArgs = ['import', directory, '--url', into.url, '--to-keyspace', 'killed2'];
    await killWhenHeld(importArgs, into.held);
    const { stdout } = await move(importArgs);
    assert.match(stdout, /^docs: 3000 documents, checksum [0-9a-f]{64}, verified$/m);
    into.close();
  });
});
