// Columns come and go while rows are written and read: nobody gets a failure or a row that never was.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnCluster } from '../acceptance/server-args.js';
import { shortened, useWireServer } from './wire-server.js';

const { at, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';

/** A table of one partition whose rows have `n` equal to `id`. */
async function makeTable(name: string): Promise<(body: string) => Promise<string>> {
  const definition =
    '{"columns":{"p":"int","id":"int","n":"int","extra":"int"},' +
    '"primaryKey":{"partitionBy":["p"],"partitionSort":{"id":1}}}';
  await keyspace(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
  return async (body) => {
    const { status, text } = await send({ path: `/v1/default_keyspace/${name}`, body });
    assert.equal(status, 200);
    assert.ok(!text.includes('"SERVER"'), text);
    return shortened(text);
  };
}

const add = (column: string) => `{"alterTable":{"operation":{"add":{"columns":{"${column}":"int"}}}}}`;
const drop = (column: string) => `{"alterTable":{"operation":{"drop":{"columns":["${column}"]}}}}`;
/** On a cluster each change takes about 100 ms, and several times that on a busy machine. */
const many = isOnCluster() ? 6 : 60;
const times = <Value>(count: number, make: (at: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Two embedding services. */
const former = '{"provider":"colonnade","modelName":"hashed-ngrams"}';
const other = '{"provider":"openai","modelName":"text-embedding-3-small"}';

describe('changes of a table at the same time', () => {
  it('DDL under way: of many that add one column, one does and the others find it', async () => {
    const table = await makeTable('same');
    const replies = await Promise.all(times(many, () => table(add('x'))));
    const exists =
      '{"status":{"ok":0},"errors":[<REQUEST SCHEMA CANNOT_ADD_EXISTING_COLUMNS: Columns exist>]}';
    assert.deepEqual(replies.toSorted(), [...times(many - 1, () => exists), ok].toSorted());
  });

  it('DDL under way: of many that add different columns, all do', async () => {
    const table = await makeTable('different');
    const replies = await Promise.all(times(many, (at) => table(add(`x${at}`))));
    assert.deepEqual(
      replies,
      times(many, () => ok),
    );
    const { text } = await send({ path: '/v1/default_keyspace/different', body: '{"find":{}}' });
    const { projectionSchema } = JSON.parse(text).status;
    assert.deepEqual(
      Object.keys(projectionSchema).slice(4).toSorted(),
      times(many, (at) => `x${at}`).toSorted(),
    );
  });

  it('DDL under way: rows written meanwhile are all there', async () => {
    const table = await makeTable('written');
    const insert = (id: number) => `{"insertOne":{"document":{"p":1,"id":${id},"n":${id}}}}`;
    const [changes, writes] = await Promise.all([
      Promise.all(times(many, (at) => table(add(`x${at}`)))),
      Promise.all(times(200, (id) => table(insert(id)))),
    ]);
    assert.deepEqual(
      changes,
      times(many, () => ok),
    );
    for (const [id, reply] of writes.entries())
      assert.match(reply, new RegExp(`"insertedIds":\\[\\[1,${id}\\]\\]`));
    const { text } = await send({
      path: '/v1/default_keyspace/written',
      body: '{"find":{"filter":{"p":1},"sort":{"n":1},"options":{"skip":150}}}',
    });
    const { data, status } = JSON.parse(text);
    assert.equal(status.sortedRowCount, 200);
    assert.deepEqual(
      data.documents,
      times(50, (at) => ({ p: 1, id: 150 + at, n: 150 + at })),
    );
  });

  it('DDL under way: readers and writers see each row as it is before or after a change', async () => {
    const table = await makeTable('busy');
    await table(
      `{"insertMany":{"documents":[${times(60, (id) => `{"p":1,"id":${id},"n":${id},"extra":7}`)}]}}`,
    );
    let isOver = false;
    const unknown = /^\{"errors":\[<REQUEST (DOCUMENT|FILTER|UPDATE) UNKNOWN_TABLE_COLUMNS: /;
    const change = async () => {
      for (let round = 0; round < many / 2; round += 1) {
        assert.equal(await table(drop('extra')), ok);
        assert.equal(await table(add('extra')), ok);
      }
      isOver = true;
    };
    const write = async (from: number) => {
      for (let id = from; !isOver; id = from + ((id + 1) % 10)) {
        const reply = await table(`{"insertOne":{"document":{"p":1,"id":${id},"n":${id},"extra":7}}}`);
        if (!unknown.test(reply)) assert.match(reply, /"insertedIds"/);
        const set = `{"updateOne":{"filter":{"p":1,"id":${id}},"update":{"$set":{"n":${id},"extra":7}}}}`;
        const updated = await table(set);
        if (!unknown.test(updated)) assert.equal(updated, '{"status":{"matchedCount":1,"modifiedCount":1}}');
      }
    };
    const read = async (clauses: string) => {
      while (!isOver) {
        const reply = await table(`{"find":{${clauses}"options":{"limit":50}}}`);
        if (unknown.test(reply)) continue;
        const { data, status } = JSON.parse(reply.replaceAll(/<[^<>]*>/g, 'null'));
        const hasExtra = 'extra' in status.projectionSchema;
        for (const { p, id, n, extra, ...rest } of data.documents) {
          assert.deepEqual([p, n, rest], [1, id, {}], reply);
          assert.ok(extra === undefined || (hasExtra && extra === 7), reply);
        }
        // No test deletes rows, so none is missing.
        if (!clauses.includes('extra')) assert.equal(data.documents.length, 50, reply);
      }
    };
    await Promise.all([
      change(),
      write(1000),
      write(2000),
      read('"filter":{"p":1},'),
      read('"filter":{"n":{"$gte":0}},'),
      read('"filter":{"extra":7},'),
      read('"filter":{"p":1},"sort":{"n":-1},'),
    ]);
  });

  it('DDL under way: no service comes in place of one by which texts become vectors', async () => {
    const changed: string[] = [];
    for (const [round, writes] of times(many / 3, (at) => [at, 1 + (at % 4)] as const)) {
      const name = `served${round}`;
      const column = `{"type":"vector","dimension":64,"service":${former}}`;
      const definition = `{"columns":{"id":"int","v":${column}},"primaryKey":"id"}`;
      await keyspace(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
      const sendTo = async (body: string) =>
        (await send({ path: `/v1/default_keyspace/${name}`, body })).text;
      const [stored, change] = await Promise.all([
        Promise.all(times(writes, (id) => sendTo(`{"insertOne":{"document":{"id":${id},"v":"a text"}}}`))),
        sendTo(`{"alterTable":{"operation":{"addVectorize":{"columns":{"v":${other}}}}}}`),
      ]);
      if (change === ok) changed.push(...stored);
      else assert.match(change, /INVALID_VECTORIZE_TABLE_CONFIGURATION/);
    }
    // The other service wants a key, which nobody sent.
    for (const reply of changed) assert.match(reply, /EMBEDDING_PROVIDER_AUTHENTICATION_KEYS_NOT_PROVIDED/);
  });

  it('an embedding service put in place of another on a cluster: is refused where vectors are stored', async () => {
    const column =
      '{"type":"vector","dimension":64,"service":{"provider":"colonnade","modelName":"hashed-ngrams"}}';
    const definition = `{"columns":{"id":"int","v":${column}},"primaryKey":"id"}`;
    await keyspace(`{"createTable":{"name":"embedded","definition":${definition}}}`, ok);
    await at('/v1/default_keyspace/embedded')(
      '{"insertOne":{"document":{"id":1,"v":"a text"}}}',
      '{"status":{"insertedIds":[[1]],"primaryKeySchema":{"id":{"type":"int"}}}}',
    );
    await at('/v1/default_keyspace/embedded')(
      `{"alterTable":{"operation":{"addVectorize":{"columns":{"v":${other}}}}}}`,
      `{"status":{"ok":0},"errors":[<REQUEST SCHEMA INVALID_VECTORIZE_TABLE_CONFIGURATION: Embedding services are
        incompatible>]}`.replaceAll(/\n\s*/g, ' '),
    );
  });
});
