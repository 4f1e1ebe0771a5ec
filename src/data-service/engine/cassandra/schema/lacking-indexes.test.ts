// Which indexes can lack rows, and since when files are there.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CqlNode } from '../../../../foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../../../foundation/cassandra/session.js';
import { laterIndexes, readLacking, writtenMicros } from './lacking-indexes.js';
import type { ColumnRow, DefinitionRows, IndexRow } from './schema-rows.js';

const file = '/data/k/t-d9390640eb9a11f18f555b20c0229a17/da-3h5x_06b4_5vz6i26gw75awc7z87-bti-Data.db';
const fileMicros = Date.UTC(2026, 10, 29, 2, 16, 16) * 1_000;

function index(table: string, name: string, madeMicros: number): IndexRow {
  return { keyspace: 'k', table, name, kind: 'CUSTOM', options: {}, madeMicros };
}

/** A table with a static column, one whose values expire, and another, with two indexes each. */
const rows: DefinitionRows = {
  keyspaces: [],
  tables: ['shared', 'expiring', 'other'].map((name) => ({
    keyspace: 'k',
    name,
    uuid: '',
    comment: '',
    extensions: {},
    flags: [],
    timeToLiveSeconds: name === 'expiring' ? 60 : 0,
  })),
  columns: [{ keyspace: 'k', table: 'shared', name: 's', kind: 'static' } as ColumnRow],
  droppedColumns: [],
  indexes: ['shared', 'expiring', 'other'].flatMap((table) => [
    index(table, `${table}_later`, fileMicros + 2_000_000),
    index(table, `${table}_first`, fileMicros),
  ]),
  types: [],
};

function nodeWith(run: CqlNode['run']): { nodes(): Promise<readonly CqlNode[]> } {
  return { nodes: async () => [{ run } as CqlNode] };
}

describe('indexes that may lack rows', () => {
  const later = laterIndexes(rows);

  it('are later ones of tables with static columns, or whose values expire', () => {
    assert.deepEqual(
      later.map(({ name }) => name),
      ['shared_later', 'expiring_later'],
    );
  });

  it('are those for which a node has an older file, or does not say so', async () => {
    const page = (name: string) => ({ rows: later.map((own) => [own.name, name]), next: null, bytes: 0 });
    const lackingOf = async (run: CqlNode['run']) => (await readLacking(nodeWith(run), later)).size;
    assert.equal(await lackingOf(async () => page(file)), 2);
    assert.equal(await lackingOf(async () => page(file.replace('06b4', '07b4'))), 0);
    assert.equal(await lackingOf(async () => page('/data/k/t/nb-12-big-Data.db')), 2);
    assert.equal(await lackingOf(async () => ({ rows: [], next: null, bytes: 0 })), 0);
    const failure = new CassandraFailure('unavailable', 'no answer');
    assert.equal(await lackingOf(async () => Promise.reject(failure)), 2);
    const older = [file, file.replace('06b4', '07b4')];
    const pageOfOne = { rows: older.map((each) => ['shared_later', each]), next: null, bytes: 0 };
    assert.equal(await lackingOf(async () => pageOfOne), 1);
  });

  it('are asked for by one question for each keyspace and node at a time, and none behind silence', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({
      ...index('t', `i${at}`, fileMicros),
      keyspace: `k${at % 3}`,
    }));
    let [asked, underWay] = [0, 0];
    const run = async () => {
      asked += 1;
      underWay += 1;
      assert.equal(underWay, 1);
      await Promise.resolve();
      underWay -= 1;
      return { rows: [], next: null, bytes: 0 };
    };
    assert.equal((await readLacking(nodeWith(run), many)).size, 0);
    assert.equal(asked, 3);
    asked = 0;
    const silent = async () => {
      asked += 1;
      throw new CassandraFailure('unanswered', 'no answer');
    };
    assert.equal((await readLacking(nodeWith(silent), many)).size, 300);
    assert.equal(asked, 1);
  });

  it('differ from others by the time in the name of a file', () => {
    assert.equal(Math.floor(writtenMicros(file) / 1_000_000), fileMicros / 1_000_000);
  });
});
