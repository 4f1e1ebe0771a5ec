// Collections on a real node: interrupted creations, and documents that two servers change at the same time.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { collectionTable, isCollection } from '../../src/data-service/schema/collection.js';
import type { CollectionSettings } from '../../src/data-service/schema/collection-settings.js';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import type { RunningServer } from '../acceptance/start-server.js';
import { documentsOf, insertDocuments, presentCollection, readOf } from '../conformance/document-steps.js';
import {
  createTableNamed,
  findTable,
  keyspace,
  makeKeyspace,
  readPlan,
} from '../conformance/engine-steps.js';
import { indexOf } from '../conformance/index-steps.js';
import { withDataClient } from '../faults/data-client.js';
import { startOnCluster } from './cluster-server.js';
import { openEmptied, openOnCluster, openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const settings: CollectionSettings = { vector: { dimension: 2, metric: 'cosine', sourceModel: 'other' } };

/** A session that is cut off before it makes an index, as if its server was killed there. */
function killedBeforeIndexes(session: CqlSession): CqlSession {
  const killed = Object.create(session) as CqlSession;
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(session))) {
    const member: unknown = Reflect.get(session, name);
    if (typeof member === 'function') Reflect.set(killed, name, member.bind(session));
  }
  killed.changeSchema = (cql, timeoutMs) =>
    typeof cql === 'string' && cql.includes('INDEX')
      ? Promise.reject(new CassandraFailure('unanswered', 'the server was killed'))
      : session.changeSchema(cql, timeoutMs);
  return killed;
}

