// Changes of the schema beside those of others, and where their nodes fail in the middle.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  ChangeText,
  CqlPage,
  CqlSession,
  CqlStatement,
} from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { systemClock } from '../../../../foundation/telemetry/clock.js';
import { int } from '../../../column-types/integers.js';
import { ApiError } from '../../../errors/api-error.js';
import { collectionTable } from '../../../schema/collection.js';
import { EngineError } from '../../engine-error.js';
import { openCassandraEngine } from '../cassandra-engine.js';
import { sharedWriteTime } from '../write-times.js';

const replication = new Map([['class', 'org.apache.cassandra.locator.SimpleStrategy']]);

/** A node with the table shop.orders, which carries changes out as far as tests need it. */
class ChangingCluster implements CqlSession {
  /** The rows of system_schema. */
  readonly tables = new Map<string, readonly unknown[]>([
    ['orders', ['00000000-e706-11f1-9da7-000000000000', '', new Map()]],
  ]);
  readonly indexes = new Map<string, string>();
  /** Columns of each table beside its key. */
  added: readonly string[] = [];
  readonly types = new Map<string, readonly string[]>();
  /** The changes that were sent. */
  readonly changes: string[] = [];
  /** Called before a change is made; it is not made if this throws. */
  before: (change: string) => void = () => undefined;

  async run({ cql, values }: CqlStatement): Promise<CqlPage> {
    const [, columns, table] = /^SELECT (.*) FROM system_schema\.(\w+)/.exec(cql) ?? [];
    if (table === undefined)
      return { rows: cql.endsWith('FROM system.local') ? [['version']] : [], next: null, bytes: 0 };
    const name = values[1]?.toString();
    const named = this.#rows(table).filter((row) => name === undefined || row[1] === name);
    const rows = columns?.startsWith('id') === true ? named.map((row) => row.slice(2)) : named;
    return { rows, next: null, bytes: 0 };
  }

  #rows(table: string): readonly (readonly unknown[])[] {
    switch (table) {
      case 'keyspaces':
        return [['shop', replication]];
      case 'tables':
        return [...this.tables].map(([name, row]) => ['shop', name, ...row]);
      case 'columns':
        return [...this.tables.keys()].flatMap((name) => [
          ['shop', name, 'id', 'partition_key', 0, 'none', 'int'],
          ...this.added.map((column) => ['shop', name, column, 'regular', -1, 'none', 'int']),
        ]);
      case 'indexes':
        return [...this.indexes].map(([name, own]) => ['shop', own, name, 'CUSTOM', new Map(), 1]);
      case 'types':
        return [...this.types].map(([name, fields]) => ['shop', name, fields, fields.map(() => 'int')]);
      default:
        return [];
    }
  }

  changeSchema = async (text: ChangeText): Promise<void> => {
    const change = typeof text === 'function' ? text() : text;
    this.changes.push(change.replaceAll('"', ''));
    this.before(change);
    const [, table, comment, extensions] =
      /^CREATE TABLE "shop"\."(\w+)".*comment = '(.*)' AND extensions = \{(.*)\}/.exec(change) ?? [];
    if (table !== undefined)
      this.tables.set(table, [crypto.randomUUID(), comment, new Map(extensionsIn(extensions ?? ''))]);
    const [, index, on] = /^CREATE CUSTOM INDEX IF NOT EXISTS "(\w+)" ON "shop"\."(\w+)"/.exec(change) ?? [];
    if (index !== undefined && on !== undefined && !this.indexes.has(index)) this.indexes.set(index, on);
    const [, dropped] = /^DROP TABLE IF EXISTS "shop"\."(\w+)"/.exec(change) ?? [];
    if (dropped !== undefined) this.tables.delete(dropped);
  };

  readonly isUserChecked = false;
  connected = async () => undefined;
  runText = () => Promise.reject(new TypeError('not called here'));
  nodes = async () => [this];
  isInAgreement: CqlSession['isInAgreement'] = async () => true;
  onSchemaChange(): void {}
  onProblem(): void {}
  async close(): Promise<void> {}
}

function extensionsIn(text: string): readonly (readonly [string, Buffer])[] {
  return [...text.matchAll(/'(\w+)': 0x([0-9a-f]*)/g)].map(([, key = '', bytes = '']) => [
    key,
    Buffer.from(bytes, 'hex'),
  ]);
}

function openOn(cluster: ChangingCluster, onWarning: (error: Error) => void = assert.fail) {
  return openCassandraEngine({
    session: cluster,
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    readTimeoutMs: 10_000,
    readMemoryBytes: 2 ** 26,
    writeTime: sharedWriteTime(),
    onWarning,
    finishAfterMs: 1,
  });
}

const createLines = {
  kind: 'createTable',
  keyspace: 'shop',
  definition: collectionTable('lines', {}),
} as const;
const termsIndex = 'lines_query_terms_value';

