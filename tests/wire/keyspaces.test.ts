// createKeyspace, dropKeyspace and findKeyspaces, their deprecated twins, and the envelope's general rules.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { useWireServer } from './wire-server.js';

const { at, send } = useWireServer({ isNew: true });
const database = at('/v1');
const ok = '{"status":{"ok":1}}';
const find = '{"findKeyspaces":{}}';
const badValue =
  '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';

describe('keyspaces', () => {
  it('keyspaces: a new data directory holds default_keyspace', () =>
    database(find, '{"status":{"keyspaces":["default_keyspace"]}}'));

  // In the order of their names, in which a cluster lists them.
  it('are created where they do not exist, and listed', async () => {
    await database('{"createKeyspace":{"name":"shop"}}', ok);
    await database('{"createKeyspace":{"name":"shop_Archive"}}', ok);
    await database('{"createKeyspace":{"name":"shop"}}', ok);
    await database(find, '{"status":{"keyspaces":["default_keyspace","shop","shop_Archive"]}}');
  });

  it('keep the case of their names', () =>
    at('/v1/SHOP')(
      '{"listTables":{}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown>]}',
      'There is no keyspace "SHOP".',
      'Keyspaces: default_keyspace, shop, shop_Archive.',
    ));

  it('are dropped with everything in them, where they exist', async () => {
    const table = '{"createTable":{"name":"t","definition":{"columns":{"id":"int"},"primaryKey":"id"}}}';
    await at('/v1/shop_Archive')(table, ok);
    await database('{"dropKeyspace":{"name":"shop_Archive"}}', ok);
    await database('{"dropKeyspace":{"name":"shop_Archive"}}', ok);
    await database('{"createKeyspace":{"name":"shop_Archive"}}', ok);
    await at('/v1/shop_Archive')('{"listTables":{}}', '{"status":{"tables":[]}}');
  });

  it('keyspaces: default_keyspace is an ordinary one, can be dropped and does not come back', async () => {
    await database('{"dropKeyspace":{"name":"default_keyspace"}}', ok);
    await database(find, '{"status":{"keyspaces":["shop","shop_Archive"]}}');
    await database('{"createKeyspace":{"name":"default_keyspace"}}', ok);
    await database('{"dropKeyspace":{"name":"default_keyspace"}}', ok);
  });

  it('keyspaces on a cluster: are refused where the cluster does not take them', {
    skip: skippedUnlessOnCluster(),
  }, async () => {
    const nowhere = '"options":{"replication":{"class":"NetworkTopologyStrategy","nowhere":1}}';
    await database(`{"createKeyspace":{"name":"placed",${nowhere}}}`, badValue, 'nowhere');
    await database('{"createKeyspace":{"name":"system"}}', badValue, 'system');
  });

  for (const name of ['a', '1', '_', 'x'.repeat(48)]) {
    it(`may be named ${name}`, async () => {
      await database(`{"createKeyspace":{"name":"${name}"}}`, ok);
      await database(`{"dropKeyspace":{"name":"${name}"}}`, ok);
    });
  }

  for (const name of ['x'.repeat(49), 'a-b', 'a b', 'a.b', 'ä', '!@*&($!(@', '😀']) {
    it(`cannot be named ${name}`, () =>
      database(
        `{"createKeyspace":{"name":"${name}"}}`,
        '{"status":{"ok":0},"errors":[<REQUEST SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported>]}',
        `"${name}" cannot be the name of a keyspace.`,
        '1 to 48 letters',
      ));
  }

  it('need a name', async () => {
    await database('{"createKeyspace":{}}', badValue, '"command.name"', 'must not be null');
    await database('{"createKeyspace":{"name":null}}', badValue, '"command.name"');
    await database('{"createKeyspace":{"name":""}}', badValue, 'must not be empty');
    await database('{"dropKeyspace":{"name":""}}', badValue, '"command.name"');
    await database(
      '{"dropKeyspace":{"name":7}}',
      '{"status":{"ok":0},"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
      'command.name must be a string, but is the number 7.',
    );
  });

  it('of any unknown name may be dropped, also of one that could not be created', () =>
    database('{"dropKeyspace":{"name":"a-b"}}', ok));
});