describe('collections on a cluster', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const port = () => cluster().nodes[0]?.place.nativePort ?? 0;

  describe('whose creation was interrupted', () => {
    let engine: Engine;
    before(async () => {
      engine = await openEmptied(port());
      await makeKeyspace(engine);
    });
    after(() => engine.close());
    const create = (server: Engine, name: string, own = settings) =>
      server.changeSchema({ kind: 'createTable', keyspace, definition: collectionTable(name, own) });
    const unfinishedOf = async (name: string) =>
      (await engine.readSchema()).keyspaces.get(keyspace)?.unfinished?.get(name);
    const interrupt = async (name: string) => {
      const killed = await openOnCluster(port(), killedBeforeIndexes);
      await assert.rejects(create(killed, name), /killed/);
      await killed.close();
      await waitFor('the table without its index', async () => (await unfinishedOf(name)) !== undefined);
      assert.equal(await findTable(engine, name), undefined);
    };

    it('are finished by another server that creates them', async () => {
      await interrupt('again');
      await create(engine, 'again');
      const collection = await presentCollection(engine, { name: 'again' });
      await insertDocuments(engine, collection, '{"_id":1,"$vector":[1,2]}');
      assert.equal((await documentsOf(engine, collection)).length, 1);
    });

    it('exist for a server that creates them with other settings', async () => {
      await interrupt('others');
      await assert.rejects(create(engine, 'others', {}), /another server made the table others/);
      const { collection } = await presentCollection(engine, { name: 'others' });
      assert.deepEqual(collection, settings);
    });

    it('interrupted creations of collections on a cluster: are finished by another server that sees them', async () => {
      await interrupt('seen');
      const watching = await openOnCluster(port(), undefined, 'strict', 50);
      await watching.readSchema();
      await waitFor('the finished collection', async () => {
        const table = await findTable(engine, 'seen');
        return table !== undefined && isCollection(table);
      });
      await watching.close();
    });

    it('indexes of collections on a cluster: have names that no other index can have', async () => {
      const table = await createTableNamed(engine, 'numbered', { columns: { id: 'int', n: 'int' } });
      const indexNamed = (name: string) =>
        ({ kind: 'createIndex', table, index: indexOf(table, 'n', {}, name) }) as const;
      await create(engine, 'first');
      await assert.rejects(
        engine.changeSchema(indexNamed('first_query_terms_value')),
        (error) => error instanceof EngineError && error.kind === 'refused',
      );
      await engine.changeSchema(indexNamed('second_query_terms_value'));
      await assert.rejects(create(engine, 'second'), /second_query_terms_value, which exists/);
      assert.equal(await unfinishedOf('second'), undefined);
    });

    it('found documents on a cluster: are named by their ids, or compared by the server', async () => {
      await create(engine, 'found', {});
      const collection = await presentCollection(engine, { name: 'found' });
      await insertDocuments(engine, collection, '{"_id":1,"a":1}', '{"_id":2,"a":2}');
      for (const [filter, isApplied] of [
        ['{"_id":1}', true],
        ['{"a":1}', false],
      ] as const) {
        const plan = readPlan(collection, readOf(collection, filter).filter.filter);
        assert.equal((await engine.readRows(plan)).applied.filter, isApplied);
        assert.deepEqual(await documentsOf(engine, collection, filter), ['{"_id":1,"a":1}']);
      }
    });

    it('are gone once they are deleted', async () => {
      await interrupt('deleted');
      const table = await unfinishedOf('deleted');
      assert.ok(table);
      await engine.changeSchema({ kind: 'dropTable', table });
      assert.equal(await unfinishedOf('deleted'), undefined);
    });
  });

  describe('that two servers use', () => {
    const servers: RunningServer[] = [];
    const path = '/documents/people';
    const environment = { COLONNADE_PAGE_STATE_SECRET: 's'.repeat(40) };
    before(async () => {
      for (let at = 0; at < 2; at += 1) servers.push(await startOnCluster(port(), { environment }));
      await withDataClient(server(0), async (client) => {
        await client.mustSend('', { createKeyspace: { name: 'documents' } });
        await client.mustSend('/documents', { createCollection: { name: 'people' } });
      });
      await withDataClient(server(1), (client) =>
        waitFor('the collection in the other server', async () => {
          const { body } = await client.send(path, { findOne: {} });
          return body.errors === undefined;
        }),
      );
    });
    after(async () => {
      for (const each of servers) await each.stop();
    });
    const server = (at: number) => {
      const found = servers[at];
      assert.ok(found);
      return found;
    };
    /** Sends a command from many connections through both servers. */
    const sendFromMany = async (connections: number, rounds: number, command: object) => {
      const send = (one: RunningServer) =>
        withDataClient(one, async (client) => {
          const replies: string[] = [];
          for (let round = 0; round < rounds; round += 1)
            replies.push(JSON.stringify(await client.mustSend(path, command)));
          return replies;
        });
      return (await Promise.all(Array.from({ length: connections }, (_, at) => send(server(at % 2))))).flat();
    };

    it('one document on a cluster: has every increment of many connections', async () => {
      await withDataClient(server(0), (client) =>
        client.mustSend(path, { insertOne: { document: { _id: 'counter', n: 0 } } }),
      );
      const command = { updateOne: { filter: { _id: 'counter' }, update: { $inc: { n: 1 } } } };
      await sendFromMany(100, 10, command);
      for (const at of [0, 1])
        await withDataClient(server(at), async (client) => {
          const { data } = await client.mustSend(path, { findOne: { filter: { _id: 'counter' } } });
          assert.deepEqual(data?.document, { _id: 'counter', n: 1000 });
        });
    });

    it('have one document behind many upserts of one id', async () => {
      const command = {
        updateOne: { filter: { _id: 'upserted' }, update: { $inc: { n: 1 } }, options: { upsert: true } },
      };
      const replies = await sendFromMany(40, 3, command);
      assert.equal(replies.filter((reply) => reply.includes('"upsertedId"')).length, 1);
      await withDataClient(server(0), async (client) => {
        const { data } = await client.mustSend(path, { find: { filter: { _id: 'upserted' } } });
        assert.deepEqual(data?.documents, [{ _id: 'upserted', n: 120 }]);
      });
    });

    it('give each document to one of the commands that take it', async () => {
      const documents = Array.from({ length: 40 }, (_, at) => ({ _id: `job ${at}`, isJob: true }));
      await withDataClient(server(0), (client) => client.mustSend(path, { insertMany: { documents } }));
      const command = { findOneAndDelete: { filter: { isJob: true }, projection: { _id: 1 } } };
      const replies = await sendFromMany(20, 2, command);
      const taken = replies.map((reply) => /"_id":"(job \d+)"/.exec(reply)?.[1]);
      assert.equal(new Set(taken).size, 40);
    });

    it('change documents of other software, which have no version, and bring none back', async () => {
      const session = await openSession(port());
      const run = (cql: string, isConditional = false) =>
        session.run({ cql, values: [], isIdempotent: !isConditional, isConditional });
      await withDataClient(server(0), async (client) => {
        await client.mustSend('/documents', { createCollection: { name: 'foreign' } });
        const send = async (command: object) => (await client.mustSend('/documents/foreign', command)).status;
        await send({ insertOne: { document: { _id: 1, n: 1 } } });
        const { rows } = await run('SELECT "_id" FROM documents.foreign');
        const [[key] = []] = rows;
        const where = `WHERE "_id" = 0x${Buffer.from(key as Uint8Array).toString('hex')}`; // a blob
        const withoutVersion = `UPDATE documents.foreign SET version = null, born = null ${where}`;
        await run(withoutVersion);
        const change = { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } } };
        assert.deepEqual(await send(change), { matchedCount: 1, modifiedCount: 1 });
        await run(withoutVersion);
        assert.deepEqual(await send({ deleteOne: { filter: { _id: 1 } } }), { deletedCount: 1 });
        const late = `UPDATE documents.foreign SET document = '{}' ${where} IF version = null AND document != null`;
        const reply = await run(late, true);
        assert.equal(reply.rows[0]?.[0], false);
        assert.deepEqual(await send({ countDocuments: {} }), { count: 0 });
      });
      await session.close();
    });

    it('read what only other clients store: vectors with NaN, and numbers of too many digits', async () => {
      const session = await openSession(port());
      await withDataClient(server(0), async (client) => {
        const columns = { id: 'int', d: 'decimal', v: { type: 'vector', dimension: 2 } };
        await client.mustSend('/documents', {
          createTable: { name: 'numbers', definition: { columns, primaryKey: 'id' } },
        });
        const insert = 'INSERT INTO documents.numbers (id, d, v) VALUES';
        const vector = `${insert} (1, null, [NaN, Infinity])`;
        await session.run({ cql: vector, values: [], isIdempotent: true });
        const number = Buffer.from('fff0bdc001', 'hex'); // the scale -1,000,000, and 1
        await session.run({ cql: `${insert} (2, ?, null)`, values: [number], isIdempotent: true });
        const find = async (id: number) =>
          (await client.send('/documents/numbers', { findOne: { filter: { id } } })).body;
        const { data } = await find(1);
        assert.deepEqual(data?.document, { id: 1, v: ['NaN', 'Infinity'] });
        assert.equal((await find(2)).errors?.[0]?.errorCode, 'SHRED_DOC_LIMIT_VIOLATION');
      });
      await session.close();
    });

    it('estimated counts on a cluster: go up to 1000, by reading', async () => {
      const path = '/documents/counted';
      const documents = Array.from({ length: 100 }, () => ({}));
      await withDataClient(server(0), async (client) => {
        await client.mustSend('/documents', { createCollection: { name: 'counted' } });
        const estimate = async () => (await client.mustSend(path, { estimatedDocumentCount: {} })).status;
        for (let sent = 0; sent < 10; sent += 1) await client.mustSend(path, { insertMany: { documents } });
        assert.deepEqual(await estimate(), { count: 1000 });
        await client.mustSend(path, { insertOne: { document: {} } });
        assert.deepEqual(await estimate(), { count: 1000, moreData: true });
      });
    });

    it('continue the pages of each other', async () => {
      const documents = Array.from({ length: 70 }, (_, at) => ({ _id: `page ${at}`, isPage: true }));
      await withDataClient(server(0), (client) => client.mustSend(path, { insertMany: { documents } }));
      const find = (pageState: unknown) => ({ find: { filter: { isPage: true }, options: { pageState } } });
      const first = await withDataClient(server(0), (client) => client.mustSend(path, find(null)));
      const { documents: page = [], nextPageState } = first.data ?? {};
      assert.ok(typeof nextPageState === 'string');
      const next = await withDataClient(server(1), (client) => client.mustSend(path, find(nextPageState)));
      const ids = [...page, ...(next.data?.documents ?? [])].map(({ _id }) => _id);
      assert.deepEqual([ids.length, new Set(ids).size, next.data?.nextPageState], [70, 70, null]);
    });
  });
});
