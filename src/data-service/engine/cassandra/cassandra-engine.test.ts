// When the engine reads the schema again, and what failures of statements come to.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CqlPage, CqlSession, CqlStatement } from '../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../foundation/cassandra/session.js';
import { systemClock } from '../../../foundation/telemetry/clock.js';
import { matchAll } from '../../query/filter.js';
import type { ReadPlan } from '../../query/read.js';
import type { Table } from '../../schema/table.js';
import { EngineError } from '../engine-error.js';
import type { SchemaHost } from '../schema-host.js';
import { openCassandraEngine } from './cassandra-engine.js';
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

  async run({ cql }: CqlStatement): Promise<CqlPage> {
    await nextTurn();
    if (cql.endsWith('FROM system.local')) return { rows: [['the only version']], next: null, bytes: 0 };
    const [, table] = /system_schema\.(\w+)/.exec(cql) ?? [];
    if (table === undefined && this.failure !== undefined) throw this.failure;
    if (table === undefined) return { rows: [], next: null, bytes: 0 };
    if (table === 'tables') this.loads += 1;
    if (this.loadFailure !== undefined) throw this.loadFailure;
    return { rows: schemaRows[table] ?? [], next: null, bytes: 0 };
  }

  readonly isUserChecked = false;
  connected = async () => undefined;
  runText = () => Promise.reject(new TypeError('not called here'));
  nodes = async () => [this];
  firstNode = async () => this;
  changeSchema: CqlSession['changeSchema'] = () => Promise.reject(new TypeError('not called here'));
  isInAgreement = async () => true;
  onSchemaChange(): void {}
  onProblem(): void {}
  async close(): Promise<void> {}
}

async function openOn(cluster: FailingCluster, schemaHost?: SchemaHost) {
  const engine = openCassandraEngine({
    session: cluster,
    clock: systemClock,
    readTimeoutMs: 10_000,
    readMemoryBytes: 2 ** 20,
    writeTime: sharedWriteTime(),
    onWarning: (error) => assert.fail(error),
    ...(schemaHost !== undefined && { schemaHost }),
  });
  const table = (await engine.readSchema()).keyspaces.get('shop')?.tables.get('orders');
  assert.ok(table);
  return { engine, table };
}

function rowOf(table: Table, id: number) {
  return { table, rows: [{ columns: table.columns, values: [id] }] };
}

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
      steps.push(cql);
      for (let turns = 0; turns < 5; turns += 1) await nextTurn();
      steps.push('made');
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

  it('changes columns behind the writes that are under way, and has later ones planned again', async () => {
    const cluster = new FailingCluster();
    cluster.failure = undefined;
    const { engine, table } = await openOn(cluster);
    const { run } = cluster;
    const steps: string[] = [];
    let endWrite = () => {};
    cluster.run = async (statement) => {
      if (!statement.cql.startsWith('INSERT')) return run.call(cluster, statement);
      await new Promise<void>((end) => {
        endWrite = end;
      });
      steps.push('written');
      return run.call(cluster, statement);
    };
    cluster.changeSchema = async () => {
      steps.push('changed');
      throw new CassandraFailure('refused', 'the test ends here');
    };
    const writing = engine.insertRows(rowOf(table, 1));
    const changing = assert.rejects(engine.changeSchema({ kind: 'dropColumns', table, columns: [] }));
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    await assert.rejects(engine.insertRows(rowOf(table, 2)), isOutdated);
    endWrite();
    await Promise.all([writing, changing]);
    assert.deepEqual(steps, ['written', 'changed']);
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
    const host = { schemaGeneration: async () => generation };
    const { engine } = await openOn(cluster, host);
    const before = cluster.loads;
    await engine.readSchema();
    assert.equal(cluster.loads, before);
    generation = 2;
    await engine.readSchema();
    assert.equal(cluster.loads, before + 1);
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
  return { table, columns, filter: matchAll, order: null, after: null, limit: 1, wantsPosition: false };
}

function isOutdated(error: unknown): boolean {
  return error instanceof EngineError && error.kind === 'schemaChanged';
}

/** Begins a change that the cluster makes when `end` is called; `end` resolves when it is made. */
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
