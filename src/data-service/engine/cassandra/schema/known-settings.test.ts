// The stored settings of keyspaces while nodes do not answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlPage, CqlStatement } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { type KeyspaceDefinitions, KnownSettings } from './known-settings.js';
import { settingsTableName } from './settings-table.js';

const row = ['orders', '2026-11-29T00:00:00.000Z', 1, '{"columns":["id"]}'];

const settingsColumns = [
  { name: 'kind', type: 'text', kind: 'partition_key' },
  { name: 'name', type: 'text', kind: 'clustering' },
  { name: 'made', type: 'text', kind: 'clustering' },
  { name: 'version', type: 'int', kind: 'regular' },
  { name: 'settings', type: 'text', kind: 'regular' },
] as const;

function tablesOf(...keyspaces: readonly string[]): KeyspaceDefinitions {
  const columnsOf = (keyspace: string) =>
    settingsColumns.map((column) => ({ keyspace, table: settingsTableName, ...column }));
  return {
    tables: keyspaces.map((keyspace) => ({ keyspace, name: settingsTableName })),
    columns: keyspaces.flatMap(columnsOf),
  };
}

describe('KnownSettings', () => {
  const silent = new Set<string>();
  const run = async ({ cql }: CqlStatement): Promise<CqlPage> => {
    for (const keyspace of silent)
      if (cql.includes(`"${keyspace}"`)) throw new CassandraFailure('unanswered', 'no answer');
    return { rows: [row], next: null, bytes: 0 };
  };

  it('names keyspaces whose nodes never answered, and reads the others', async () => {
    const known = new KnownSettings({ run });
    silent.add('b');
    const { settings, problems } = await known.read(tablesOf('a', 'b'), undefined);
    assert.deepEqual(
      [settings.map(({ keyspace }) => keyspace), [...problems]],
      [['a'], [['b', 'no answer']]],
    );
    assert.deepEqual([...known.unread], ['b']);
    silent.clear();
    const later = await known.read(tablesOf('b'), 'b');
    assert.deepEqual([later.settings.length, later.problems.size, known.unread.size], [1, 0, 0]);
  });

  it('gives what was read before while nodes do not answer, and forgets dropped keyspaces', async () => {
    const known = new KnownSettings({ run });
    await known.read(tablesOf('a'), undefined);
    silent.add('a');
    const { settings, problems } = await known.read(tablesOf('a'), 'a');
    assert.deepEqual([settings.length, problems.size, [...known.unread]], [1, 0, ['a']]);
    await known.read(tablesOf(), undefined);
    assert.deepEqual([...known.unread], []);
    silent.clear();
  });

  it('does not read a table of another program that has the name', async () => {
    const known = new KnownSettings({ run });
    const { tables, columns } = tablesOf('a', 'b');
    const others = [
      columns.filter(({ keyspace, name }) => keyspace === 'a' || name !== 'made'),
      columns.map((column) => (column.keyspace === 'b' ? { ...column, type: 'blob' } : column)),
      columns.map((column) =>
        column.keyspace === 'b' && column.name === 'made' ? { ...column, kind: 'regular' as const } : column,
      ),
    ];
    for (const each of others) {
      const { settings, problems } = await known.read({ tables, columns: each }, undefined);
      assert.deepEqual([settings.map(({ keyspace }) => keyspace), problems.size], [['a'], 0]);
    }
  });
});
