// Faults of the indexes of this version of Cassandra, shown by statements alone. Filters find all rows nevertheless.
// Where a fault is gone, its way round can go, too.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { int } from '../../src/data-service/column-types/integers.js';
import { isSteady } from '../../src/data-service/column-types/text-fold.js';
import { isUsable } from '../../src/data-service/engine/cassandra/schema/engine-state.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import { startServer } from '../acceptance/start-server.js';
import { assignmentsOf, insert, keyspace, makeKeyspace, rowsOf } from '../conformance/engine-steps.js';
import { openEmptied, openSession } from './open-cassandra-engine.js';
import { argsFor } from './run-on-node.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

describe('the indexes of Cassandra', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  let engine: Engine;
  let session: CqlSession;
  before(async () => {
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    engine = await openEmptied(port, 'extended');
    session = await openSession(port);
    await makeKeyspace(engine);
  });
  after(async () => {
    await session.close();
    await engine.close();
  });

  const run = async (cql: string) => (await session.run({ cql, values: [], isIdempotent: true })).rows;
  const nodetool = (...words: readonly string[]) => {
    const [node] = cluster().nodes;
    assert.ok(node);
    return cluster().runNodetool(node, ...words);
  };
  const untilReadable = async (name: string) => {
    const state =
      'SELECT is_queryable FROM system_views.sai_column_indexes ' +
      `WHERE keyspace_name = '${keyspace}' AND index_name = '${name}'`;
    await waitFor(`the index ${name}`, async () => (await run(state))[0]?.[0] === true);
  };
  /** Makes an index and waits for it. */
  const index = async (table: string, column: string, name = `${table}_${column}`) => {
    await session.changeSchema(
      `CREATE CUSTOM INDEX ${name} ON ${keyspace}.${table} (${column}) USING 'StorageAttachedIndex'`,
    );
    await untilReadable(name);
  };
  /** The table as the engine sees it, which another client made: the node reports it to the engine a moment later. */
  const seen = async (name: string): Promise<Table> => {
    const find = async () => (await engine.readSchema(true)).keyspaces.get(keyspace)?.tables.get(name);
    await waitFor(`the table ${name}`, async () => (await find()) !== undefined);
    const table = await find();
    assert.ok(table);
    return table;
  };
  /** How many of the rows whose columns a and b have the same number are found by each of them. */
  const foundBy = async (table: string, column: string, numbers: readonly number[]) => {
    let found = 0;
    for (const number of numbers)
      found += (await run(`SELECT a FROM ${keyspace}.${table} WHERE ${column} = ${number}`)).length;
    return found;
  };

  it('texts that an index lacks on a cluster: the empty one of a clustering column in descending order', async () => {
    const columns = 'p int, c text, v int, PRIMARY KEY (p, c)';
    await session.changeSchema(
      `CREATE TABLE ${keyspace}.reversed (${columns}) WITH CLUSTERING ORDER BY (c DESC)`,
    );
    await index('reversed', 'c');
    await run(`INSERT INTO ${keyspace}.reversed (p, c, v) VALUES (1, '', 1)`);
    await run(`INSERT INTO ${keyspace}.reversed (p, c, v) VALUES (1, 'a', 2)`);
    assert.deepEqual(await run(`SELECT v FROM ${keyspace}.reversed WHERE c = ''`), [], 'the fault is gone');
    const table = await seen('reversed');
    assert.deepEqual(await rowsOf(engine, table, '{"c":""}'), ['{"p":1,"c":"","v":1}']);
    assert.equal((await rowsOf(engine, table, '{"c":{"$in":["","a"]}}')).length, 2);
    assert.equal((await rowsOf(engine, table, '{"c":"","v":1}')).length, 1);
  });

  it('filters on folded texts on a cluster: ask an index for letters that it folds alike', async () => {
    await session.changeSchema(`CREATE TABLE ${keyspace}.folded (p text PRIMARY KEY, t text)`);
    await session.changeSchema(
      `CREATE CUSTOM INDEX folded_t ON ${keyspace}.folded (t) USING 'StorageAttachedIndex' ` +
        "WITH OPTIONS = {'case_sensitive': 'false'}",
    );
    await untilReadable('folded_t');
    // All letters that have another lower case, and these. The last ones came with Unicode 14.
    const letters = new Map<string, string[]>();
    for (let code = 0; code <= 0x1_05ff; code += 1) {
      const letter = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
      const small = letter.toLowerCase();
      if (small !== letter) letters.set(small, [...(letters.get(small) ?? [small]), letter]);
    }
    const statement = `INSERT INTO ${keyspace}.folded (p, t) VALUES (?, ?)`;
    for (const letter of [...letters.values()].flat()) {
      const bytes = Buffer.from(letter);
      await session.run({ cql: statement, values: [bytes, bytes], isIdempotent: true });
    }
    const cql = `SELECT p FROM ${keyspace}.folded WHERE t = ?`;
    let others = 0;
    for (const [small, all] of letters) {
      const { rows } = await session.run({ cql, values: [Buffer.from(small)], isIdempotent: true });
      const isSame = all.every((letter) => rows.some(([p]) => p === letter));
      if (isSteady(small)) assert.ok(isSame, `the letter ${small}`);
      else if (!isSame) others += 1;
    }
    assert.ok(others > 0, 'the cluster has the same letters');
  });

  it('filters on folded texts on a cluster: have a warning where the index does not serve them', async () => {
    const server = await startServer({ args: argsFor(cluster()) });
    const send = async (path: string, body: string) => {
      const headers = { 'content-type': 'application/json' };
      return JSON.parse(
        await (await fetch(`${server.url}/v1/${path}`, { method: 'POST', headers, body })).text(),
      );
    };
    try {
      const table = '{"columns":{"id":"int","t":"text"},"primaryKey":"id"}';
      await send(keyspace, `{"createTable":{"name":"warned","definition":${table}}}`);
      const index = '{"column":"t","options":{"caseSensitive":false}}';
      await send(`${keyspace}/warned`, `{"createIndex":{"name":"warned_t","definition":${index}}}`);
      await send(`${keyspace}/warned`, '{"insertMany":{"documents":[{"id":1,"t":"Ä"},{"id":2,"t":"Ɤ"}]}}');
      const unserved = 'WARNING EQUALITY_FILTER_UNSUPPORTED_BY_INDEXING: Equality not supported by the index';
      for (const [filter, warned] of [
        ['"ä"', []],
        ['"ɤ"', [unserved]],
        ['{"$in":["ä","b"]}', []],
        ['{"$in":["ɤ","b"]}', [unserved]],
      ] as const) {
        const { data, status } = await send(`${keyspace}/warned`, `{"find":{"filter":{"t":${filter}}}}`);
        const warnings: readonly Record<string, string>[] = status.warnings ?? [];
        assert.equal(data.documents.length, 1, filter);
        assert.deepEqual(
          warnings.map(({ scope, errorCode, title }) => `${scope} ${errorCode}: ${title}`),
          warned,
          filter,
        );
      }
    } finally {
      await server.stop();
    }
  });

  it('find no rows, and report no failure, while they are dropped', async () => {
    await session.changeSchema(`CREATE TABLE ${keyspace}.dropping (p int PRIMARY KEY, v int)`);
    await run(`INSERT INTO ${keyspace}.dropping (p, v) VALUES (1, 1)`);
    let empty = 0;
    // One of five drops showed it, and one of some hundred reads.
    for (let drops = 0; empty === 0 && drops < 100; drops += 1) {
      // Cassandra can damage an index that gets the name of one whose reads have not ended.
      const name = `dropping_${drops}`;
      await index('dropping', 'v', name);
      let isDropped = false;
      const readers = Array.from({ length: 16 }, async () => {
        while (!isDropped) {
          // Reads behind the drop are refused.
          const rows = await run(`SELECT p FROM ${keyspace}.dropping WHERE v = 1`).catch((error: unknown) => {
            if (!(error instanceof CassandraFailure)) throw error;
            return undefined;
          });
          if (rows?.length === 0) empty += 1;
        }
      });
      const dropped = session.changeSchema(`DROP INDEX ${keyspace}.${name}`).finally(() => {
        isDropped = true;
      });
      await Promise.all([dropped, ...readers]);
    }
    assert.ok(empty > 0, 'the fault is gone');
  });

  it('are dropped behind the reads of other clients, and wait for their ends', async () => {
    await session.changeSchema(`CREATE TABLE ${keyspace}.slow (p int, c int, v int, PRIMARY KEY (p, c))`);
    const cql = `INSERT INTO ${keyspace}.slow (p, c, v) VALUES (?, ?, ?)`;
    const intOf = (number: number) => int.cql.encode(number);
    const writing = Array.from({ length: 50 }, async (_, p) => {
      for (let c = 0; c < 400; c += 1)
        await session.run({ cql, values: [intOf(p), intOf(c), intOf(1)], isIdempotent: true });
    });
    await Promise.all(writing);
    await index('slow', 'v');
    const table = await seen('slow');
    const [dropped] = table.indexes;
    assert.ok(dropped);
    const count = `SELECT count(*) FROM ${keyspace}.slow WHERE v = 1`;
    const countsUnderWay = async () => {
      const tasks = await run('SELECT task FROM system_views.queries');
      return tasks.filter(([task]) => String(task).includes(count)).length;
    };
    let ended = 0;
    // Each count reads all rows. One that the drop overtakes fails.
    const reading = Array.from({ length: 8 }, async () => {
      await session.runText(count, { pageRows: 1, page: null, timeoutMs: 20_000 }).catch(unlessFailed);
      ended += 1;
    });
    await waitFor('a count', async () => ended > 0 || (await countsUnderWay()) > 0);
    const beganMs = performance.now();
    await engine.changeSchema({ kind: 'dropIndex', table, index: dropped });
    // A drop waits for 10 s at most; a busy node may count for longer.
    if (performance.now() - beganMs < 10_000) assert.equal(await countsUnderWay(), 0);
    await Promise.all(reading);
  });

  it('long entries of maps on a cluster: no index holds them', async () => {
    await session.changeSchema(
      `CREATE TABLE ${keyspace}.pairs (p int PRIMARY KEY, m map<text, text>, n map<text, text>)`,
    );
    const made = `CREATE CUSTOM INDEX entries_m ON ${keyspace}.pairs (entries(m)) USING 'StorageAttachedIndex'`;
    await session.changeSchema(made);
    await untilReadable('entries_m');
    const table = await seen('pairs');
    const row = (p: number, column: string, length: number) =>
      `{"p":${p},"${column}":{"a":"${'x'.repeat(length)}"}}`;
    await insert(engine, table, row(1, 'm', 65_535), row(2, 'n', 65_536));
    const [refused] = (await engine.insertRows({ table, rows: [assignmentsOf(table, row(3, 'm', 65_536))] }))
      .rows;
    assert.ok(refused instanceof EngineError && refused.kind === 'writeTimeout');
    assert.equal((await rowsOf(engine, table)).length, 2);
    await nodetool('flush', keyspace, 'pairs');
    await session.changeSchema(made.replace('entries_m', 'entries_n').replace('(m)', '(n)'));
    const state = 'SELECT is_queryable, is_building FROM system_views.sai_column_indexes';
    const stateOf = async () =>
      (await run(`${state} WHERE keyspace_name = '${keyspace}' AND index_name = 'entries_n'`))[0];
    const failure = 'Index build of entries_n failed';
    await waitFor(`"${failure}" in the log of the node`, async () =>
      cluster().nodes[0]?.readLog(Number.POSITIVE_INFINITY).includes(failure),
    );
    assert.deepEqual(await stateOf(), [false, false]);
  });

  const numbers = Array.from({ length: 12 }, (_, at) => at);
  /** Four partitions of three rows, in a file with an index. */
  const fill = async (name: string, columns: string, ending: (number: number) => string) => {
    await session.changeSchema(
      `CREATE TABLE ${keyspace}.${name} (p int, c int, ${columns}, PRIMARY KEY (p, c))`,
    );
    await index(name, 'a');
    for (const number of numbers)
      await run(
        `INSERT INTO ${keyspace}.${name} (p, c, a, b) VALUES (${number % 4}, ${number}, ${number}, ${number})${ending(number)}`,
      );
  };

  it('later indexes of some tables on a cluster: lack rows behind static values that are gone', async () => {
    await fill('shared', 'a int, b int, s text static', () => '');
    for (const p of [0, 1, 2, 3]) await run(`INSERT INTO ${keyspace}.shared (p, s) VALUES (${p}, null)`);
    await nodetool('flush', keyspace, 'shared');
    await index('shared', 'b');
    assert.equal(await foundBy('shared', 'a', numbers), 12);
    assert.ok((await foundBy('shared', 'b', numbers)) < 12, 'the fault is gone');
    const lacking = await seen('shared');
    assert.deepEqual(lacking.indexes.map(isUsable), [true, false]);
    for (const number of numbers)
      assert.equal((await rowsOf(engine, lacking, `{"b":${number}}`)).length, 1, String(number));
    assert.equal((await rowsOf(engine, lacking, '{"b":{"$gte":6}}')).length, 6);
    await nodetool('compact', keyspace, 'shared');
    assert.equal(await foundBy('shared', 'b', numbers), 12);
    // The server asks again each minute, and where the schema changes.
    await session.changeSchema(`ALTER TABLE ${keyspace}.shared WITH comment = 'compacted'`);
    await waitFor('an index that lacks no rows', async () => (await seen('shared')).indexes.every(isUsable));
  });

  /** A table of which a file has rows that expire: a node may take longer than such rows live to write the file. */
  const fillBeforeEnd = async () => {
    for (let seconds = 8; seconds <= 64; seconds *= 2) {
      const name = `expired_${seconds}`;
      await fill(name, 'a int, b int', (number) => (number < 4 ? ` USING TTL ${seconds}` : ''));
      await nodetool('flush', keyspace, name);
      if ((await run(`SELECT a FROM ${keyspace}.${name}`)).length === numbers.length) return name;
    }
    return assert.fail('no file was written in time');
  };

  it('expired rows and later indexes on a cluster: lack rows until a compaction', async () => {
    const table = await fillBeforeEnd();
    const whole = async (column: string) => foundBy(table, column, numbers);
    const left = `SELECT a FROM ${keyspace}.${table}`;
    await waitFor('the end of the rows that expire', async () => (await run(left)).length === 8);
    await index(table, 'b');
    assert.equal(await whole('a'), 8);
    assert.ok((await whole('b')) < 8, 'the fault is gone');
    await nodetool('compact', keyspace, table);
    assert.equal(await whole('b'), 8);
  });
});

/** @throws an error of another kind again */
function unlessFailed(error: unknown): void {
  if (!(error instanceof CassandraFailure)) throw error;
}
