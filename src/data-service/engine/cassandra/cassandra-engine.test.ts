// When the engine reads the schema again, and what failures of statements come to.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  ChangeText,
  CqlPage,
  CqlSession,
  CqlStatement,
} from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { type Clock, systemClock } from '../../../foundation/telemetry/clock.js';
import { matchAll } from '../../query/filter.js';
import type { ReadPlan } from '../../query/read.js';
import type { Table } from '../../schema/table.js';
import type { Engine } from '../engine.js';
import { EngineError } from '../engine-error.js';
import { openCassandraEngine } from './cassandra-engine.js';
import type { ChangeHost } from './change-host.js';
import { sharedWriteTime } from './write-times.js';

const replication = new Map([['class', 'org.apache.cassandra.locator.SimpleStrategy']]);
const uuid = '57c9a990-e706-11f1-9da7-47634d220d4e';

/** The rows of system_schema with the table shop.orders. */
const schemaRows: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  keyspaces: [['shop', replication]],
  tables: [['shop', 'orders', uuid, '', new Map()]],
  columns: [['shop', 'orders', 'id', 'partition_key', 0, 'none', 'int']],
};

/** A cluster that gives the schema, and fails every other statement. */
class FailingCluster implements CqlSession {
  /** Loads of the schema. */
  loads = 0;
  /** What statements fail with, and loads of the schema, if they do; other statements find no rows. */
  failure: CassandraFailure | undefined = new CassandraFailure('refused', 'the value is too long');
  loadFailure: Error | undefined;
  isDropped = false;
  /** Columns of the table beside its key, with their types. */
  added: readonly (readonly [name: string, type: string])[] = [];

  async run({ cql }: CqlStatement): Promise<CqlPage> {
    await nextTurn();
    if (cql.endsWith('FROM system.local')) return { rows: [['the only version']], next: null, bytes: 0 };
    const [, table] = /system_schema\.(\w+)/.exec(cql) ?? [];
    if (table === undefined && this.failure !== undefined) throw this.failure;
    if (table === undefined) return { rows: [], next: null, bytes: 0 };
    if (table === 'tables') this.loads += 1;
    if (this.loadFailure !== undefined) throw this.loadFailure;
    if (this.isDropped && table !== 'keyspaces') return { rows: [], next: null, bytes: 0 };
    const added = this.added.map(([name, type]) => ['shop', 'orders', name, 'regular', -1, 'none', type]);
    const rows = [...(schemaRows[table] ?? []), ...(table === 'columns' ? added : [])];
    return { rows, next: null, bytes: 0 };
  }

  readonly isUserChecked = false;
  connected = async () => undefined;
  runText = () => Promise.reject(new TypeError('not called here'));
  nodes = async () => [this];
  changeSchema: CqlSession['changeSchema'] = () => Promise.reject(new TypeError('not called here'));
  isInAgreement: CqlSession['isInAgreement'] = async () => true;
  onSchemaChange(): void {}
  onProblem(): void {}
  async close(): Promise<void> {}
}

async function openOn(cluster: FailingCluster, changeHost?: ChangeHost, clock: Clock = systemClock) {
  const engine = openCassandraEngine({
    session: cluster,
    clock,
    newId: () => crypto.randomUUID(),
    readTimeoutMs: 10_000,
    readMemoryBytes: 2 ** 26,
    writeTime: sharedWriteTime(),
    onWarning: (error) => assert.fail(error),
    ...(changeHost !== undefined && { changeHost }),
  });
  return { engine, table: await presentOf(engine) };
}

async function presentOf(engine: Engine): Promise<Table> {
  const table = (await engine.readSchema()).keyspaces.get('shop')?.tables.get('orders');
  assert.ok(table);
  return table;
}

function textOf(cql: ChangeText): string {
  return typeof cql === 'function' ? cql() : cql;
}

function rowOf(table: Table, id: number) {
  return { table, rows: [{ columns: table.columns, values: [id] }] };
}

/** Changes that wait for statements. */
const waitingChanges: readonly {
  readonly of: string;
  /** The statements that are waited for. */
  readonly begins: string;
  readonly statement: (engine: Engine, table: Table) => Promise<unknown>;
  readonly change: (engine: Engine, table: Table) => Promise<unknown>;
}[] = [
  {
    of: 'drop indexes behind the reads',
    begins: 'SELECT "id" FROM "shop"."orders"',
    statement: (engine, table) => engine.readRows(wholeTable(table)),
    change: async (engine) => engine.runNative?.('DROP INDEX shop.by_n'),
  },
  {
    of: 'change columns behind the writes',
    begins: 'INSERT',
    statement: (engine, table) => engine.insertRows(rowOf(table, 1)),
    change: (engine, table) => engine.changeSchema({ kind: 'dropColumns', table, columns: [] }),
  },
];

