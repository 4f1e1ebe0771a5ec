// The settings of changes where nodes do not have the table of settings yet, which another server has just made.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlSession, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { makeTable } from '../../../schema/table.js';
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

/** Nodes that answer statements on settings with these failures first. */
function openOn(failures: readonly CassandraFailure[], begins: string) {
  const left = [...failures];
  const stored: string[] = [];
  const run = async ({ cql, values }: CqlStatement): Promise<CqlPage> => {
    const failure = cql.startsWith(begins) ? left.shift() : undefined;
    if (failure !== undefined) throw failure;
    if (cql.startsWith('UPDATE')) stored.push(String(values[1]));
    const [, rows = []] = answers.find(([beginning]) => cql.startsWith(beginning)) ?? [];
    return { rows, next: null, bytes: 0 };
  };
  // What is not called here is left out.
  const session = {
    run,
    firstNode: async () => ({ run }),
    nodes: async () => [{ run }],
  } as Partial<CqlSession>;
  const tools = { session: session as CqlSession, observer: session as CqlSession };
  const notCalled = () => Promise.reject(new TypeError('not called here'));
  return { settings: new SettingsChanges({ ...tools, run: notCalled, onStored: () => undefined }), stored };
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

  it('does not store settings again that nodes may still store, more than once', async () => {
    const unanswered = new CassandraFailure('unanswered', 'no answer');
    const { settings } = openOn([unanswered, unanswered], 'UPDATE');
    await assert.rejects(settings.store(change), unanswered);
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
