// Pages of reads on a real node have every row once: of tables of other clients, whose key columns have types that
// commands cannot read or bytes that this server would not write, and of rows that several look-ups find.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { RowOrder } from '../../src/data-service/query/row-order.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type { CqlSession } from '../../src/foundation/cassandra/cql-session.js';
import { createTable, insert, type PlanChanges, readPlan, rowsByPages } from '../conformance/engine-steps.js';
import { createIndex } from '../conformance/index-steps.js';
import { openOnCluster, openSession } from './open-cassandra-engine.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

/** What a test has of its table: statements that make it, and the keys of its rows as CQL. */
interface KeyedTable {
  readonly name: string;
  /** Behind the name of the table; the column `v` has the number of the row. */
  readonly definition: string;
  readonly keyColumns: string;
  readonly keys: readonly string[];
}

const three = [0, 1, 2];
const tuples = ["(1, 'a')", "(1, 'b')", "(null, 'a')", '(2, null)', "(-5, '')"];
const places = ['{zip: null}', '{zip: 1.0}', '{zip: 1}', "{zip: 2, street: 'x'}", "{street: 'y'}"];

const tables: readonly KeyedTable[] = [
  {
    name: 'tuples',
    definition: '(p tuple<int, text>, c tuple<int, text>, v int, PRIMARY KEY (p, c))',
    keyColumns: 'p, c',
    keys: tuples.flatMap((p) => tuples.map((c) => `${p}, ${c}`)),
  },
  {
    name: 'reversed',
    definition:
      '(p int, q frozen<list<int>>, c frozen<set<decimal>>, d frozen<map<text, int>>, v int, ' +
      'PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)',
    keyColumns: 'p, q, c, d',
    keys: three.flatMap((p) =>
      ['[]', '[1, 2]'].flatMap((q) =>
        ['{}', '{1.50, 2}', '{3}'].flatMap((c) => ['{}', "{'a': 1}"].map((d) => `${p}, ${q}, ${c}, ${d}`)),
      ),
    ),
  },
  {
    name: 'decimals',
    definition: '(p decimal, q frozen<list<decimal>>, c decimal, v int, PRIMARY KEY ((p, q), c))',
    keyColumns: 'p, q, c',
    keys: ['1', '1.0', '1.00', '-2.50'].flatMap((p) =>
      ['[]', '[3, 4.0]', '[3.0, 4]'].flatMap((q) => ['1.0', '2', '2.5'].map((c) => `${p}, ${q}, ${c}`)),
    ),
  },
  {
    name: 'prices',
    definition: '(p decimal PRIMARY KEY, v int)',
    keyColumns: 'p',
    keys: ['100', '1.50', '7.0', '7'],
  },
  {
    name: 'places',
    definition: '(p frozen<spot>, c frozen<place>, n int, v int, PRIMARY KEY (p, c, n))',
    keyColumns: 'p, c, n',
    keys: places.flatMap((p) => places.slice(2).flatMap((c) => three.map((n) => `${p}, ${c}, ${n}`))),
  },
  {
    name: 'nested',
    definition: '(p int, n int, c tuple<int, frozen<list<place>>>, v int, PRIMARY KEY (p, n, c))',
    keyColumns: 'p, n, c',
    keys: three.flatMap((p) =>
      three.flatMap((n) =>
        ['(1, [])', '(1, null)', '(null, [{zip: 1}])', '(1, [{zip: 1}, {zip: 3}])'].map(
          (c) => `${p}, ${n}, ${c}`,
        ),
      ),
    ),
  },
];

