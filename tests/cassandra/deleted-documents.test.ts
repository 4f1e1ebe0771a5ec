// Documents that were inserted and deleted while a node had another statement of their insert: on a real node.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { CqlSession, CqlStatement } from '../../src/foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { makeKeyspace } from '../conformance/engine-steps.js';
import { RoutesOfScenario } from '../documents/routes-of-scenario.js';
import { openEmptied, openOnCluster, openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

interface Reply {
  readonly data?: { readonly documents: readonly { readonly _id: number }[] };
  readonly status?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly errorCode: string }[];
}

/** Statements that a node has received and does not begin with. */
class HeldInserts {
  /** How many of the next inserts are held. */
  wanted = 0;
  /** Whether the node carries the first one of them out when the last one is held. */
  isFirstInTime = false;
  /** For how many seconds deletions are marked; undefined for the time of the engine. */
  markSeconds: number | undefined;
  readonly #held: (() => Promise<unknown>)[] = [];

  /** A session whose inserts are not answered while they are held. */
  through = (session: CqlSession): CqlSession => {
    const run: CqlSession['run'] = async (statement: CqlStatement, page) => {
      if (this.wanted === 0 || !/^INSERT INTO .*"held"|AND "document" = null$/.test(statement.cql))
        return session.run(this.#withTime(statement), page);
      this.wanted -= 1;
      this.#held.push(() => session.run(statement));
      if (this.wanted === 0 && this.isFirstInTime) await this.#held.shift()?.();
      throw new CassandraFailure('unanswered', 'the node hangs');
    };
    return new Proxy(session, {
      get: (target, name) => {
        const member: unknown = name === 'run' ? run : Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };

  #withTime(statement: CqlStatement): CqlStatement {
    const time = this.markSeconds;
    if (time === undefined) return statement;
    return { ...statement, cql: statement.cql.replace(/(?<= USING TTL )\d+/, String(time)) };
  }

  /** The node forgets them. */
  forget(): void {
    this.#held.length = 0;
  }

  /** The node continues. */
  async release(): Promise<void> {
    for (const send of this.#held.splice(0)) await send();
  }
}

describe('documents that were deleted while a node had their insert', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const held = new HeldInserts();
  let engine: Engine;
  let bare: CqlSession;
  let routes: RoutesOfScenario;
  before(async () => {
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    await (await openEmptied(port)).close();
    bare = await openSession(port);
    engine = checkedEngine(await openOnCluster(port, held.through));
    await makeKeyspace(engine, 'default_keyspace');
    routes = new RoutesOfScenario(engine, 'held');
    const options = {
      vector: { dimension: 2, metric: 'euclidean' },
      lexical: { enabled: true, analyzer: 'english' },
    };
    const created = await routes.sendToKeyspace(
      JSON.stringify({ createCollection: { name: 'held', options } }),
    );
    assert.match(created, /"ok":1/);
  });
  after(async () => {
    await engine?.close();
    await bare?.close();
  });
  beforeEach(() => send({ deleteMany: { filter: {} } }));

  const send = async (command: object): Promise<Reply> =>
    JSON.parse(await routes.send(0, JSON.stringify(command))) as Reply; // a reply of the server
  const document = { _id: 1, n: 1, $vector: [1, 2], $lexical: 'some words' };
  const insert = () => send({ insertOne: { document } });

  /** The ids that each way to find a document finds. */
  async function found(): Promise<readonly unknown[]> {
    const finds = [
      { filter: {} },
      { filter: { _id: 1 } },
      { filter: { n: 1 } },
      { filter: { $not: { n: 2 } } },
      { filter: { n: { $ne: 2 } }, sort: { n: 1 } },
      { sort: { $vector: [1, 2] } },
      { sort: { $vector: [1, 2] }, filter: { n: { $gt: 0 } } },
      { sort: { $lexical: 'words' } },
    ];
    const ids = [];
    for (const find of finds) ids.push((await send({ find })).data?.documents.map(({ _id }) => _id));
    const counts = [
      await send({ countDocuments: { filter: {} } }),
      await send({ estimatedDocumentCount: {} }),
    ].map(({ status }) => status?.['count']);
    return [...ids, ...counts];
  }
  const nothing = [...Array.from({ length: 8 }, () => []), 0, 0];
  const one = [...Array.from({ length: 8 }, () => [1]), 1, 1];

  for (const wanted of [1, 2])
    it(`are not there again when it carries ${wanted === 1 ? 'it' : 'two of them'} out`, async () => {
      held.wanted = wanted;
      assert.deepEqual((await insert()).status, { insertedIds: [1] });
      assert.deepEqual(await found(), one);
      await send({ updateOne: { filter: { _id: 1 }, update: { $set: { m: 1 } } } });
      assert.deepEqual((await send({ deleteOne: { filter: { _id: 1 } } })).status, { deletedCount: 1 });
      assert.deepEqual(await found(), nothing);
      await held.release();
      assert.deepEqual(await found(), nothing);
      assert.deepEqual((await send({ deleteOne: { filter: { _id: 1 } } })).status, { deletedCount: 0 });
    });

  it('can be inserted again before and behind that, once', async () => {
    held.wanted = 1;
    await insert();
    for (const isReleased of [false, true]) {
      if (isReleased) await held.release();
      await send({ deleteOne: { filter: { _id: 1 } } });
      assert.deepEqual(await found(), nothing);
      const both = await Promise.all([insert(), insert()]);
      const codes = both.map(({ errors }) => errors?.[0]?.errorCode);
      assert.deepEqual(
        codes.filter((code) => code !== undefined),
        ['DOCUMENT_ALREADY_EXISTS'],
      );
      assert.deepEqual(await found(), one);
    }
    const update = { $inc: { n: 1 } };
    await send({ deleteOne: { filter: { _id: 1 } } });
    await send({ updateOne: { filter: { _id: 1 }, update, options: { upsert: true } } });
    assert.equal((await send({ countDocuments: { filter: { n: 1 } } })).status?.['count'], 1);
  });

  it('can be inserted again when the time of the mark is over, also where the row of an insert is left', async () => {
    // A look at the row itself: finds leave out rows without a document.
    const versions = async () =>
      (await bare.run({ cql: 'SELECT version FROM default_keyspace.held', values: [], isIdempotent: true }))
        .rows;
    held.markSeconds = 2;
    for (const isFirstInTime of [true, false]) {
      held.isFirstInTime = isFirstInTime;
      held.wanted = isFirstInTime ? 2 : 1;
      assert.deepEqual((await insert()).status, { insertedIds: [1] });
      held.forget();
      await send({ deleteOne: { filter: { _id: 1 } } });
      const isMarked = async () => (await versions()).some(([version]) => version !== null);
      for (let tries = 0; tries < 200 && (await isMarked()); tries += 1) await wait(50);
      assert.deepEqual(await versions(), isFirstInTime ? [[null]] : []);
      assert.deepEqual(await found(), nothing);
      const codes = (await Promise.all([insert(), insert()])).map(({ errors }) => errors?.[0]?.errorCode);
      assert.deepEqual(codes.sort(), ['DOCUMENT_ALREADY_EXISTS', undefined]);
      assert.deepEqual(await found(), one);
      await send({ deleteOne: { filter: { _id: 1 } } });
      assert.deepEqual(await versions(), []);
      const update = { $inc: { n: 1 } };
      await send({ findOneAndUpdate: { filter: { _id: 1 }, update, options: { upsert: true } } });
      assert.equal((await send({ countDocuments: { filter: { n: 1 } } })).status?.['count'], 1);
      await send({ deleteOne: { filter: { _id: 1 } } });
    }
  });
});
