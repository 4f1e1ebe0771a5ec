// Paths, methods, content types and the JSON of a request, on the wire.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { documentCommands } from '../../src/data-service/commands/registry.js';
import { messagesIn, shortened, useWireServer } from './wire-server.js';

const listKeyspaces = '{"findKeyspaces":{}}';
const keyspaces = '{"status":{"keyspaces":["default_keyspace"]}}';
const tablePath = '/v1/default_keyspace/numbers';
const { at, send, sendToOps } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"numbers","definition":{"columns":{
        "id":"int","v":"varint","d":"decimal","t":"text"},"primaryKey":"id"}}}`,
    ],
  ],
});
const database = at('/v1');
const keyspace = at('/v1/default_keyspace');
const table = at(tablePath);

/** The commands in the form in which messages list them. */
const tableCommands =
  'alterTable, createIndex, createVectorIndex, deleteMany, deleteOne, find, findOne, insertMany, insertOne, ' +
  'listIndexes, updateOne';

describe('a path', () => {
  for (const path of ['/v1', '/v1/', '/v1?anything=1', '/api/json/v1', '/api/json/v1/']) {
    it(`reaches the database at ${path}`, () => at(path)(listKeyspaces, keyspaces));
  }

  for (const path of [
    '/v1/default_keyspace',
    '/v1/default_keyspace/',
    '/v1/default%5Fkeyspace',
    '/api/json/v1/default_keyspace',
  ]) {
    it(`reaches a keyspace at ${path}`, () =>
      at(path)('{"listTables":{}}', '{"status":{"tables":["numbers"]}}'));
  }

  for (const path of [tablePath, `${tablePath}/`, `/api/json${tablePath}`]) {
    it(`reaches a table at ${path}`, () =>
      at(path)('{"deleteOne":{"filter":{"id":0}}}', '{"status":{"deletedCount":-1}}'));
  }

  for (const path of [
    '/',
    '/v2',
    '/v1x',
    '/V1',
    '/v1//',
    '//v1',
    '/v1/a//b',
    '/v1/a/b/c',
    '/v1/%zz',
    '/invalid/v1',
    '/api/json',
    '/api/v1',
    '/v1/api/json/v1',
    '/api/json/v1x',
  ]) {
    it(`gets a bare 404 at ${path}`, async () => {
      const { status, headers, text } = await send({ path, body: listKeyspaces });
      assert.equal(status, 404);
      assert.match(String(headers['content-type']), /^text\/plain/);
      assert.match(text, /^not found: .* also below \/api\/json\n$/);
    });
  }

  for (const path of ['/v1', '/v1/default_keyspace', tablePath]) {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      it(`wrong method: ${method} ${path} gets a bare 405`, async () => {
        const { status, headers, text } = await send({ path, method, body: listKeyspaces });
        assert.deepEqual([status, headers.allow, text], [405, 'POST', 'only POST is allowed here\n']);
      });
    }
  }
});

describe('a content type', () => {
  const accepted = [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json ;x=1',
  ];
  for (const type of accepted) {
    it(`is taken as JSON: ${type}`, async () => {
      const { status, text } = await send({
        path: '/v1',
        body: listKeyspaces,
        headers: { 'content-type': type },
      });
      assert.deepEqual([status, text], [200, keyspaces]);
    });
  }

  it('no content type: the body is taken as JSON', async () => {
    const { status, headers, text } = await send({ path: '/v1', body: listKeyspaces, headers: {} });
    assert.deepEqual([status, headers['content-type'], text], [200, 'application/json', keyspaces]);
  });

  it('no content type, from a browser: refused with 415', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: 'http://localhost:1' }]) {
      const own = { ...headers, 'sec-fetch-site': 'same-origin' };
      const { status, text } = await send({ path: '/v1', body: listKeyspaces, headers: own });
      assert.equal(status, 415);
      assert.match(messagesIn(text), /A body without a content type is not accepted from browsers/);
    }
  });

  for (const type of ['text/plain', 'application/jsonp', 'text/json', 'application/x-www-form-urlencoded']) {
    it(`is refused with 415 and an envelope: ${type}`, async () => {
      const { status, text } = await send({
        path: '/v1',
        body: listKeyspaces,
        headers: { 'content-type': type },
      });
      assert.equal(status, 415);
      assert.equal(
        shortened(text),
        '{"errors":[<REQUEST UNSUPPORTED_CONTENT_TYPE: Content type not supported>]}',
      );
      assert.match(messagesIn(text), new RegExp(type));
    });
  }
});

describe('the bytes of a body', () => {
  const json = { 'content-type': 'application/json' };
  const sendBody = (body: string | Uint8Array, encoding?: string) =>
    send({
      path: '/v1',
      body,
      headers: encoding === undefined ? json : { ...json, 'content-encoding': encoding },
    });

  it('may begin with a byte order mark', async () => {
    assert.equal((await sendBody(`\ufeff${listKeyspaces}`)).text, keyspaces);
    assert.equal((await sendBody(gzipSync(`\ufeff${listKeyspaces}`), 'gzip')).text, keyspaces);
  });

  for (const encoding of ['gzip', 'x-gzip', 'GZIP', 'identity', ''])
    it(`may have the content encoding ${encoding === '' ? 'of an empty header' : encoding}`, async () => {
      const isGzip = /gzip/i.test(encoding);
      const { status, text } = await sendBody(isGzip ? gzipSync(listKeyspaces) : listKeyspaces, encoding);
      assert.deepEqual([status, text], [200, keyspaces]);
    });

  it('may be compressed in several parts, and be large', async () => {
    const parts = [listKeyspaces.slice(0, 5), listKeyspaces.slice(5), ' '.repeat(3_000_000)];
    assert.equal(
      (await sendBody(Buffer.concat(parts.map((part) => gzipSync(part))), 'gzip')).text,
      keyspaces,
    );
    assert.equal((await sendBody(gzipSync(listKeyspaces + ' '.repeat(3_000_000)), 'gzip')).text, keyspaces);
  });

  it('are refused by name in another content encoding', async () => {
    for (const encoding of ['br', 'deflate', 'zstd', 'gzip, gzip', 'compress'])
      for (const to of [send, sendToOps]) {
        const headers = { ...json, 'content-encoding': encoding };
        const path = to === send ? '/v1' : '/local/cql';
        const reply = await to({ path, body: listKeyspaces, headers });
        assert.equal(reply.status, 415, `${encoding}: ${reply.text}`);
        assert.equal(reply.headers['accept-encoding'], 'gzip, identity');
        assert.ok(reply.text.includes(`content encoding "${encoding}"`), reply.text);
      }
  });

  it('are refused if they are not what the header says', async () => {
    for (const body of [listKeyspaces, gzipSync(listKeyspaces).subarray(0, 20), '{}']) {
      const { status, text } = await sendBody(body, 'gzip');
      assert.deepEqual([status, text.includes('not valid gzip')], [400, true], text);
    }
  });

  it('have the limit of a body also where they are compressed', async () => {
    const tooLarge = gzipSync(listKeyspaces + ' '.repeat(25 * 1024 * 1024));
    const lying = Buffer.from(tooLarge);
    lying.writeUInt32LE(10, lying.length - 4);
    for (const body of [tooLarge, lying]) {
      const { status, text } = await sendBody(body, 'gzip');
      assert.deepEqual([status, text.includes('larger than 20971520 bytes')], [413, true], text);
    }
    assert.equal((await sendBody(listKeyspaces)).text, keyspaces);
  });
});

describe('a message', () => {
  /** The text of the reply has no half of a surrogate pair, neither plain nor escaped. */
  const expectWellFormed = async (path: string, body: string) => {
    const { text } = await send({ path, body });
    assert.match(text, /"errors"/);
    assert.doesNotMatch(text, /\\u[dD][89a-fA-F]|\ufffd/);
  };
  for (let before = 0; before < 2; before += 1) {
    const long = `${'a'.repeat(before)}${'😀'.repeat(15_000)}`;
    it(`does not cut a long text inside a character, ${before} before it`, async () => {
      await expectWellFormed(tablePath, `{"find":{"options":{"pageState":"${long}"}}}`);
      await expectWellFormed(tablePath, `{"find":{"filter":{"${long}":1}}}`);
      await expectWellFormed(tablePath, `{"insertOne":{"document":{"id":"${long}"}}}`);
      await expectWellFormed('/v1', `{"${long}":{}}`);
    });
  }

  it('does not return half of a character that a name has', async () => {
    const { text } = await send({ path: tablePath, body: '{"find":{"filter":{"a\\ud83d":1}}}' });
    assert.match(messagesIn(text), /Unknown columns: a\ufffd/);
    assert.doesNotMatch(text, /\\ud83d/);
  });
});

describe('a body', () => {
  const notJson = '{"errors":[<REQUEST REQUEST_NOT_JSON: Request is not JSON>]}';
  const mismatch = '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}';
  const bad: readonly (readonly [name: string, body: string, fact: string])[] = [
    ['nothing', '', 'the text ends where a value is expected'],
    ['white space', '  ', 'the text ends where a value is expected'],
    ['a piece of JSON', '{"findKeyspaces":', 'the text ends'],
    ['two values', '{"findKeyspaces":{}}{}', 'after the end'],
    ['a bare NaN', '{"insertOne":{"document":{"id":1,"d":NaN}}}', '"N"'],
    ['a bare -Infinity', '{"insertOne":{"document":{"id":1,"d":-Infinity}}}', '"I"'],
    ['a command twice', '{"findKeyspaces":{},"findKeyspaces":{}}', '"findKeyspaces" appears twice'],
    [
      'a member twice, deep inside',
      '{"insertOne":{"document":{"id":1,"t":"a","t":"a"}}}',
      '"t" appears twice',
    ],
    [
      'a member twice, spelt with an escape',
      '{"insertOne":{"document":{"id":1,"\\u0069d":1}}}',
      '"id" appears twice',
    ],
    ['nesting of 1001', `{"x":${'['.repeat(1000)}${']'.repeat(1000)}}`, 'more than 1000 levels deep'],
  ];
  for (const [name, body, fact] of bad) {
    it(`is not JSON: ${name}`, () => at(tablePath)(body, notJson, fact));
  }

  it('is not JSON: invalid UTF-8', async () => {
    const body = Buffer.from('{"findKeyspaces":{"\xff":1}}', 'latin1');
    const { status, text } = await send({ path: '/v1', body });
    assert.deepEqual([status, shortened(text)], [200, notJson]);
    assert.match(messagesIn(text), /not UTF-8/);
  });

  it('nests 1000 deep and no deeper', () =>
    database(
      `{"x":${'['.repeat(999)}${']'.repeat(999)}}`,
      '{"errors":[<REQUEST COMMAND_UNKNOWN: Command unknown>]}',
    ));

  for (const body of [
    '[]',
    '"findKeyspaces"',
    'null',
    '1',
    '{}',
    '{"findKeyspaces":{},"createKeyspace":{}}',
  ]) {
    it(`is not one command: ${body}`, () => database(body, mismatch, 'one command'));
  }

  it('has an object for its command', async () => {
    await database(
      '{"findKeyspaces":[]}',
      mismatch,
      'command must be an object, but is an array of 0 elements',
    );
    await database('{"findKeyspaces":null}', mismatch, 'command must be an object, but is null');
  });

  it('takes whole empty payloads', () => table('{"findOne":{}}', emptyRead('{"document":null}')));

  it('names the known members alphabetically when it meets another', async () => {
    await keyspace(
      '{"createTable":{"name":"t","columns":{}}}',
      '{"status":{"ok":0},"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
      'The field "columns" is not known in command.\nKnown fields: definition, name, options.',
    );
    await table(
      '{"find":{"options":{"pagestate":"x"}}}',
      '{"errors":[<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>]}',
      'Known fields: includeSimilarity, includeSortVector, limit, pageState, pagingState, skip.',
    );
  });

  it('gives one error for each field whose value is invalid', () =>
    keyspace(
      '{"createTable":{"name":""}}',
      `{"status":{"ok":0},"errors":[
        <REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>,
        <REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}`,
      '"command.name"',
      '"command.definition"',
      'It was: the string "".',
    ));

  it('gives one error for each option that is invalid', async () => {
    const invalid = '<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>';
    await database(
      '{"createKeyspace":{"name":"","options":{"replication":{"class":"None","a":0,"b":"x"}}}}',
      `{"status":{"ok":0},"errors":[${invalid},${invalid},${invalid},${invalid}]}`,
      '"command.name"',
      '"command.options.replication.class"',
      '"command.options.replication.a"',
      '"command.options.replication.b"',
    );
    await table(
      '{"find":{"options":{"skip":1,"pageState":"x"}}}',
      `{"errors":[${invalid},${invalid}]}`,
      '"skip" needs a "sort"',
      '"command.options.pageState"',
    );
  });

  const shapes: readonly (readonly [body: string, shape: string])[] = [
    ['{"find":{"filter":[]}}', '{"id": 1}'],
    ['{"find":{"sort":"t"}}', '{"day": -1}'],
    ['{"find":{"options":{"limit":"x"}}}', '11'],
    ['{"find":[]}', '{"filter": …, "projection": …, "sort": …, "options": …}'],
    ['{"insertMany":{"documents":{}}}', '[{"id": 1}]'],
    ['{"insertOne":{"document":5}}', '{"id": 1}'],
    ['{"updateOne":{"update":5}}', '{"$set": {"age": 7}}'],
    ['{"alterTable":{"operation":"add"}}', '{"add": {"columns": {"age": "int"}}} or'],
    ['{"alterTable":{"operation":{"drop":{"columns":"t"}}}}', '["age"]'],
  ];
  for (const [body, shape] of shapes) {
    it(`shows the right shape when it meets another: ${body}`, async () => {
      const { text } = await send({ path: tablePath, body });
      assert.ok(messagesIn(text).includes(`.\nExample: ${shape}`), text);
    });
  }

  const clauses: readonly (readonly [body: string, shape: string])[] = [
    ['{"find":{"filter":{"$or":{}}}}', '{"$or": [{"age": 7}, {"age": 8}]}'],
    ['{"find":{"filter":{"$not":5}}}', '{"$not": {"age": 7}}'],
    ['{"find":{"filter":{"t":{"$in":"x"}}}}', '{"$in": [1, 2]}'],
    ['{"find":{"projection":["t"]}}', '{"age": 1} or {"age": 0}'],
    ['{"updateOne":{"filter":{"id":1},"update":{"$set":5}}}', '{"$set": {"name": …}}'],
  ];
  for (const [body, shape] of clauses) {
    it(`shows the right shape of a clause when it meets another: ${body}`, async () => {
      const { text } = await send({ path: tablePath, body });
      assert.ok(messagesIn(text).includes(shape), text);
    });
  }

  for (const body of [
    '{"find":{"filter":{"":1}}}',
    '{"find":{"sort":{"":1}}}',
    '{"insertOne":{"document":{"id":1,"":1}}}',
    '{"updateOne":{"filter":{"id":1},"update":{"$set":{"":1}}}}',
    '{"alterTable":{"operation":{"drop":{"columns":[""]}}}}',
  ]) {
    it(`names an unknown column also when its name is empty: ${body}`, async () => {
      const { text } = await send({ path: tablePath, body });
      assert.match(messagesIn(text), /(Unknown columns|these columns): ""\.$/m);
    });
  }

  it('cuts long values in messages after 1000 characters', async () => {
    const { text } = await send({ path: tablePath, body: `{"find":{"filter":"${'x'.repeat(5000)}"}}` });
    assert.match(messagesIn(text), /"x{998}…\./);
  });

  it('of more than 20 MB gets no envelope', async () => {
    const body = `{"findKeyspaces":{}}${' '.repeat(20 * 1024 * 1024)}`;
    const outcome = await send({ path: '/v1', body }).then(
      ({ status }) => status,
      () => 'connection reset',
    );
    assert.ok(outcome === 413 || outcome === 'connection reset', String(outcome));
  });
});

describe('options', () => {
  for (const options of ['', '"options":null', '"options":{}']) {
    it(`may be empty: ${options || 'absent'}`, async () => {
      await database(`{"findKeyspaces":{${options}}}`, keyspaces);
      await table(`{"findOne":{${options}}}`, emptyRead('{"document":null}'));
    });
  }

  for (const options of ['{"explain":true}', '[]', 'true', '"x"', '0']) {
    it(`are refused by a command without any: ${options}`, () =>
      database(
        `{"findKeyspaces":{"options":${options}}}`,
        '{"errors":[<REQUEST COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options>]}',
        'findKeyspaces',
      ));
  }

  it('are an object', () =>
    table(
      '{"find":{"options":[]}}',
      '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
      'command.options must be an object',
    ));
});

describe('a command', () => {
  const unknown = '{"errors":[<REQUEST COMMAND_UNKNOWN: Command unknown>]}';
  const levels = [
    ['/v1', 'General Command', 'createKeyspace, createNamespace, dropKeyspace'],
    [
      '/v1/default_keyspace',
      'Keyspace Command',
      'createCollection, createTable, deleteCollection, dropIndex, dropTable, findCollections, listTables',
    ],
    [tablePath, 'Collection Command', tableCommands],
  ] as const;
  for (const [path, level, known] of levels) {
    it(`that does not exist is answered with the name of its level and what is known there: ${path}`, () =>
      at(path)(
        '{"nonsense":{}}',
        unknown,
        `"nonsense" is not a ${level}.`,
        `A ${level} is one of: ${known}`,
      ));
  }

  it('of another level is unknown, and the error has its path', async () => {
    await database('{"createTable":{}}', unknown, 'Send createTable to /v1/{keyspace} (or below /api/json).');
    await keyspace('{"insertOne":{}}', unknown, 'Send insertOne to /v1/{keyspace}/{table} ');
    await keyspace('{"findKeyspaces":{}}', unknown, 'Send findKeyspaces to /v1 (');
    await table('{"listTables":{}}', unknown, 'Send listTables to /v1/{keyspace} (');
  });

  const fieldUnknown = '<REQUEST COMMAND_FIELD_UNKNOWN: Command field unknown>';
  const absent = [
    ['/v1/nowhere', 'listTables', 'createTable', '{"status":{"ok":0},', 'UNKNOWN_KEYSPACE: Keyspace unknown'],
    ['/v1/nowhere/nothing', 'insertOne', 'find', '{', 'UNKNOWN_KEYSPACE: Keyspace unknown'],
    [
      '/v1/default_keyspace/nothing',
      'insertOne',
      'alterTable',
      '{"status":{"ok":0},',
      'UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown',
    ],
  ] as const;
  for (const [path, name, other, start, missing] of absent) {
    it(`and its fields are checked before what its path names: ${path}`, async () => {
      await at(path)('{"nonsense":{}}', unknown);
      await at(path)(`{"${other}":{"nonsense":1}}`, `${start}"errors":[${fieldUnknown}]}`);
      const body = name === 'insertOne' ? '{"insertOne":{"document":{"id":1}}}' : `{"${name}":{}}`;
      await at(path)(body, `{"errors":[<REQUEST SCHEMA ${missing}>]}`);
    });
  }

  it('is found before its target is', () => at('/v1/nowhere')('{"nonsense":{}}', unknown));

  it('is spelt exactly', () => database('{"findkeyspaces":{}}', unknown));

  const notOffered = [
    ['createType', 'user-defined types'],
    ['alterType', 'user-defined types'],
    ['dropType', 'user-defined types'],
  ] as const;
  for (const [name, things] of notOffered) {
    it(`document commands on a table: ${name} is unknown, and the reply says what this server offers`, () =>
      keyspace(
        `{"${name}":{"name":"c"}}`,
        unknown,
        `This server has tables and no ${things}. Use createTable, dropTable and listTables.`,
      ));
  }

  it('document commands on a table: lists of collections and types are empty', async () => {
    for (const options of ['', '"options":{}', '"options":{"explain":true}']) {
      await keyspace(`{"findCollections":{${options}}}`, '{"status":{"collections":[]}}');
      await keyspace(`{"listTypes":{${options}}}`, '{"status":{"types":[]}}');
    }
  });

  for (const name of documentCommands) {
    it(`document commands on a table: ${name} is not supported`, () =>
      table(
        `{"${name}":{}}`,
        '{"errors":[<REQUEST UNSUPPORTED_TABLE_COMMAND: Command not supported on tables>]}',
        `${name} does not exist for tables; default_keyspace.numbers is a table.`,
        tableCommands,
      ));
  }

  it('for documents is looked for on a table that exists', async () => {
    await at('/v1/default_keyspace/nothing')(
      '{"countDocuments":{}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown>]}',
    );
    await at('/v1/nowhere/nothing')(
      '{"countDocuments":{}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown>]}',
    );
  });
});

describe('an error', () => {
  it('has a message of at most 20,000 characters, however long the names are that it quotes', async () => {
    const { text } = await send({ path: tablePath, body: `{"find":{"${'x'.repeat(100_000)}":1}}` });
    const [error] = (JSON.parse(text) as { errors: { errorCode: string; message: string }[] }).errors; // as all replies
    assert.equal(error?.errorCode, 'COMMAND_FIELD_UNKNOWN');
    assert.equal(error?.message.length, 20_000);
    assert.match(error?.message ?? '', /x…x.*Known/s);
  });

  it('has no half of a surrogate pair where its message was cut', async () => {
    for (const offset of ['', 'x']) {
      const { text } = await send({
        path: tablePath,
        body: `{"find":{"${offset}${'😀'.repeat(50_000)}":1}}`,
      });
      const [error] = (JSON.parse(text) as { errors: { message: string }[] }).errors; // as all replies
      assert.match(error?.message ?? '', /😀…😀/u);
    }
  });
});

describe('a number', () => {
  const digits = '1234567890123456789012345678901234567890';

  it('keeps 40 digits in and out', async () => {
    await table(`{"insertOne":{"document":{"id":1,"v":${digits},"d":-0.${digits}1}}}`, inserted(1));
    await table(
      '{"findOne":{"filter":{"id":1},"projection":{"v":1,"d":1}}}',
      `{"data":{"document":{"v":${digits},"d":-0.${digits}1}},
        "status":{"projectionSchema":{"v":{"type":"varint"},"d":{"type":"decimal"}}}}`,
    );
  });

  it('may be written with an exponent, and is read back written out', async () => {
    await table('{"insertOne":{"document":{"id":2.0e0,"v":1.5E+3,"d":1e-5}}}', inserted(2));
    await table(
      '{"findOne":{"filter":{"id":2},"projection":{"v":1,"d":1}}}',
      `{"data":{"document":{"v":1500,"d":0.00001}},
        "status":{"projectionSchema":{"v":{"type":"varint"},"d":{"type":"decimal"}}}}`,
    );
  });

  it('of 1e120000 goes into a varint and comes back with all its digits', async () => {
    await table('{"insertOne":{"document":{"id":3,"v":1e120000}}}', inserted(3));
    await table(
      '{"findOne":{"filter":{"id":3},"projection":{"v":1}}}',
      `{"data":{"document":{"v":1${'0'.repeat(120_000)}}},"status":{"projectionSchema":{"v":{"type":"varint"}}}}`,
    );
  });

  const tooLong = '{"errors":[<REQUEST DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded>]}';
  it('number literal: 100 characters are accepted, 101 refused, wherever they stand', async () => {
    await table(`{"insertOne":{"document":{"id":4,"v":${'9'.repeat(100)}}}}`, inserted(4));
    await table(`{"insertOne":{"document":{"id":4,"v":${'9'.repeat(101)}}}}`, tooLong, '101', 'at most 100');
    await table(`{"find":{"options":{"limit":${'1'.repeat(101)}}}}`, tooLong);
    await database(`{"findKeyspaces":${'1'.repeat(101)}}`, tooLong);
  });

  it('a number of too many digits: 200,000 written out are stored, more are refused', async () => {
    await table('{"insertOne":{"document":{"id":5,"v":1e199999}}}', inserted(5));
    await table('{"insertOne":{"document":{"id":5,"v":1e200000}}}', tooLong, 'v: 1e200000', '200000 digits');
    await table('{"insertOne":{"document":{"id":5,"d":1e-200000}}}', tooLong);
    await table('{"updateOne":{"filter":{"id":5},"update":{"$set":{"v":-1e200000}}}}', tooLong);
    await table('{"find":{"filter":{"v":1e200000}}}', tooLong);
  });

  it('JSON deeper than 1000: is not JSON', () =>
    table(
      `{"insertOne":{"document":{"id":6,"t":${'['.repeat(998)}${']'.repeat(998)}}}}`,
      '{"errors":[<REQUEST REQUEST_NOT_JSON: Request is not JSON>]}',
    ));
});

function inserted(id: number): string {
  return `{"status":{"insertedIds":[[${id}]],"primaryKeySchema":{"id":{"type":"int"}}}}`;
}

function emptyRead(data: string): string {
  return `{"data":${data},"status":{"projectionSchema":{
    "id":{"type":"int"},"v":{"type":"varint"},"d":{"type":"decimal"},"t":{"type":"text"}},
    "warnings":[<REQUEST WARNING ZERO_FILTER_OPERATIONS: Read without a filter>]}}`;
}