describe('pages on a real node', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const engines = new Map<Dialect, Engine>();
  let session: CqlSession;
  const opened: { close(): Promise<void> }[] = [];
  before(async () => {
    const port = cluster().nodes[0]?.place.nativePort ?? 0;
    session = await openSession(port);
    opened.push(session);
    const replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    await session.changeSchema(`CREATE KEYSPACE keyed WITH replication = ${replication}`);
    for (const type of ['place', 'spot'])
      await session.changeSchema(`CREATE TYPE keyed.${type} (zip decimal, street text)`);
    for (const { name, definition, keyColumns, keys } of tables) {
      const text = definition.replaceAll(/\b(place|spot)\b/g, 'keyed.$1');
      await session.changeSchema(`CREATE TABLE keyed.${name} ${text}`);
      for (const [v, key] of keys.entries()) {
        const cql = `INSERT INTO keyed.${name} (${keyColumns}, v) VALUES (${key}, ${v})`;
        await session.run({ cql, values: [], isIdempotent: true });
      }
    }
    await session.changeSchema('CREATE TABLE keyed.hosts (p inet PRIMARY KEY, v int)');
    // The values that are stored lack the new field. Cassandra adds none to types of partition keys.
    await session.changeSchema('ALTER TYPE keyed.place ADD town text');
    for (const dialect of ['strict', 'extended'] as const) {
      const engine = await openOnCluster(port, undefined, dialect);
      opened.unshift(engine);
      engines.set(dialect, engine);
    }
  });
  after(async () => {
    for (const each of opened) await each.close();
  });

  const presentTable = async (dialect: Dialect, name: string) => {
    const engine = engines.get(dialect);
    assert.ok(engine);
    const table = (await engine.readSchema(true)).keyspaces.get('keyed')?.tables.get(name);
    assert.ok(table);
    return { engine, table };
  };
  const numbersByPages = async (
    engine: Engine,
    table: Table,
    changes: PlanChanges = {},
    filter = '{}',
  ): Promise<readonly number[]> => {
    const columns = table.columns.filter(({ name }) => name === 'v');
    const plan = readPlan(table, filter, { order: null, limit: 3, ...changes, columns });
    return (await rowsByPages(engine, plan)).map((row) => JSON.parse(row).v);
  };
  const ascending = (numbers: readonly number[]) => numbers.toSorted((left, right) => left - right);

  for (const dialect of ['strict', 'extended'] as const)
    for (const { name, keys } of tables)
      it(`have every row of ${name} once, in the dialect ${dialect}`, async () => {
        const { engine, table } = await presentTable(dialect, name);
        const all = [...keys.keys()];
        const found = await numbersByPages(engine, table);
        assert.deepEqual(ascending(found), all);
        assert.deepEqual(await numbersByPages(engine, table, { limit: 1_000 }), found);
        const above = await numbersByPages(engine, table, {}, '{"v":{"$gte":5}}');
        assert.deepEqual(
          above,
          found.filter((v) => v >= 5),
        );
        const v = table.columnsByName.get('v');
        assert.ok(v);
        const byNumber: RowOrder = [{ column: v, direction: -1 }, ...table.keyOrder];
        assert.deepEqual(await numbersByPages(engine, table, { order: byNumber }), all.toReversed());
      });

  it('have every row of an $in on folded texts once', async () => {
    const engine = engines.get('strict');
    assert.ok(engine);
    const columns = { p: 'int', c: 'int', t: 'text', v: 'int' };
    const made = await createTable(engine, { columns, clustering: { c: 1 } });
    const table = await createIndex(engine, made, 't', { caseSensitive: false });
    const texts = ['abc', 'Abc', 'aBC', 'Größe', 'GRÖßE', 'größe', 'x', 'ABC', 'b', 'B'];
    const rows = texts.flatMap((t, v) => three.map((c) => ({ p: v % 4, c: 10 * v + c, t, v: 10 * v + c })));
    await insert(engine, table, ...rows.map((row) => JSON.stringify(row)));
    const operands = ['ABC', 'größe', 'b', 'none'];
    const matching = rows.filter(({ t }) => operands.some((each) => each.toLowerCase() === t.toLowerCase()));
    const filter = JSON.stringify({ t: { $in: operands } });
    const found = await numbersByPages(engine, table, {}, filter);
    assert.deepEqual(ascending(found), ascending(matching.map(({ v }) => v)));
    assert.deepEqual(await numbersByPages(engine, table, { limit: 1_000 }, filter), found);
  });

  it('have every row that matches once, where wide rows are compared by the server', async () => {
    const definition = '(p decimal, c tuple<int, text>, d int, v int, w text, PRIMARY KEY (p, c, d))';
    await session.changeSchema(
      `CREATE TABLE keyed.wide ${definition} WITH CLUSTERING ORDER BY (c DESC, d ASC)`,
    );
    const keys = ['1', '1.0', '1.00', '-2.50'].flatMap((p) =>
      tuples.flatMap((c) => Array.from({ length: 20 }, (_, d) => `${p}, ${c}, ${d}`)),
    );
    const width = 10_000;
    for (const [v, key] of keys.entries()) {
      const cql = `INSERT INTO keyed.wide (p, c, d, v, w) VALUES (${key}, ${v}, ?)`;
      await session.run({ cql, values: [Buffer.alloc(width, 'x')], isIdempotent: true });
    }
    const { engine, table } = await presentTable('strict', 'wide');
    const columns = table.columns.filter(({ name }) => name === 'v' || name === 'w');
    const matching = [...keys.keys()].filter((v) => v % 40 === 7);
    const filter = JSON.stringify({ $or: matching.map((v) => ({ v })) });
    const wholeOf = (v: number) => `{"v":${v},"w":"${'x'.repeat(width)}"}`;
    for (const limit of [3, 1_000]) {
      const plan = { ...readPlan(table, filter, { order: null, limit }), columns };
      const rows = await rowsByPages(engine, plan);
      assert.deepEqual(rows.toSorted(), matching.map(wholeOf).toSorted(), `pages of ${limit}`);
    }
  });

  it('decimals in the partition key on a cluster: only reads that do not name it find other forms', async () => {
    const { engine, table } = await presentTable('strict', 'prices');
    assert.deepEqual(await numbersByPages(engine, table, {}, '{"p":{"$in":[100,1.5,7]}}'), [3]);
    assert.deepEqual(ascending(await numbersByPages(engine, table, {}, '{"p":{"$gt":1}}')), [0, 1, 2, 3]);
  });

  it('IPv4 addresses in IPv6 form on a cluster: only reads that do not name the key find them', async () => {
    // A literal of a statement has the IPv4 form.
    const mapped = (end: string) => Buffer.from(`00000000000000000000ffff${end}`, 'hex');
    for (const [v, p] of [mapped('c0000201'), Buffer.from('c0000201', 'hex'), mapped('07070707')].entries()) {
      const cql = `INSERT INTO keyed.hosts (p, v) VALUES (?, ${v})`;
      await session.run({ cql, values: [p], isIdempotent: true });
    }
    const { engine, table } = await presentTable('strict', 'hosts');
    assert.deepEqual(await numbersByPages(engine, table, {}, '{"p":"192.0.2.1"}'), [1]);
    const all = '{"p":{"$gte":"0.0.0.0"}}';
    for (const limit of [1, 10])
      assert.deepEqual(ascending(await numbersByPages(engine, table, { limit }, all)), [0, 1, 2]);
  });

  it('are in the order of the key in a partition, and against it', async () => {
    const { engine, table } = await presentTable('strict', 'nested');
    const filter = '{"p":1}';
    const order: RowOrder = table.keyOrder;
    const found = await numbersByPages(engine, table, { order }, filter);
    assert.equal(found.length, 12);
    const reversed = order.map(({ column, direction }) => {
      return { column, direction: direction === 1 ? (-1 as const) : (1 as const) };
    });
    assert.deepEqual(await numbersByPages(engine, table, { order: reversed }, filter), found.toReversed());
    const several = await numbersByPages(engine, table, {}, '{"p":{"$in":[2,0]}}');
    assert.deepEqual(ascending(several), rowsOfPartitions(0, 2));
  });
});

/** The numbers of the rows of partitions of the table `nested`, which have 12 each. */
function rowsOfPartitions(...partitions: readonly number[]): number[] {
  return partitions.flatMap((p) => Array.from({ length: 12 }, (_, at) => 12 * p + at));
}
