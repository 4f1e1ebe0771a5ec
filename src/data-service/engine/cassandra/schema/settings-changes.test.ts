// The settings of changes where nodes do not have the table of settings yet, which another server has just made.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlSession, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { makeTable } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import { EngineError } from '../../engine-error.js';
import type { TableChange } from './ddl-statements.js';
import { SettingsChanges } from './settings-changes.js';
import { stableId } from './stable-id.js';

const uuid = '57c9a990-e706-11f1-9da7-47634d220d4e';
const type = columnTypeOfName('int');
assert.ok(type);
const table = makeTable(
  { id: stableId(uuid), version: 1, keyspace: 'shop' },
  { name: 'orders', columns: [{ name: 'id', type }], partitionKey: ['id'], clustering: [] },
);
const change: TableChange = { kind: 'addColumns', table, columns: [{ name: 'n', type }] };

const unprepared = new CassandraFailure('unprepared', 'Prepared query with ID 2b7c not found');
const unknown = new CassandraFailure('refused', 'table colonnade_settings does not exist');
const failed = new CassandraFailure('failed', 'Operation failed - received 0 responses and 2 failures');

/** The schema of a node that has the table of settings. */
const answers: readonly (readonly [begins: string, rows: CqlPage['rows']])[] = [
  ['SELECT id, comment, extensions', [[uuid, '', new Map()]]],
  [
    'SELECT column_name, type, kind',
    [
      ['kind', 'text', 'partition_key'],
      ['name', 'text', 'clustering'],
      ['made', 'text', 'clustering'],
      ['version', 'int', 'regular'],
      ['settings', 'text', 'regular'],
    ],
  ],
  ['SELECT column_name', [['id']]],
  ['SELECT version, settings', [[1, '{"columns":["id"]}']]],
  ['UPDATE', [[true]]],
];

const textType = columnTypeOfName('text');
assert.ok(textType);
const texts = makeTable(
  { id: stableId(uuid), version: 1, keyspace: 'shop' },
  {
    name: 'orders',
    columns: [
      { name: 'id', type },
      { name: 't', type: textType },
    ],
    partitionKey: ['id'],
    clustering: [],
  },
);

function textIndex(name: string): TableChange {
  const column = texts.columnsByName.get('t');
  assert.ok(column);
  const index = { kind: 'text', name, column, analyzer: analyzerOf('"standard"') } as const;
  return { kind: 'createIndex', table: texts, index };
}

function settingsOf(run: CqlSession['run']): SettingsChanges {
  // What is not called here is left out.
  const session = {
    run,
    nodes: async () => [{ run }],
  } as Partial<CqlSession>;
  const tools = { session: session as CqlSession, observer: session as CqlSession };
  const notCalled = () => Promise.reject(new TypeError('not called here'));
  return new SettingsChanges({ ...tools, run: notCalled, onStored: () => undefined });
}

/** Settings that several servers store. `beforeWrite` runs before the first write of a server, `loss` is its reply. */
function sharedSettings() {
  let [version, settings] = [1, '{"columns":["id","t"]}'];
  const openServer = (
    beforeWrite: () => Promise<unknown> = async () => undefined,
    loss?: CassandraFailure,
  ) => {
    let isFirst = true;
    const write = async (values: CqlStatement['values']) => {
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst) await beforeWrite();
      const isApplied = values.at(-1)?.readInt32BE(0) === version;
      if (isApplied) [version, settings] = [version + 1, String(values[1])];
      if (wasFirst && loss !== undefined) throw loss;
      return [[isApplied]];
    };
    return settingsOf(async ({ cql, values }) => {
      if (cql.startsWith('UPDATE')) return { rows: await write(values), next: null, bytes: 0 };
      if (cql.startsWith('SELECT version')) return { rows: [[version, settings]], next: null, bytes: 0 };
      const [, rows = []] = answers.find(([beginning]) => cql.startsWith(beginning)) ?? [];
      return { rows, next: null, bytes: 0 };
    });
  };
  return { openServer, stored: () => settings };
}

/** Nodes that answer statements on settings with these failures first. */
function openOn(failures: readonly CassandraFailure[], begins: string) {
  const left = [...failures];
  const stored: string[] = [];
  let reads = 0;
  const run = async ({ cql, values }: CqlStatement): Promise<CqlPage> => {
    if (cql.startsWith('SELECT version')) reads += 1;
    const failure = cql.startsWith(begins) ? left.shift() : undefined;
    if (failure !== undefined) throw failure;
    if (cql.startsWith('UPDATE')) stored.push(String(values[1]));
    const [, rows = []] = answers.find(([beginning]) => cql.startsWith(beginning)) ?? [];
    return { rows, next: null, bytes: 0 };
  };
  return { settings: settingsOf(run), stored, reads: () => reads };
}

describe('SettingsChanges', () => {
  for (const [what, failures, begins] of [
    ['reads them again', [unprepared, unknown, failed], 'SELECT version'],
    ['stores them again', [unprepared, unknown], 'UPDATE'],
  ] as const)
    it(`${what} where nodes do not have the table of settings yet`, async () => {
      const { settings, stored } = openOn(failures, begins);
      await settings.store(change);
      assert.deepEqual(stored, ['{"columns":["id","n"]}']);
    });

  it('ends with the failure of a read that fails each time', async () => {
    const left = Array.from({ length: 20 }, () => failed);
    const { settings, reads } = openOn(left, 'SELECT version');
    await assert.rejects(settings.store(change), failed);
    assert.equal(reads(), 4);
  });

  it('does not store settings again that nodes may still store, more than once', async () => {
    const unanswered = new CassandraFailure('unanswered', 'no answer');
    const { settings } = openOn([unanswered, unanswered], 'UPDATE');
    await assert.rejects(settings.store(change), unanswered);
  });

  const exists = (error: unknown) =>
    error instanceof EngineError && error.kind === 'schemaChanged' && /exists/.test(error.message);
  const indexesIn = (settings: string) => Object.keys(JSON.parse(settings).textIndexes);

  for (const [what, other] of [
    ['the same text index', 'words'],
    ['a text index on the same column', 'others'],
  ] as const)
    it(`stores one text index where another server makes ${what} at the same time`, async () => {
      const { openServer, stored } = sharedSettings();
      const first = openServer(() => openServer().store(textIndex(other)));
      await assert.rejects(first.store(textIndex('words')), exists);
      assert.deepEqual(indexesIn(stored()), [other]);
      await assert.rejects(openServer().store(textIndex('words')), exists);
    });

  it('stores a text index once whose store was not answered', async () => {
    const { openServer, stored } = sharedSettings();
    const unanswered = new CassandraFailure('unanswered', 'no answer');
    await openServer(undefined, unanswered).store(textIndex('words'));
    assert.deepEqual(indexesIn(stored()), ['words']);
  });

  it('fails where nodes refuse them for another reason', async () => {
    const full = new CassandraFailure('refused', 'the value is too long');
    for (const begins of ['SELECT version', 'UPDATE']) {
      const { settings } = openOn([full], begins);
      await assert.rejects(
        settings.store(change),
        (error) => error === full && !(error instanceof EngineError),
      );
    }
  });
});
