// The quick start of the vector store in @langchain/community. Argument: the server's URL.
import assert from 'node:assert/strict';
import { AstraDBVectorStore } from '@langchain/community/vectorstores/astradb';
import { DeterministicFakeEmbedding } from './fake-embedding.mjs';

console.debug = () => {};
console.log = () => {};

const store = await AstraDBVectorStore.fromTexts(
  ['red house', 'blue house', 'green tree', 'river'],
  [{ kind: 'house' }, { kind: 'house' }, { kind: 'tree' }, { kind: 'water' }].map((metadata) => ({
    metadata,
  })),
  new DeterministicFakeEmbedding(),
  {
    token: 'token',
    endpoint: process.argv[2],
    collection: 'langchain_js',
    keyspace: 'default_keyspace',
    collectionOptions: { vector: { dimension: 8, metric: 'cosine' } },
  },
);
const [[first, score]] = await store.similaritySearchWithScore('green tree', 1);
assert.equal(first.pageContent, 'green tree');
assert.ok(score > 0.99 && score < 1.001, String(score));
const houses = await store.similaritySearch('river', 4, { 'metadata.kind': 'house' });
assert.deepEqual(houses.map(({ pageContent }) => pageContent).sort(), ['blue house', 'red house']);
// A known id replaces the document.
await store.addDocuments([{ pageContent: 'a lake', metadata: {} }], ['one']);
await store.addDocuments([{ pageContent: 'a sea', metadata: {} }], ['one']);
assert.equal((await store.similaritySearch('a sea', 1))[0].pageContent, 'a sea');
await store.delete({ ids: ['one'] });
assert.equal((await store.similaritySearch('a sea', 9)).length, 4);
process.stdout.write('vector store\n');