/** Holds statements back, and records when they end and when the schema is changed, which fails. */
function recordSteps(cluster: FailingCluster, begins: string) {
  const steps: string[] = [];
  const { run } = cluster;
  let endStatement = () => {};
  cluster.run = async (statement) => {
    if (!statement.cql.startsWith(begins)) return run.call(cluster, statement);
    await new Promise<void>((end) => {
      endStatement = end;
    });
    steps.push('ended');
    return run.call(cluster, statement);
  };
  cluster.changeSchema = async () => {
    steps.push('changed');
    throw new CassandraFailure('refused', 'the test ends here');
  };
  return { steps, endStatement: () => endStatement() };
}

describe('a Cassandra engine with a host', () => {
  /** Both on one cluster: `host` makes changes. */
  async function openBoth() {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine: host } = await openOn(cluster);
    const { engine, table } = await openOn(cluster, host.host);
    const close = () => Promise.all([engine.close(), host.close()]);
    return { cluster, host, engine, table, close };
  }

  it('has a read planned again that ended while the host dropped an index', async () => {
    const { cluster, host, engine, table, close } = await openBoth();
    const change = beginChange(cluster, () => host.runNative?.('DROP INDEX shop.by_n'));
    await change.sent;
    await assert.rejects(engine.readRows(wholeTable(table)), isOutdated);
    await change.end();
    const { chunks } = await engine.readRows(wholeTable(table));
    assert.deepEqual(chunks, [[]]);
    await close();
  });

  it('has a read planned again that failed while the host changed the table', async () => {
    const { cluster, host, engine, table, close } = await openBoth();
    const change = beginChange(cluster, () => host.runNative?.('ALTER TABLE shop.orders ADD n int'));
    await change.sent;
    cluster.failure = new CassandraFailure('failed', 'a replica failed');
    const reading = assert.rejects(engine.readRows(wholeTable(table)), isOutdated);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    cluster.failure = undefined;
    await change.end();
    await reading;
    await close();
  });

  it('has writes planned again while the host changes columns, and behind it', async () => {
    const { cluster, host, engine, table, close } = await openBoth();
    const { run } = cluster;
    let inserts = 0;
    cluster.run = (statement) => {
      if (statement.cql.startsWith('INSERT')) inserts += 1;
      return run.call(cluster, statement);
    };
    const change = beginChange(cluster, () => host.runNative?.('ALTER TABLE shop.orders DROP n'));
    await change.sent;
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
    cluster.added = [['n', 'int']]; // the change makes another table of it
    await change.end();
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
    assert.equal(inserts, 0);
    await engine.insertRows({ ...rowOf(table, 1), table: await presentOf(engine) });
    assert.equal(inserts, 1);
    await close();
  });

  for (const { of, begins, statement, change } of waitingChanges)
    it(`has the host ${of} that are under way`, async () => {
      const { cluster, host, engine, table, close } = await openBoth();
      const { steps, endStatement } = recordSteps(cluster, begins);
      const running = statement(engine, table);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      const changing = assert.rejects(change(host, await presentOf(host)));
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      assert.deepEqual(steps, []);
      endStatement();
      await Promise.all([running, changing]);
      assert.deepEqual(steps, ['ended', 'changed']);
      await close();
    });
});