describe('the creation of a collection', () => {
  it('ends before its table where another table has an index of a name that it needs', async () => {
    const cluster = new ChangingCluster();
    cluster.indexes.set(termsIndex, 'orders');
    const engine = openOn(cluster);
    await assert.rejects(
      engine.changeSchema(createLines),
      (error) => error instanceof ApiError && error.code === 'EXISTING_INDEX_FOR_COLLECTION',
    );
    assert.deepEqual(cluster.changes, []);
    await engine.close();
  });

  it('ends where another client makes an index of such a name meanwhile, and no server finishes it', async () => {
    const cluster = new ChangingCluster();
    cluster.before = (change) => {
      if (change.startsWith('CREATE CUSTOM INDEX')) cluster.indexes.set(termsIndex, 'orders');
    };
    let warn = (_: Error) => {};
    const warned = new Promise<Error>((resolve) => {
      warn = resolve;
    });
    const engine = openOn(cluster, (error) => warn(error));
    await assert.rejects(engine.changeSchema(createLines), /another server made the table lines/);
    await assert.rejects(engine.changeSchema(createLines), /EXISTING_INDEX|exists in shop/);
    assert.match(String((await warned).cause), /another table has an index named lines_query_terms_value/);
    await engine.close();
  });

  for (const { of, refusal, meanwhile, isDropped } of [
    { of: 'a table', refusal: 'the index is refused', isDropped: true },
    {
      of: 'no table of its name that another server made meanwhile',
      refusal: 'the index is refused',
      meanwhile: crypto.randomUUID(),
      isDropped: false,
    },
    { of: 'nothing where the table is gone', refusal: 'table shop.lines does not exist', isDropped: false },
  ])
    it(`drops ${of} where an index is refused`, async () => {
      const cluster = new ChangingCluster();
      cluster.before = (change) => {
        if (!change.startsWith('CREATE CUSTOM INDEX')) return;
        if (refusal.includes('not exist')) cluster.tables.delete('lines');
        if (meanwhile !== undefined) cluster.tables.set('lines', [meanwhile, '', new Map()]);
        throw new CassandraFailure('refused', refusal);
      };
      const engine = openOn(cluster, () => undefined);
      await assert.rejects(engine.changeSchema(createLines), EngineError);
      const drops = cluster.changes.filter((change) => change.startsWith('DROP TABLE'));
      assert.equal(drops.length, isDropped ? 1 : 0);
      await engine.close();
    });
});

describe('a change of the schema that is made in part', () => {
  const unavailable = new CassandraFailure('unavailable', 'the nodes have different schemas');
  const isPartly = (error: unknown) =>
    error instanceof EngineError && error.kind === 'writeTimeout' && /only a part/.test(error.message);

  it('is not offered to be made again where its settings cannot be stored', async () => {
    const cluster = new ChangingCluster();
    cluster.added = ['n'];
    cluster.before = (change) => {
      if (change.includes('colonnade_settings')) throw unavailable;
      cluster.added = [];
    };
    const engine = openOn(cluster);
    const table = (await engine.readSchema()).keyspaces.get('shop')?.tables.get('orders');
    assert.ok(table);
    const columns = table.columns.filter(({ name }) => name === 'n');
    await assert.rejects(engine.changeSchema({ kind: 'dropColumns', table, columns }), isPartly);
    await engine.close();
  });

  it('is not offered to be made again where a later statement fails', async () => {
    const cluster = new ChangingCluster();
    const before = { keyspace: 'shop', name: 'place', fields: [{ name: 'a', type: int }] };
    const after = {
      ...before,
      fields: [
        { name: 'b', type: int },
        { name: 'c', type: int },
      ],
    };
    cluster.types.set('place', ['a']);
    cluster.before = (change) => {
      if (change.includes(' ADD ')) throw unavailable;
    };
    const engine = openOn(cluster);
    await assert.rejects(engine.changeSchema({ kind: 'alterType', before, after }), isPartly);
    assert.equal(cluster.changes.length, 2);
    await engine.close();
  });

  it('is continued by the next plan where it is a collection', async () => {
    const cluster = new ChangingCluster();
    cluster.before = (change) => {
      if (change.startsWith('CREATE CUSTOM INDEX')) throw unavailable;
    };
    const engine = openOn(cluster, () => undefined);
    const isToBeRepeated = (error: unknown) => error instanceof EngineError && error.kind === 'unavailable';
    await assert.rejects(engine.changeSchema(createLines), isToBeRepeated);
    await engine.close();
  });

  it('does not count what is made in another keyspace meanwhile', async () => {
    const cluster = new ChangingCluster();
    const engine = openOn(cluster);
    const refused = new CassandraFailure('refused', 'the type is not known');
    const sent: (() => void)[] = [];
    cluster.changeSchema = async (change) => {
      if (String(change).startsWith('CREATE KEYSPACE')) return;
      await new Promise<void>((resolve) => sent.push(resolve));
      throw refused;
    };
    const type = { keyspace: 'shop', name: 'place', fields: [{ name: 'a', type: int }] };
    const creating = engine.changeSchema({ kind: 'createType', type });
    const failing = assert.rejects(
      creating,
      (error) => error instanceof EngineError && error.kind === 'refused',
    );
    await engine.changeSchema({ kind: 'createKeyspace', name: 'other', replication });
    for (let turn = 0; turn < 1_000 && sent.length === 0; turn += 1) await nextTurn();
    await engine.changeSchema({ kind: 'createKeyspace', name: 'another', replication });
    sent[0]?.();
    await failing;
    await engine.close();
  });
});
