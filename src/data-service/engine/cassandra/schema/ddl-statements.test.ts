// Changes of the schema as the statements that a cluster gets, and what is read of what they store.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JsonNumber } from '../../../../foundation/json/json-value.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { unsupportedOf } from '../../../column-types/unsupported.js';
import type { ColumnEmbeddingService } from '../../../schema/embedding-service.js';
import { makeTable, type Table } from '../../../schema/table.js';
import { analyzerOf } from '../../../text-analysis/parse-analyzer.js';
import {
  alterTypeStatements,
  createKeyspaceStatement,
  createTableStatement,
  createTypeStatement,
  dropTypeStatement,
  placeStatement,
  probeStatement,
  settingsBehind,
  settlesFirst,
  type TableChange,
  tableStatement,
} from './ddl-statements.js';
import {
  describeSettings,
  placeOfNewTable,
  placeWithVersion,
  readSettings,
  type SettingsPlace,
  settingsKey,
  type TableSettings,
  versionIn,
} from './table-settings.js';

const nowhere: SettingsPlace = { comment: '', extensions: {} };
const madeMs = Date.UTC(2026, 10, 29);
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
      withoutSettings(createTableStatement({ kind: 'createTable', keyspace: 'shop', definition }, madeMs)),
      'CREATE TABLE "shop"."orders" ("day" date, "Id" int, "v" vector<float, 3>, "s" int static, ' +
        'PRIMARY KEY (("Id"), "day")) WITH CLUSTERING ORDER BY ("day" DESC) AND …',
    );
  });

  it('change tables in one statement, with the settings stored before or behind it', () => {
    const columns = [{ name: 'new', type: typeNamed('text') }];
    const dropped = [columnNamed('v'), columnNamed('s')];
    assert.deepEqual(stepsOf({ kind: 'addColumns', table, columns }), [
      stored,
      'ALTER TABLE "shop"."orders" ADD ("new" text)',
    ]);
    assert.deepEqual(stepsOf({ kind: 'dropColumns', table, columns: dropped }), [
      'ALTER TABLE "shop"."orders" DROP ("v", "s") USING TIMESTAMP 1764410010000000',
      stored,
    ]);
    const services = new Map([[columnNamed('v'), service]]);
    const changed = { kind: 'changeEmbeddingServices' as const, table, services, withoutVectors: [] };
    assert.deepEqual(stepsOf(changed), [stored]);
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
    assert.deepEqual(create('other'), [made]);
    assert.deepEqual(create('bert'), [stored, made]);
    // The model of an index that others dropped is not that of another one of the same name.
    const left = placeOf({
      columnOrder: [],
      services: new Map(),
      models: new Map([['near', 'bert']]),
      textIndexes: new Map(),
    });
    assert.deepEqual(create('other', left), [stored, made]);
    const index = { ...near, id: 1, sourceModel: 'bert' as const };
    assert.deepEqual(stepsOf({ kind: 'dropIndex', table, index }, left), [
      'DROP INDEX "shop"."near"',
      stored,
    ]);
  });

  it('are all that a text index is', () => {
    const body = table.columnsByName.get('s');
    assert.ok(body);
    const analyzer = analyzerOf('"english"');
    const index = { kind: 'text', id: 1, name: 'words', column: body, analyzer } as const;
    const create: TableChange = { kind: 'createIndex', table, index };
    const drop: TableChange = { kind: 'dropIndex', table, index };
    const place = placeBehind(create, nowhere);
    assert.deepEqual([stepsOf(create), stepsOf(create, place)], [[stored], []]);
    assert.deepEqual(
      [...readSettings(place).textIndexes],
      [['words', { column: 's', analyzer: '"english"' }]],
    );
    assert.deepEqual([stepsOf(drop, place), stepsOf(drop, placeBehind(drop, place))], [[stored], []]);
  });

  it('store nothing where the settings of a change are stored', () => {
    const columns = [{ name: 'w', type: typeNamed('vector<float,3>'), service }];
    const change = { kind: 'addColumns' as const, table, columns };
    assert.equal(isStored(change, placeBehind(change, nowhere)), true);
  });

  it('store nothing again where the changes of two servers are stored, in whatever order', () => {
    const adding = (name: string): TableChange => ({
      kind: 'addColumns',
      table,
      columns: [{ name, type: typeNamed('vector<float,3>'), service }],
    });
    const [ours, theirs] = [adding('a'), adding('b')];
    const place = placeBehind(theirs, placeBehind(ours, nowhere));
    for (const change of [ours, theirs]) assert.equal(isStored(change, place), true);
  });

  it('keep the settings that others stored meanwhile', () => {
    const byOthers = placeOf({
      columnOrder: ['theirs', 'Id'],
      services: new Map([['theirs', service]]),
      models: new Map([['by_theirs', 'bert']]),
      textIndexes: new Map(),
    });
    const columns = [{ name: 'w', type: typeNamed('vector<float,3>'), service }];
    const after = readSettings(placeBehind({ kind: 'addColumns', table, columns }, byOthers));
    assert.deepEqual(after.columnOrder, ['theirs', 'Id', 'day', 'v', 's', 'w']);
    assert.deepEqual([...after.services.keys()], ['theirs', 'w']);
    assert.deepEqual([...after.models], [['by_theirs', 'bert']]);
  });
});