describe('options.replication', () => {
  const create = (replication: string, name = 'shop_r') =>
    `{"createKeyspace":{"name":"${name}","options":{"replication":${replication}}}}`;
  const good = [
    'null',
    '{"class":"SimpleStrategy"}',
    '{"class":"SimpleStrategy","replication_factor":1}',
    '{"class":"SimpleStrategy","replicationFactor":3}',
    '{"class":"NetworkTopologyStrategy","dc1":3,"dc-2":2}',
  ];
  for (const replication of good) {
    it(`keyspaces: options.replication may be ${replication}`, () => database(create(replication), ok));
  }

  const bad: readonly (readonly [replication: string, field: string])[] = [
    ['{}', 'replication.class'],
    ['{"class":"simpleStrategy"}', 'replication.class'],
    ['{"class":1}', 'replication.class'],
    ['{"replication_factor":1}', 'replication.class'],
    ['{"class":"SimpleStrategy","replication_factor":0}', 'replication.replication_factor'],
    ['{"class":"SimpleStrategy","replication_factor":"1"}', 'replication.replication_factor'],
    ['{"class":"NetworkTopologyStrategy","dc1":1.5}', 'replication.dc1'],
  ];
  for (const [replication, field] of bad) {
    it(`a column twice in a key; bad replication options: refused are ${replication}`, () =>
      database(create(replication, 'never'), badValue, `"command.options.${field}"`));
  }

  it('are an object, and the only option', async () => {
    await database(
      create('"SimpleStrategy"'),
      '{"status":{"ok":0},"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
    );
    await database(
      '{"createKeyspace":{"name":"x","options":{"ifNotExists":true}}}',
      '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
      'Known fields: replication.',
    );
  });
});

describe('the deprecated commands', () => {
  const warning = '<REQUEST WARNING DEPRECATED_COMMAND: Command deprecated>';
  it('do what their successors do, with a warning', async () => {
    const done = `{"status":{"ok":1,"warnings":[${warning}]}}`;
    await database(
      '{"createNamespace":{"name":"there"}}',
      done,
      'createNamespace is deprecated.\nUse createKeyspace',
    );
    await database(
      '{"findNamespaces":{}}',
      `{"status":{"namespaces":["shop","shop_Archive","shop_r","there"],"warnings":[${warning}]}}`,
      'Use findKeyspaces instead.',
    );
    await database('{"dropNamespace":{"name":"there"}}', done, 'Use dropKeyspace instead.');
  });

  it('carry their warning also when they fail', async () => {
    await database(
      '{"createNamespace":{"name":"a-b"}}',
      `{"status":{"ok":0,"warnings":[${warning}]},
        "errors":[<REQUEST SCHEMA UNSUPPORTED_SCHEMA_NAME: Name not supported>]}`,
    );
    await database(
      '{"findNamespaces":{"options":{"x":1}}}',
      `{"status":{"warnings":[${warning}]},
        "errors":[<REQUEST COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options>]}`,
    );
  });
});

describe('lists of keyspaces', () => {
  it('are in the order of creation (embedded)', async () => {
    for (const name of ['b', 'c', 'a']) await database(`{"createKeyspace":{"name":"${name}"}}`, ok);
    const { text } = await send({ path: '/v1', body: find });
    assert.deepEqual(JSON.parse(text).status.keyspaces.slice(-3), ['b', 'c', 'a']);
  });
});

describe('the envelope', () => {
  it('is compact JSON of the type application/json', async () => {
    const { headers, text } = await send({ path: '/v1', body: find });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(text, JSON.stringify(JSON.parse(text)));
  });

  it('gives every error an id of its own and no other member than the six', async () => {
    const ids = new Set<string>();
    for (let time = 0; time < 3; time += 1) {
      const { text } = await send({ path: '/v1', body: '{"nonsense":{}}' });
      const { errors } = JSON.parse(text);
      assert.deepEqual(Object.keys(errors[0]), ['id', 'family', 'scope', 'errorCode', 'title', 'message']);
      ids.add(errors[0].id);
    }
    assert.equal(ids.size, 3);
  });
});
