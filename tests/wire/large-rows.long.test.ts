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
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"limited","definition":{"columns":{"id":"int","a":"text","b":"text",
        "l":{"type":"list","valueType":"text"},"s":{"type":"set","valueType":"text"},
        "m":{"type":"map","keyType":"text","valueType":"text"}},"primaryKey":"id"}}}`,
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
    it(`ends after 4 MiB, and the next continues there: ${filter || 'no filter'}`, async () => {
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

describe('rows near 20 MiB', () => {
  const limited = '/v1/default_keyspace/limited';
  const mebibyte = 1024 * 1024;
  const updated = '{"status":{"matchedCount":1,"modifiedCount":1}}';
  const stored = (...ids: readonly number[]) =>
    `{"status":{"insertedIds":[${ids.map((id) => `[${id}]`).join(',')}],"primaryKeySchema":{"id":{"type":"int"}}}}`;
  const text = (bytes: number) => 'é'.repeat(bytes / 2);
  const insert = (document: object, reply: string) =>
    at(limited)(JSON.stringify({ insertOne: { document } }), reply);
  const update = (id: number, clause: object, reply: string) =>
    at(limited)(JSON.stringify({ updateOne: { filter: { id }, update: clause } }), reply);

  async function lengthsOf(id: number): Promise<Readonly<Record<string, number>>> {
    const found = await send({ path: limited, body: `{"findOne":{"filter":{"id":${id}}}}` });
    const row: Readonly<Record<string, { length: number }>> = JSON.parse(found.text).data.document;
    return Object.fromEntries(Object.entries(row).map(([name, { length }]) => [name, length]));
  }

  it('a row over 20 MiB: is refused by what it brings together with what is stored of it', async () => {
    await insert({ id: 1, a: text(12 * mebibyte) }, stored(1));
    await insert({ id: 1, b: text(8 * mebibyte + 2) }, tooLarge);
    await insert({ id: 1, b: text(8 * mebibyte) }, stored(1));
    await update(1, { $set: { b: text(8 * mebibyte + 2) } }, tooLarge);
    await update(1, { $push: { l: 'x' } }, tooLarge);
    await at(limited)(
      '{"updateOne":{"filter":{"id":1},"update":{"$set":{"l":["x"]}}}}',
      tooLarge,
      '20971520 bytes',
    );
    assert.deepEqual(await lengthsOf(1), { id: undefined, a: 6 * mebibyte, b: 4 * mebibyte });
    await update(1, { $set: { a: 'small', l: ['x'] } }, updated);
    await update(1, { $push: { l: 'y' }, $unset: { b: 1 } }, updated);
    assert.deepEqual(await lengthsOf(1), { id: undefined, a: 5, l: 2 });
  });

  it('take no more than that into a list, set or map', async () => {
    const parts = (bytes: number) => ({
      l: { $each: ['a', text(bytes)] },
      s: text(bytes),
      m: { [`key ${bytes}`]: text(bytes) },
    });
    await update(2, { $push: parts(5 * mebibyte) }, updated);
    const before = await lengthsOf(2);
    for (let time = 0; time < 3; time += 1) await update(2, { $push: parts(2 * mebibyte) }, tooLarge);
    assert.deepEqual(await lengthsOf(2), before);
    await update(2, { $push: parts(mebibyte) }, updated);
    const { l, s } = await lengthsOf(2);
    assert.deepEqual({ l, s }, { l: 4, s: 2 });
    await update(2, { $pullAll: { l: [text(5 * mebibyte)] } }, updated);
    await update(2, { $push: { l: text(4 * mebibyte) } }, updated);
    assert.equal((await lengthsOf(2))['l'], 4);
  });

  it('fail alone in an insertMany, which ends there when it is ordered', async () => {
    await insert({ id: 3, a: text(19 * mebibyte) }, stored(3));
    const documents = (first: number) => [
      { id: first },
      { id: 3, b: text(2 * mebibyte) },
      { id: first + 1, a: 'x' },
    ];
    const error = '<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>';
    await at(limited)(
      JSON.stringify({ insertMany: { documents: documents(10) } }),
      `${stored(10, 11).slice(0, -1)},"errors":[${error}]}`,
    );
    await at(limited)(
      JSON.stringify({
        insertMany: { documents: documents(20), options: { ordered: true, returnDocumentResponses: true } },
      }),
      `{"status":{"documentResponses":[{"_id":[20],"status":"OK"},{"_id":[3],"status":"ERROR","errorsIdx":0},
        {"_id":[21],"status":"SKIPPED"}],"primaryKeySchema":{"id":{"type":"int"}}},"errors":[${error}]}`,
    );
    assert.deepEqual(await lengthsOf(3), { id: undefined, a: 9.5 * mebibyte });
    const { text: found } = await send({
      path: limited,
      body: '{"find":{"filter":{"id":{"$gte":10}},"projection":{"id":1}}}',
    });
    const rows: readonly { readonly id: number }[] = JSON.parse(found).data.documents;
    assert.deepEqual(
      rows.map(({ id }) => id),
      [10, 11, 20],
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
