// Large values: a page ends by its size, and what one command can cost is bounded.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const path = '/v1/default_keyspace/large';
const { at, send } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      '{"createTable":{"name":"large","definition":{"columns":{"id":"int","note":"text","n":"varint"},"primaryKey":"id"}}}',
    ],
    ...Array.from({ length: 12 }, (_, id) => [path, insertOf(id)] as const),
  ],
});
const tooLarge = '{"errors":[<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>]}';

function insertOf(id: number): string {
  return `{"insertOne":{"document":{"id":${id},"note":"${String(id % 10).repeat(1024 * 1024)}"}}}`;
}

/** The ids of all pages of a find. */
async function pagesOf(find: (pageState: string) => string): Promise<readonly (readonly number[])[]> {
  const pages: number[][] = [];
  for (let state: string | null = ''; state !== null; ) {
    const { text } = await send({ path, body: find(state) });
    const reply: { data: { documents: { id: number }[]; nextPageState: string | null } } = JSON.parse(text);
    pages.push(reply.data.documents.map(({ id }) => id));
    state = reply.data.nextPageState;
  }
  return pages;
}

describe('page of large rows', () => {
  const filters = ['', '"filter":{"note":{"$gte":""}},', '"filter":{"id":{"$gte":0}},'];
  for (const filter of filters) {
    it(`ends behind 4 MiB, and the next goes on there: ${filter || 'no filter'}`, async () => {
      const pages = await pagesOf((state) => `{"find":{${filter}"options":{"pageState":"${state}"}}}`);
      assert.deepEqual(
        pages.flat().toSorted((left, right) => left - right),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      );
      assert.ok(pages.length >= 3, JSON.stringify(pages));
    });
  }

  it('counts the limit over such pages', async () => {
    const pages = await pagesOf((state) => `{"find":{"options":{"limit":7,"pageState":"${state}"}}}`);
    assert.equal(pages.flat().length, 7);
  });

  it('are as many as ever where the large column is left out', async () => {
    const pages = await pagesOf(
      (state) => `{"find":{"projection":{"id":1},"options":{"pageState":"${state}"}}}`,
    );
    assert.deepEqual(
      pages.map((page) => page.length),
      [12],
    );
  });
});

describe('numbers with exponents', () => {
  it('may have 2,000,000 digits together in a command', async () => {
    const documents = (count: number) =>
      Array.from({ length: count }, (_, id) => `{"id":${id + 100},"n":7e199999}`).join(',');
    const { text } = await send({ path, body: `{"insertMany":{"documents":[${documents(10)}]}}` });
    assert.ok(!text.includes('"errors"'), text.slice(0, 300));
    await at(path)(`{"insertMany":{"documents":[${documents(11)}]}}`, tooLarge, '2000000 digits');
  });
});