const stored = 'the settings';

/** The statements of a change in their order. */
function stepsOf(change: TableChange, place: SettingsPlace = nowhere): readonly string[] {
  const text = tableStatement(change, { next: () => 1_764_410_000_000_000 });
  const statement = typeof text === 'function' ? text() : text;
  const settings = isStored(change, place) ? undefined : stored;
  const steps = settlesFirst(change) ? [settings, statement] : [statement, settings];
  return steps.flatMap((step) => (step === undefined ? [] : [step]));
}

function isStored(change: TableChange, place: SettingsPlace): boolean {
  const before = readSettings(place);
  return describeSettings(settingsBehind(change, before) ?? before) === describeSettings(before);
}

function placeOf(settings: TableSettings): SettingsPlace {
  return { ...nowhere, stored: describeSettings(settings) };
}

/** Where the settings are behind a change. */
function placeBehind(change: TableChange, place: SettingsPlace): SettingsPlace {
  const settings = settingsBehind(change, readSettings(place));
  assert.ok(settings !== undefined);
  return placeOf(settings);
}

describe('the settings of a table', () => {
  const settings = {
    columnOrder: ["it's", 'b'],
    services: new Map([
      ['v', service],
      ['w', { ...service, isEnabled: false }],
    ]),
    models: new Map([['near', 'bert' as const]]),
    textIndexes: new Map(),
  };

  const byName = ({ services, ...others }: TableSettings) => ({ ...others, services: [...services].sort() });

  it('are read as the table was made with them, with extensions and without', () => {
    const place = placeOfNewTable(settings, madeMs);
    for (const extensions of [place.extensions, {}])
      assert.deepEqual(byName(readSettings({ ...place, extensions })), byName(settings));
  });

  it('are those that were stored since then, whatever the comment and the extensions say', () => {
    const place = placeOfNewTable(settings, madeMs);
    const later = { columnOrder: ['c'], services: new Map(), models: new Map(), textIndexes: new Map() };
    for (const comment of [place.comment, ''])
      assert.deepEqual(readSettings({ ...place, comment, stored: describeSettings(later) }), later);
  });

  it('are read where earlier versions stored all of them, behind the comment of others', () => {
    const comment =
      'Orders\ncolonnade: {"columns":["b","a"],"services":{"v":{"provider":"openai","modelName":"m"}},' +
      '"sourceModels":{"near":"bert"}}';
    const read = readSettings({ comment, extensions: {} });
    assert.deepEqual(read.columnOrder, ['b', 'a']);
    assert.equal(read.services.get('v')?.modelName, 'm');
    assert.deepEqual([...read.models], [['near', 'bert']]);
  });

  it('have a version in the comment, which keeps the words of others and what the table was made with', () => {
    const made = placeOfNewTable(settings, madeMs);
    const second = placeWithVersion(placeWithVersion(made, settings, 1), settings, 2);
    assert.deepEqual([versionIn(made), versionIn(second)], [undefined, 2]);
    assert.deepEqual(byName(readSettings(second)), byName(settings));
    const uuid = '57c9a990-e706-11f1-9da7-47634d220d4e';
    for (const { comment } of [made, second])
      assert.equal(settingsKey({ uuid, comment }), '2026-11-29T00:00:00.000Z');
    const ofOthers = { comment: 'Orders', extensions: { other: Buffer.from('x') } };
    const changed = placeWithVersion(ofOthers, settings, 1);
    assert.equal(changed.comment, 'Orders\ncolonnade: {"version":1}');
    assert.equal(changed.extensions['other']?.toString(), 'x');
    assert.equal(settingsKey({ uuid, comment: changed.comment }), uuid);
    assert.match(placeStatement(table, changed), /^ALTER TABLE "shop"\."orders" WITH comment = 'Orders\n/);
  });

  it('need the right to change the table, which a statement that changes nothing proves', () => {
    assert.equal(probeStatement(table), 'ALTER TABLE "shop"."orders" ADD IF NOT EXISTS "Id" int');
  });

  it('use the keys of the public API, whose changes count before the first change here', () => {
    const place = placeOfNewTable(settings, madeMs);
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
        textIndexes: new Map(),
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
