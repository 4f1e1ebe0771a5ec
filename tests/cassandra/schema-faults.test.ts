// Faults of this version of Cassandra at changes of the schema, shown by statements alone. The known faults in
// docs/differences.md name them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import { openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const mostDrops = 100;
const mostDropsLater = 30;
const writers = 16;

describe('changes of the schema of Cassandra', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let session: CqlSession;
  before(async () => {
    session = await openSession(cluster().nodes[0]?.place.nativePort ?? 0);
    const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    await session.changeSchema(`CREATE KEYSPACE faults WITH replication = ${replication}`);
  });
  after(async () => {
    await session.close();
  });

  const run = async (cql: string) => (await session.run({ cql, values: [], isIdempotent: true })).rows;
  /** What a statement gives, or the failure of the cluster. */
  const outcomeOf = async (cql: string) => {
    try {
      return await run(cql);
    } catch (error) {
      if (error instanceof CassandraFailure) return error;
      throw error;
    }
  };

  const all = 'SELECT p, v FROM faults.dropping';
  /** Drops a new column while rows get values in it; whether the rows are unreadable then. */
  const makesUnreadable = async (column: string, clause: () => string): Promise<boolean> => {
    await session.changeSchema(`ALTER TABLE faults.dropping ADD ${column} int`);
    let isDropped = false;
    // Writes behind the drop are refused.
    const writing = Array.from({ length: writers }, async (_, p) => {
      while (!isDropped) await outcomeOf(`INSERT INTO faults.dropping (p, v, ${column}) VALUES (${p}, 1, 1)`);
    });
    const dropped = session
      .changeSchema(`ALTER TABLE faults.dropping DROP ${column}${clause()}`)
      .finally(() => {
        isDropped = true;
      });
    await Promise.all([dropped, ...writing]);
    const outcome = await outcomeOf(all);
    return outcome instanceof CassandraFailure && outcome.kind === 'failed';
  };

  it('that drop a column make rows unreadable that get a value meanwhile', async () => {
    await session.changeSchema('CREATE TABLE faults.dropping (p int PRIMARY KEY, v int)');
    let shown = false;
    let drops = 0;
    for (; drops < mostDrops && !shown; drops += 1) shown = await makesUnreadable(`n${drops}`, () => '');
    assert.ok(shown, 'the fault is gone');
    const column = `n${drops - 1}`;
    await session.changeSchema(`ALTER TABLE faults.dropping ADD ${column} int`);
    await session.changeSchema(`ALTER TABLE faults.dropping DROP ${column}`);
    await waitFor('rows that can be read', async () => {
      const rows = await outcomeOf(all);
      return !(rows instanceof CassandraFailure) && rows.length === writers;
    });
  });

  it('that drop a column as of a later time leave rows readable that get a value meanwhile', async () => {
    const inTenSeconds = () => ` USING TIMESTAMP ${(Date.now() + 10_000) * 1_000}`;
    for (let drops = 0; drops < mostDropsLater; drops += 1)
      assert.equal(await makesUnreadable(`later${drops}`, inTenSeconds), false, `drop ${drops}`);
  });
});
