// Changes of the schema as the statements that a cluster gets, and what is read of what they store.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from '../../../../foundation/json/json-value.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { unsupportedOf } from '../../../column-types/unsupported.js';
import type { ColumnEmbeddingService } from '../../../schema/embedding-service.js';
import { makeTable, type Table } from '../../../schema/table.js';
import {
  alterTypeStatements,
  createKeyspaceStatement,
  createTableStatement,
  createTypeStatement,
  dropTypeStatement,
  settingsStatement,
  settlesFirst,
  type TableChange,
  tableStatement,
} from './ddl-statements.js';
import { readSettings, type SettingsPlace, withSettings } from './table-settings.js';

const nowhere: SettingsPlace = { comment: '', extensions: {} };
const service: ColumnEmbeddingService = {
  isEnabled: true,
  provider: 'openai',
  modelName: 'm',
  authentication: { providerKey: 'k.providerKey' },
  parameters: {},
};

function typeNamed(name: string) {
  const type = columnTypeOfName(name);
  assert.ok(type);
  return type;
}

const definition = {
  name: 'orders',
  columns: [
    { name: 'day', type: typeNamed('date') },
    { name: 'Id', type: typeNamed('int') },
    { name: 'v', type: typeNamed('vector<float,3>'), service },
    { name: 's', type: unsupportedOf('static int') },
  ],
  partitionKey: ['Id'],
  clustering: [{ name: 'day', direction: -1 as const }],
};
const table: Table = makeTable({ id: 1, version: 1, keyspace: 'shop' }, definition);

function columnNamed(name: string) {
  const column = table.columnsByName.get(name);
  assert.ok(column);
  return column;
}

/** The settings are texts of their own: they are tested by reading them. */
const withoutSettings = (statement: string) => statement.replace(/comment = .*$/s, '…');

describe('statements of schema changes', () => {
  it('make keyspaces with the factors that clients write', () => {
    const statementOf = (...members: readonly (readonly [string, string | JsonNumber])[]) =>
      createKeyspaceStatement({ kind: 'createKeyspace', name: 'K', replication: new Map(members) });
    const begin = 'CREATE KEYSPACE IF NOT EXISTS "K" WITH replication = ';
    assert.equal(statementOf(), `${begin}{'class': 'SimpleStrategy', 'replication_factor': '1'}`);
    assert.equal(
      statementOf(['class', 'SimpleStrategy'], ['replicationFactor', new JsonNumber('3')]),
      `${begin}{'class': 'SimpleStrategy', 'replication_factor': '3'}`,
    );
    assert.equal(
      statementOf(['class', 'NetworkTopologyStrategy'], ['dc1', new JsonNumber('3')]),
      `${begin}{'class': 'NetworkTopologyStrategy', 'dc1': '3'}`,
    );
  });

  it('make tables with their keys, static columns and settings', () => {
    assert.equal(
      withoutSettings(createTableStatement({ kind: 'createTable', keyspace: 'shop', definition })),
      'CREATE TABLE "shop"."orders" ("day" date, "Id" int, "v" vector<float, 3>, "s" int static, ' +
        'PRIMARY KEY (("Id"), "day")) WITH CLUSTERING ORDER BY ("day" DESC) AND …',
    );
  });

  it('change tables in one statement, with the settings in another one before or behind it', () => {
    const columns = [{ name: 'new', type: typeNamed('text') }];
    const dropped = [columnNamed('v'), columnNamed('s')];
    const settled = 'ALTER TABLE "shop"."orders" WITH …';
    assert.deepEqual(stepsOf({ kind: 'addColumns', table, columns }), [
      settled,
      'ALTER TABLE "shop"."orders" ADD ("new" text)',
    ]);
    assert.deepEqual(stepsOf({ kind: 'dropColumns', table, columns: dropped }), [
      'ALTER TABLE "shop"."orders" DROP ("v", "s")',
      settled,
    ]);
    const services = new Map([[columnNamed('v'), service]]);
    const changed = { kind: 'changeEmbeddingServices' as const, table, services, withoutVectors: [] };
    assert.deepEqual(stepsOf(changed), [settled]);
    assert.deepEqual(stepsOf({ kind: 'dropTable', table }), ['DROP TABLE "shop"."orders"']);
  });

  it('vector indexes on a cluster: are made for recall, under the class name that the public API knows', () => {
    const near = {
      kind: 'vector' as const,
      name: 'near',
      column: columnNamed('v'),
      metric: 'euclidean' as const,
    };
    const create = (sourceModel: 'other' | 'bert', place = nowhere) =>
      stepsOf({ kind: 'createIndex', table, index: { ...near, sourceModel } }, place);
    const made =
      'CREATE CUSTOM INDEX "near" ON "shop"."orders" ("v") USING \'StorageAttachedIndex\' ' +
      "WITH OPTIONS = {'similarity_function': 'euclidean', 'optimize_for': 'recall'}";
    const settled = 'ALTER TABLE "shop"."orders" WITH …';
    assert.deepEqual(create('other'), [made]);
    assert.deepEqual(create('bert'), [settled, made]);
    // The model of an index that others dropped is not that of another one of the same name.
    const left = withSettings(nowhere, {
      columnOrder: [],
      services: new Map(),
      models: new Map([['near', 'bert']]),
    });
    assert.deepEqual(create('other', left), [settled, made]);
    const index = { ...near, id: 1, sourceModel: 'bert' as const };
    assert.deepEqual(stepsOf({ kind: 'dropIndex', table, index }, left), [
      'DROP INDEX "shop"."near"',
      settled,
    ]);
  });

  it('store nothing where the settings of a change are stored', () => {
    const columns = [{ name: 'w', type: typeNamed('vector<float,3>'), service }];
    const change = { kind: 'addColumns' as const, table, columns };
    assert.equal(settingsStatement(change, placeBehind(change, nowhere)), undefined);
  });

  it('store nothing again where the changes of two servers are stored, in whatever order', () => {
    const adding = (name: string): TableChange => ({
      kind: 'addColumns',
      table,
      columns: [{ name, type: typeNamed('vector<float,3>'), service }],
    });
    const [ours, theirs] = [adding('a'), adding('b')];
    const place = placeBehind(theirs, placeBehind(ours, nowhere));
    for (const change of [ours, theirs]) assert.equal(settingsStatement(change, place), undefined);
  });

  it('keep the settings that others stored meanwhile', () => {
    const byOthers = withSettings(nowhere, {
      columnOrder: ['theirs', 'Id'],
      services: new Map([['theirs', service]]),
      models: new Map([['by_theirs', 'bert']]),
    });
    const columns = [{ name: 'w', type: typeNamed('vector<float,3>'), service }];
    const after = readSettings(placeBehind({ kind: 'addColumns', table, columns }, byOthers));
    assert.deepEqual(after.columnOrder, ['theirs', 'Id', 'day', 'v', 's', 'w']);
    assert.deepEqual([...after.services.keys()], ['theirs', 'w']);
    assert.deepEqual([...after.models], [['by_theirs', 'bert']]);
  });
});

