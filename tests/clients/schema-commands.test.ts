// Keyspaces and tables, created, listed and dropped by the official client.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DataAPIDbAdmin, Db } from '@datastax/astra-db-ts';
import { assertRefused, type Connection, connect, createTable, type Definition } from './connect.js';

const byDay: Definition = {
  columns: { sensor: 'uuid', day: 'date', at: 'time', celsius: 'float' },
  primaryKey: { partitionBy: ['sensor', 'day'], partitionSort: { at: -1 } },
};

/** Definitions the client sends as they are, and what they are refused with. */
const refusedDefinitions: readonly (readonly [title: string, definition: Definition, code: string])[] = [
  ['a counter column', columnOf('counter'), 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION'],
  ['a timeuuid column', columnOf('timeuuid'), 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION'],
  ['a varchar column', columnOf('varchar'), 'UNSUPPORTED_DATA_TYPE_TABLE_CREATION'],
  ['a column of an unknown type', columnOf('string'), 'UNKNOWN_PRIMITIVE_DATA_TYPE'],
  ['no partition column', { ...byDay, primaryKey: { partitionBy: [] } }, 'MISSING_PARTITION_COLUMNS'],
  ['an unknown partition column', { ...byDay, primaryKey: 'where' }, 'UNKNOWN_PARTITION_COLUMNS'],
  [
    'an unknown clustering column',
    { ...byDay, primaryKey: { partitionBy: ['day'], partitionSort: { when: 1 } } },
    'UNKNOWN_PARTITION_SORT_COLUMNS',
  ],
  [
    'a duration in the key',
    { columns: { id: 'int', took: 'duration' }, primaryKey: 'took' },
    'UNSUPPORTED_PRIMARY_KEY_TYPES',
  ],
];

describe('schema commands of the official client', () => {
  let connection: Connection;
  let db: Db;
  let admin: DataAPIDbAdmin;
  before(async () => {
    connection = await connect();
    db = connection.db;
    admin = db.admin({ environment: 'other' });
  });
  after(() => connection.close());

  describe('on keyspaces', () => {
    it('find the keyspace that every new data directory has', async () => {
      assert.deepEqual(await admin.listKeyspaces(), ['default_keyspace']);
    });

    it('create a keyspace, once or twice, with or without replication', async () => {
      await admin.createKeyspace('plain');
      await admin.createKeyspace('plain');
      const replication = { class: 'NetworkTopologyStrategy', datacenter1: 1 } as const;
      await admin.createKeyspace('replicated', { replication });
      assert.deepEqual([...(await admin.listKeyspaces())].sort(), [
        'default_keyspace',
        'plain',
        'replicated',
      ]);
    });

    it('keep tables of one name apart in two keyspaces', async () => {
      for (const keyspace of ['plain', 'replicated']) {
        const table = await db.createTable('twins', {
          keyspace,
          definition: { columns: { id: 'int', keyspace: 'text' }, primaryKey: 'id' },
        });
        await table.insertOne({ id: 1, keyspace });
      }
      for (const keyspace of ['plain', 'replicated']) {
        assert.deepEqual(await db.table('twins', { keyspace }).findOne({ id: 1 }), { id: 1, keyspace });
      }
    });

    it('drop a keyspace with everything in it, once or twice', async () => {
      await admin.dropKeyspace('plain');
      await admin.dropKeyspace('plain');
      assert.ok(!(await admin.listKeyspaces()).includes('plain'));
      await admin.createKeyspace('plain');
      assert.deepEqual(await db.listTables({ keyspace: 'plain', nameOnly: true }), []);
    });

    it('are refused an impossible name', async () => {
      await assertRefused(admin.createKeyspace('!@*&($!(@'), {
        code: 'UNSUPPORTED_SCHEMA_NAME',
        scope: 'SCHEMA',
        message: /letters/,
      });
    });
  });

  describe('on tables', () => {
    it('create a table and list it, by name and with its definition', async () => {
      await createTable(db, 'measurements', byDay);
      assert.deepEqual(await db.listTables({ nameOnly: true }), ['measurements']);
      const [listed] = await db.listTables();
      assert.deepEqual(listed, {
        name: 'measurements',
        definition: {
          columns: {
            sensor: { type: 'uuid' },
            day: { type: 'date' },
            at: { type: 'time' },
            celsius: { type: 'float' },
          },
          primaryKey: { partitionBy: ['sensor', 'day'], partitionSort: { at: -1 } },
        },
      });
      assert.deepEqual(await db.table('measurements').definition(), listed?.definition);
    });

    it('are refused a table that exists, unless ifNotExists is set', async () => {
      const again = { definition: { columns: { id: 'int' }, primaryKey: 'id' } } as const;
      await assertRefused(db.createTable('measurements', again), {
        code: 'CANNOT_ADD_EXISTING_TABLE',
        scope: 'SCHEMA',
        message: /measurements/,
      });
      await db.createTable('measurements', { ...again, ifNotExists: true });
      const { primaryKey } = await db.table('measurements').definition();
      assert.deepEqual(primaryKey, { partitionBy: ['sensor', 'day'], partitionSort: { at: -1 } });
    });

    it('drop a table with its rows', async () => {
      const fresh: Definition = { columns: { id: 'int', note: 'text' }, primaryKey: 'id' };
      await (await createTable(db, 'short_lived', fresh)).insertOne({ id: 1, note: 'old' });
      await db.dropTable('short_lived');
      assert.deepEqual(await db.listTables({ nameOnly: true }), ['measurements']);
      const made = await createTable(db, 'short_lived', fresh);
      assert.equal(await made.findOne({ id: 1 }), null);
      await made.drop();
    });

    it('are refused a table that is not there, unless ifExists is set', async () => {
      await assertRefused(db.dropTable('nobody'), { code: 'CANNOT_DROP_UNKNOWN_TABLE', scope: 'SCHEMA' });
      await db.dropTable('nobody', { ifExists: true });
    });

    for (const [title, definition, code] of refusedDefinitions) {
      it(`are refused ${title}`, async () => {
        await assertRefused(createTable(db, 'refused', definition), { code, scope: 'SCHEMA' });
        assert.deepEqual(await db.listTables({ nameOnly: true }), ['measurements']);
      });
    }
  });
});

function columnOf(type: string): Definition {
  return { columns: { id: 'int', value: type }, primaryKey: 'id' };
}