describe('the Cassandra engine', () => {
  it('reads the schema a few times for many statements that fail at the same time', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const inserts = Array.from({ length: 100 }, (_, id) => engine.changeRow(changeOf(table, id)));
    const ended = await Promise.allSettled(inserts);
    assert.ok(ended.every(({ status }) => status === 'rejected'));
    assert.ok(cluster.loads < 5, `${cluster.loads} loads`);
    await engine.close();
  });

  it('makes native changes of the schema in one order with the others, and as they are made', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const steps: string[] = [];
    cluster.changeSchema = async (cql) => {
      steps.push(textOf(cql));
      for (let turns = 0; turns < 5; turns += 1) await nextTurn();
      steps.push('made');
      cluster.isDropped ||= textOf(cql).startsWith('DROP TABLE');
    };
    const [created, , altered] = await Promise.all([
      engine.runNative?.('CREATE TABLE shop.a (id int PRIMARY KEY)'),
      engine.changeSchema({ kind: 'dropTable', table }),
      engine.runNative?.('/* x */ alter TABLE shop.a ADD b int'),
    ]);
    for (const result of [created, altered]) assert.deepEqual(result, { columns: [], rows: [] });
    const made = ['CREATE TABLE shop.a (id int PRIMARY KEY)', 'DROP TABLE "shop"."orders"'];
    assert.deepEqual(
      steps,
      [...made, '/* x */ alter TABLE shop.a ADD b int'].flatMap((cql) => [cql, 'made']),
    );
    await engine.close();
  });

  it('does not acknowledge the drop of a table that is still there behind it', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    cluster.changeSchema = async () => undefined;
    await assert.rejects(
      engine.changeSchema({ kind: 'dropTable', table }),
      (error) =>
        error instanceof EngineError && error.kind === 'writeFailed' && /no effect/.test(error.message),
    );
    await engine.close();
  });

  it('does not make a change again whose schema cannot be read behind it', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    cluster.changeSchema = async () => {
      cluster.loadFailure = new CassandraFailure('unavailable', 'too few nodes');
    };
    await assert.rejects(
      engine.changeSchema({ kind: 'dropTable', table }),
      (error) =>
        error instanceof EngineError && error.kind === 'writeTimeout' && /was made/.test(error.message),
    );
    await engine.close();
  });

  it('says of a native change whose schema cannot be read behind it that it was made', async () => {
    const cluster = new FailingCluster();
    const { engine } = await openOn(cluster);
    cluster.changeSchema = async () => {
      cluster.loadFailure = new CassandraFailure('unreachable', 'no node answers');
    };
    await assert.rejects(
      engine.runNative?.('CREATE TABLE shop.lines (id int PRIMARY KEY)') ?? Promise.resolve(),
      (error) =>
        error instanceof EngineError && error.kind === 'writeTimeout' && /was made/.test(error.message),
    );
    await engine.close();
  });

  it('has a read planned again that failed while the table was changed', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const change = beginChange(cluster, () => engine.changeSchema({ kind: 'dropTable', table }));
    cluster.failure = new CassandraFailure('failed', 'a replica failed');
    const reading = assert.rejects(engine.readRows(wholeTable(table)), isOutdated);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    cluster.isDropped = true;
    await change.end();
    await reading;
    await engine.close();
  });

  it('has a read planned again that failed behind a change that was under way when it began', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const change = beginChange(cluster, () => engine.runNative?.('ALTER TABLE shop.lines DROP a'));
    const { run } = cluster;
    cluster.run = async (statement) => {
      if (statement.cql.includes('"orders"')) {
        await change.end();
        throw new CassandraFailure('failed', 'a replica failed');
      }
      return run.call(cluster, statement);
    };
    await assert.rejects(engine.readRows(wholeTable(table)), isOutdated);
    await engine.close();
  });

  it('has a write planned again that a node refused behind a change of its table', async () => {
    const cluster = new FailingCluster();
    const stopped: Clock = { ...systemClock, monotonicMs: () => 0 };
    const { engine, table } = await openOn(cluster, undefined, stopped);
    const refused = new CassandraFailure('refused', 'Undefined column name n in table shop.orders');
    cluster.failure = refused;
    const isFinal = (error: unknown) => error instanceof EngineError && error.kind === 'writeFailed';
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isFinal, 'nothing changed the table');
    cluster.changeSchema = async () => {};
    await engine.runNative?.('ALTER TABLE shop.orders ADD n int');
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
    await engine.close();
  });

  it('has a read planned again that ended while an index was dropped', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    const change = beginChange(cluster, () => engine.runNative?.('DROP INDEX shop.by_n'));
    await nextTurn();
    await assert.rejects(engine.readRows(wholeTable(table)), isOutdated);
    await change.end();
    const { chunks } = await engine.readRows(wholeTable(table));
    assert.deepEqual(chunks, [[]]);
    await engine.close();
  });

  for (const { of, begins, statement, change } of waitingChanges)
    it(`has changes ${of} that are under way, and later ones planned again`, async () => {
      const cluster = new FailingCluster();
      cluster.failure = undefined;
      const { engine, table } = await openOn(cluster);
      const { steps, endStatement } = recordSteps(cluster, begins);
      const running = statement(engine, table);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      const changing = assert.rejects(change(engine, table));
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      const later = assert.rejects(statement(engine, table), isOutdated);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      assert.deepEqual(steps, []);
      endStatement();
      await Promise.all([running, changing, later]);
      assert.deepEqual(steps, ['ended', 'changed']);
      await engine.close();
    });

  it('drops an index of a keyspace beside the reads of others', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    const { steps, endStatement } = recordSteps(cluster, 'SELECT "id" FROM "shop"."orders"');
    const reading = engine.readRows(wholeTable(table));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    for (const name of ['other.by_n', 'IF EXISTS "Other".by_n'])
      await assert.rejects(engine.runNative?.(`DROP INDEX ${name}`) ?? Promise.resolve());
    assert.deepEqual(steps, ['changed', 'changed']);
    endStatement();
    await reading;
    await engine.close();
  });

  it('gives the failure of the statement where the schema cannot be read', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    cluster.loadFailure = new CassandraFailure('unreachable', 'no node answers');
    const isFirst = (error: unknown) => error instanceof EngineError && /too long/.test(error.message);
    await assert.rejects(engine.changeRow(changeOf(table, 1)), isFirst);
    cluster.failure = new CassandraFailure('refused', 'table orders does not exist');
    const isFinal = (kind: string) => (error: unknown) => error instanceof EngineError && error.kind === kind;
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isFinal('writeFailed'));
    await engine.close();
  });

  it('reads the schema again when that of its host is another one', async () => {
    let generation = 1;
    const cluster = new FailingCluster();
    const schemaGeneration = async () => generation;
    const wasChanged = async () => false;
    const host = { schemaGeneration, admit: schemaGeneration, wasChanged };
    const { engine } = await openOn(cluster, host);
    const before = cluster.loads;
    await engine.readSchema();
    assert.equal(cluster.loads, before);
    generation = 2;
    await engine.readSchema();
    assert.equal(cluster.loads, before + 1);
    await engine.close();
  });

  it('lifts what a change blocks when it has failed', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    cluster.changeSchema = () => Promise.reject(new CassandraFailure('refused', 'columns are in use'));
    await assert.rejects(engine.changeSchema({ kind: 'dropColumns', table, columns: [] }), EngineError);
    await engine.insertRows(rowOf(table, 1));
    await assert.rejects(engine.runNative?.('DROP INDEX shop.by_n') ?? Promise.resolve());
    await engine.readRows(wholeTable(table));
    await engine.close();
  });

  it('drops columns as of 10 s behind the moment at which it sends the statement, and behind its writes', async () => {
    for (const { waitedMs, setBackMs } of [
      { waitedMs: 60_000, setBackMs: 0 },
      { waitedMs: 60_000, setBackMs: 500_000 },
    ]) {
      const cluster = new FailingCluster();
      cluster.failure = undefined;
      cluster.added = [['n', 'int']];
      let nowMs = 1_764_410_000_000;
      const { engine, table } = await openOn(cluster, undefined, { ...systemClock, nowMs: () => nowMs });
      const { endStatement } = recordSteps(cluster, 'INSERT');
      const texts: string[] = [];
      let times = 0;
      cluster.changeSchema = async (cql) => {
        nowMs += waitedMs; // until the nodes agree
        texts.push(textOf(cql));
        times = nowMs;
      };
      const key = table.columns.filter(({ name }) => name === 'id');
      const writing = engine.insertRows({ table, rows: [{ columns: key, values: [1] }] });
      await nextTurn();
      const columns = table.columns.filter(({ name }) => name === 'n');
      // This cluster has no settings, which are stored behind the statement.
      const change = engine.changeSchema({ kind: 'dropColumns', table, columns });
      const dropping = assert.rejects(change, /orders is gone/);
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      assert.deepEqual(texts, [], 'the change waits for the write');
      nowMs += waitedMs - setBackMs;
      endStatement();
      await Promise.all([writing, dropping]);
      const asOfMicros = Number(/USING TIMESTAMP (\d+)$/.exec(texts[0] ?? '')?.[1]);
      const lastWriteMs = 1_764_410_000_000;
      assert.ok(asOfMicros >= (Math.max(times, lastWriteMs) + 10_000) * 1_000, texts[0]);
      await engine.close();
    }
  });

  it('blocks statements behind a change that may have been made until the nodes agree', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    let agree = () => {};
    const agreed = new Promise<boolean>((resolve) => {
      agree = () => resolve(true);
    });
    cluster.isInAgreement = () => agreed;
    cluster.changeSchema = () => Promise.reject(new CassandraFailure('unanswered', 'no reply'));
    const dropping = engine.changeSchema({ kind: 'dropColumns', table, columns: [] });
    await assert.rejects(dropping, (error) => error instanceof EngineError && error.kind === 'writeTimeout');
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
    agree();
    await engine.readSchema(true);
    await engine.insertRows(rowOf(table, 1));
    await engine.close();
  });

  it('blocks the writes of every table of a keyspace that is dropped', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    const change = beginChange(cluster, () => engine.changeSchema({ kind: 'dropKeyspace', name: 'shop' }));
    await change.sent;
    await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
    await change.end();
    await engine.close();
  });

  it('plans a command again beside a change of another table that takes long', async () => {
    const cluster = new FailingCluster();
    const { engine } = await openOn(cluster);
    const definition = { name: 'lines', columns: [], partitionKey: [], clustering: [] };
    const create = { kind: 'createTable', keyspace: 'shop', definition } as const;
    const change = beginChange(cluster, () => engine.changeSchema(create).catch(() => undefined));
    await change.sent;
    assert.ok((await engine.readSchema(true)).keyspaces.has('shop'));
    await change.end();
    await engine.close();
  });

  it('does not plan a read again because another table is changed', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const definition = { name: 'lines', columns: table.columns, partitionKey: ['id'], clustering: [] };
    const create = { kind: 'createTable', keyspace: 'shop', definition } as const;
    const change = beginChange(cluster, () => engine.changeSchema(create).catch(() => undefined));
    await change.sent;
    cluster.failure = new CassandraFailure('failed', 'a replica failed');
    const isFinal = (error: unknown) => error instanceof EngineError && error.kind === 'readFailed';
    await assert.rejects(engine.readRows(wholeTable(table)), isFinal);
    await change.end();
    await engine.close();
  });

  it('gives all reads of a command the time of one', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const { engine, table } = await openOn(cluster, undefined, clock);
    const command = {};
    await engine.readRows({ ...wholeTable(table), command });
    nowMs = 10_001;
    const isOver = (error: unknown) => error instanceof EngineError && error.kind === 'timeout';
    await assert.rejects(engine.readRows({ ...wholeTable(table), command }), isOver);
    await engine.readRows({ ...wholeTable(table), command: {} });
    await engine.close();
  });

  it('gives up a check of vectors that blocks writes for more than 9 s', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    cluster.added = [['v', 'vector<float, 2>']];
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const { engine, table } = await openOn(cluster, undefined, clock);
    const { run } = cluster;
    let pages = 0;
    cluster.run = async (statement) => {
      if (!statement.cql.includes('"v"')) return run.call(cluster, statement);
      await assert.rejects(engine.insertRows(rowOf(table, 1)), isOutdated);
      pages += 1;
      nowMs += 4_000;
      return { rows: [[1, null]], next: 'more', bytes: 8 };
    };
    const withoutVectors = table.columns.filter(({ name }) => name === 'v');
    const change = { kind: 'changeEmbeddingServices', table, services: new Map(), withoutVectors } as const;
    const isOver = (error: unknown) => error instanceof EngineError && error.kind === 'timeout';
    await assert.rejects(engine.changeSchema(change), isOver);
    assert.equal(pages, 3);
    cluster.run = run;
    await engine.insertRows({ table, rows: [{ columns: table.columns.slice(0, 1), values: [1] }] });
    await engine.close();
  });

  it('counts the states of its schema for others', async () => {
    const cluster = new FailingCluster();
    const { engine, table } = await openOn(cluster);
    const count = () => engine.host.schemaGeneration({ afterChanges: false });
    const first = await count();
    assert.equal(await count(), first);
    await assert.rejects(engine.changeRow(changeOf(table, 1)), EngineError); // reads the schema
    assert.notEqual(await count(), first);
    await engine.close();
  });
});

function wholeTable(table: Table): ReadPlan {
  const { columns } = table;
  const page = { after: null, limit: 1, kind: 'single', maxBytes: Number.POSITIVE_INFINITY } as const;
  return { table, columns, filter: matchAll, order: null, page, form: 'values', search: null };
}

function isOutdated(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'schemaChanged';
}

/** Begins a change that the cluster makes when `end` is called; `end` resolves when it is made, `sent` before. */
function beginChange(cluster: FailingCluster, change: () => Promise<unknown> | undefined) {
  let endStatement = () => {};
  const sent = new Promise<void>((resolve) => {
    cluster.changeSchema = () => {
      resolve();
      return new Promise((end) => {
        endStatement = end;
      });
    };
  });
  const changing = change();
  return {
    sent,
    end: async () => {
      await sent;
      endStatement();
      await changing;
    },
  };
}

function changeOf(table: Table, id: number) {
  const [column] = table.columns;
  assert.ok(column);
  return { table, key: [id], changes: [{ kind: 'set', column, value: 1 } as const] };
}