/** The statements of a change in their order. */
function stepsOf(change: TableChange, place: SettingsPlace = nowhere): readonly string[] {
  const [statement, settings] = [tableStatement(change), settingsStatement(change, place)];
  const steps = settlesFirst(change) ? [settings, statement] : [statement, settings];
  return steps.flatMap((step) => (step === undefined ? [] : [withoutSettings(step)]));
}

/** Where the settings are behind a change. Apache Cassandra keeps the comment only. */
function placeBehind(change: TableChange, place: SettingsPlace): SettingsPlace {
  const literal = /comment = '(.*)' AND extensions/s.exec(settingsStatement(change, place) ?? '')?.[1];
  assert.ok(literal !== undefined);
  return { comment: literal.replaceAll("''", "'"), extensions: {} };
}

describe('the settings of a table', () => {
  const settings = {
    columnOrder: ["it's", 'b'],
    services: new Map([
      ['v', service],
      ['w', { ...service, isEnabled: false }],
    ]),
    models: new Map([['near', 'bert' as const]]),
  };

  it('are read as they were stored, behind the comment of others', () => {
    const place = withSettings({ comment: 'Orders', extensions: { other: Buffer.from('x') } }, settings);
    assert.match(place.comment, /^Orders\ncolonnade: \{/);
    const byName = (services: ReadonlyMap<string, unknown>) => [...services].sort();
    for (const extensions of [place.extensions, {}]) {
      const read = readSettings({ ...place, extensions });
      assert.deepEqual(
        { ...read, services: byName(read.services) },
        { ...settings, services: byName(settings.services) },
      );
    }
    assert.deepEqual(withSettings(place, settings), place);
  });

  it('use the keys of the public API, whose changes count where extensions are kept', () => {
    const place = withSettings(nowhere, settings);
    const config = place.extensions['com.datastax.data-api.vectorize-config']?.toString();
    assert.equal(
      config,
      '{"v":{"provider":"openai","modelName":"m","authentication":{"providerKey":"k.providerKey"}}}',
    );
    const { ['com.datastax.data-api.vectorize-config']: _, ...dropped } = place.extensions;
    assert.deepEqual([...readSettings({ ...place, extensions: dropped }).services.keys()], ['w']);
  });

  it('are absent where they cannot be read', () => {
    for (const comment of ['', 'Orders', 'colonnade: {', 'colonnade: {"columns":1,"services":{"v":2}}'])
      assert.deepEqual(readSettings({ comment, extensions: {} }), {
        columnOrder: [],
        services: new Map(),
        models: new Map(),
      });
  });
});

describe('statements about user-defined types', () => {
  const field = (name: string, type: string) => ({ name, type: typeNamed(type) });
  const before = { keyspace: 'Shop', name: 'Place', fields: [field('street', 'text'), field('zip', 'int')] };

  it('make and drop them', () => {
    assert.equal(
      createTypeStatement({ kind: 'createType', type: before }),
      'CREATE TYPE "Shop"."Place" ("street" text, "zip" int)',
    );
    assert.equal(dropTypeStatement({ kind: 'dropType', type: before }), 'DROP TYPE "Shop"."Place"');
  });

  it('rename fields at once, and add each with a statement of its own', () => {
    const fields = [field('road', 'text'), field('zip', 'int'), field('a', 'int'), field('B', 'date')];
    assert.deepEqual(alterTypeStatements({ kind: 'alterType', before, after: { ...before, fields } }), [
      'ALTER TYPE "Shop"."Place" RENAME "street" TO "road"',
      'ALTER TYPE "Shop"."Place" ADD "a" int',
      'ALTER TYPE "Shop"."Place" ADD "B" date',
    ]);
  });
});
