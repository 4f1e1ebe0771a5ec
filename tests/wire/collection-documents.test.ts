// Inserts, ids, values and limits of documents, row by row of the contract.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionSteps, eachRow } from './collection-steps.js';
import { messagesIn, useWireServer } from './wire-server.js';

const made = (name: string, options: string): readonly [string, string] => [
  '/v1/default_keyspace',
  `{"createCollection":{"name":"${name}","options":${options}}}`,
];
const server = useWireServer({
  prepare: [
    made('d', '{"indexing":{"deny":["free"]}}'),
    made('v', '{"vector":{"dimension":2}}'),
    made('dot', '{"vector":{"dimension":2,"metric":"dot_product"}}'),
    made('e', '{"vector":{"service":{"provider":"colonnade","modelName":"hashed-ngrams"},"dimension":64}}'),
    made('n', '{"lexical":{"enabled":false}}'),
    made('uuid', '{"defaultId":{"type":"uuid"}}'),
    made('uuidv6', '{"defaultId":{"type":"uuidv6"}}'),
    made('uuidv7', '{"defaultId":{"type":"uuidv7"}}'),
    made('objectId', '{"defaultId":{"type":"objectId"}}'),
  ],
});
const { codes, send } = collectionSteps(server);
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const objectId = '507f1f77bcf86cd799439011';
const scope = 'DOCUMENT';
/** Nothing was inserted, and the reply says so. */
const notInserted = '"status":{"insertedIds":[]}';

function insertOne(document: string, collection = 'd'): Promise<string> {
  return send(`{"insertOne":{"document":${document}}}`, collection);
}

/** The stored form of a document, with its id first. */
async function stored(document: string, collection = 'd'): Promise<string> {
  await send('{"deleteMany":{}}', collection);
  const inserted = await insertOne(document, collection);
  if (inserted.includes('"errors"')) return inserted;
  const found = await send('{"findOne":{"projection":{"*":1}}}', collection);
  return found.slice('{"data":{"document":'.length, -2);
}

/** The code of a refused document, with the note whether the status says that nothing was inserted. */
async function refused(document: string, collection = 'd'): Promise<string> {
  const text = await insertOne(document, collection);
  const code = await codes(`{"insertOne":{"document":${document}}}`, collection);
  return text.includes(notInserted) ? code : `${code} (whole command)`;
}

describe('_id (2.1)', () => {
  eachRow(
    [
      ['a string', '{"_id":"a"}', '"a"'],
      ['a number', '{"_id":5}', '5'],
      ['a boolean', '{"_id":false}', 'false'],
      ['null', '{"_id":null}', 'null'],
      [
        'a uuid, in lower case in the reply',
        `{"_id":{"$uuid":"${uuid.toUpperCase()}"}}`,
        `{"$uuid":"${uuid}"}`,
      ],
      ['an objectId', `{"_id":{"$objectId":"${objectId}"}}`, `{"$objectId":"${objectId}"}`],
      ['a date', '{"_id":{"$date":-1}}', '{"$date":-1}'],
      ['another string', '{"_id":"5"}', '"5"'],
      ['another boolean', '{"_id":"true"}', '"true"'],
    ],
    async (document) => {
      const text = await insertOne(document);
      return /^\{"status":\{"insertedIds":\[(.*)\]\}\}$/.exec(text)?.[1] ?? text;
    },
  );
  eachRow(
    [
      ['an empty string', '{"_id":""}', `${scope} SHRED_BAD_DOCID_VALUE`],
      ['half of a surrogate pair', '{"_id":"a\\ud800"}', `${scope} SHRED_BAD_DOCID_VALUE`],
      ['an array', '{"_id":[1]}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['an object', '{"_id":{"a":1}}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['an unknown wrapper', '{"_id":{"$x":1}}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['$binary', '{"_id":{"$binary":"AAAA"}}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['a bad uuid', '{"_id":{"$uuid":"x"}}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['a bad objectId', '{"_id":{"$objectId":"12"}}', `${scope} SHRED_BAD_DOCID_TYPE`],
      ['a string that exists', '{"_id":"a"}', `${scope} DOCUMENT_ALREADY_EXISTS`],
      ['a uuid that exists', `{"_id":"${uuid}"}`, `${scope} DOCUMENT_ALREADY_EXISTS`],
      ['null twice', '{"_id":null}', `${scope} DOCUMENT_ALREADY_EXISTS`],
    ],
    (document) => refused(document),
  );
  it('an id that exists: the message shows a text in single quotes', async () => {
    await send('{"deleteMany":{}}', 'd');
    await insertOne('{"_id":"a\'b"}');
    assert.match(await send('{"insertOne":{"document":{"_id":"a\'b"}}}', 'd'), /with the _id 'a'b' exists/);
    await insertOne('{"_id":5}');
    assert.match(await send('{"insertOne":{"document":{"_id":5}}}', 'd'), /with the _id 5 exists/);
  });
  it('ids of numbers: one for each value, however it is written', async () => {
    await send('{"deleteMany":{}}', 'd');
    assert.equal(await insertOne('{"_id":100.0}'), '{"status":{"insertedIds":[100]}}');
    assert.equal(await refused('{"_id":1e2}'), `${scope} DOCUMENT_ALREADY_EXISTS`);
    assert.equal(await insertOne('{"_id":0.10}'), '{"status":{"insertedIds":[0.1]}}');
  });
  it('a long `_id`: is refused', async () => {
    assert.equal(await refused(`{"_id":"${'é'.repeat(4_001)}"}`), `${scope} SHRED_BAD_DOCID_VALUE`);
  });
  it('comes first in the document, which keeps its spelling', async () =>
    assert.equal(
      await stored(`{"b":1,"_id":{"$uuid":"${uuid.toUpperCase()}"},"a":2}`),
      `{"_id":{"$uuid":"${uuid.toUpperCase()}"},"b":1,"a":2}`,
    ));
});

describe('generated ids (2.2)', () => {
  const text = '[0-9a-f]{8}-[0-9a-f]{4}';
  for (const [collection, form] of [
    ['d', new RegExp(`^"${text}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`)],
    ['uuid', new RegExp(`^\\{"\\$uuid":"${text}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\\}$`)],
    ['uuidv6', new RegExp(`^\\{"\\$uuid":"${text}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\\}$`)],
    ['uuidv7', new RegExp(`^\\{"\\$uuid":"${text}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\\}$`)],
    ['objectId', /^\{"\$objectId":"[0-9a-f]{24}"\}$/],
  ] as const) {
    it(`are of the kind of the collection: ${collection}`, async () => {
      const reply = await insertOne('{"a":1}', collection);
      const [, id = ''] = /^\{"status":\{"insertedIds":\[(.*)\]\}\}$/.exec(reply) ?? [];
      assert.match(id, form);
      assert.equal(
        await send(`{"find":{"filter":{"_id":${id}}}}`, collection),
        `{"data":{"documents":[{"_id":${id},"a":1}],"nextPageState":null}}`,
      );
    });
  }
  it('leave other ids possible', async () =>
    assert.equal(await insertOne('{"_id":7}', 'objectId'), '{"status":{"insertedIds":[7]}}'));
});

describe('values (2.3)', () => {
  eachRow(
    [
      [
        'all kinds',
        '{"_id":1,"a":null,"b":true,"c":[],"d":{},"e":"é\\u0000"}',
        '{"_id":1,"a":null,"b":true,"c":[],"d":{},"e":"é\\u0000"}',
      ],
      [
        'wrappers as they were sent',
        `{"_id":1,"d":{"$date":-62135596800000},"u":{"$uuid":"${uuid.toUpperCase()}"},"o":{"$objectId":"${objectId}"},"b":{"$binary":"AAE="}}`,
        `{"_id":1,"d":{"$date":-62135596800000},"u":{"$uuid":"${uuid.toUpperCase()}"},"o":{"$objectId":"${objectId}"},"b":{"$binary":"AAE="}}`,
      ],
      [
        'zeros of a fraction are dropped',
        '{"_id":1,"a":1.0,"b":2.50,"c":[1e0]}',
        '{"_id":1,"a":1,"b":2.5,"c":[1]}',
      ],
      [
        'all digits of numbers',
        '{"_id":1,"a":123456789012345678901234567890.123456789,"b":1e-300}',
        '{"_id":1,"a":123456789012345678901234567890.123456789,"b":1E-300}',
      ],
      [
        'integers of 64 bits and more',
        '{"_id":1,"a":9223372036854775807,"b":-1e50}',
        `{"_id":1,"a":9223372036854775807,"b":-1${'0'.repeat(50)}}`,
      ],
      ['100.0 is plain', '{"_id":1,"a":100.0}', '{"_id":1,"a":100}'],
      [
        'names of any kind',
        '{"_id":1,"a.b":1,"a":{"b":2},"&":3," ":4,"ü-1":5}',
        '{"_id":1,"a.b":1,"a":{"b":2},"&":3," ":4,"ü-1":5}',
      ],
    ],
    (document) => stored(document),
  );
  const name = `${scope} SHRED_BAD_FIELD_NAME`;
  const ejson = `${scope} SHRED_BAD_EJSON_VALUE`;
  eachRow(
    [
      ['a date that is not whole', '{"a":{"$date":1.5}}', ejson],
      ['a date as text', '{"a":{"$date":"2020"}}', ejson],
      ['a date beyond 64 bits', '{"a":{"$date":9223372036854775808}}', ejson],
      ['a bad uuid', '{"a":[{"$uuid":"x"}]}', ejson],
      ['a bad objectId', '{"a":{"$objectId":"z"}}', ejson],
      ['an unknown wrapper', '{"a":{"$long":"1"}}', name],
      ['a wrapper with another member', '{"a":{"$date":1,"b":2}}', name],
      ['an empty name', '{"a":{"":1}}', name],
      ['a name with half of a surrogate pair', '{"a":{"\\ud800":1}}', name],
      ['a name that begins with $', '{"$x":1}', name],
      ['$similarity', '{"$similarity":1}', name],
      ['$rerank', '{"$rerank":1}', name],
      ['$vector below the root', '{"a":{"$vector":[1]}}', name],
      ['$lexical below the root', '{"a":[{"$lexical":"x"}]}', name],
      ['a document that is null', 'null', `${scope} SHRED_BAD_DOCUMENT_TYPE`],
      ['a list', '[{}]', `${scope} SHRED_BAD_DOCUMENT_TYPE`],
      ['a string', '"a"', `${scope} SHRED_BAD_DOCUMENT_TYPE`],
      ['a name twice', '{"a":1,"a":2}', 'REQUEST_NOT_JSON (whole command)'],
    ],
    (document) => refused(document),
  );
});

describe('values, settled', () => {
  it('numbers in documents: have no exponent up to 100 characters', async () =>
    assert.equal(
      await stored('{"_id":1,"a":100.0,"b":1e99,"c":1e-5,"d":1e100}'),
      `{"_id":1,"a":100,"b":1${'0'.repeat(99)},"c":0.00001,"d":1E+100}`,
    ));
  it('the order of `$vector`, `$vectorize` and `$lexical`: behind the other members', async () =>
    assert.equal(
      await stored('{"$lexical":"w","a":1,"$vector":[1,0],"_id":1,"b":2}', 'v'),
      '{"_id":1,"a":1,"b":2,"$lexical":"w","$vector":[1,0]}',
    ));
  it('extended values that are not indexed: are checked', async () =>
    assert.equal(await refused('{"free":{"$uuid":"x"}}'), `${scope} SHRED_BAD_EJSON_VALUE`));
});

describe('limits (2.4)', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const members = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `"m${from + at}":1`).join(',');
  const elements = (count: number) => `[${Array.from({ length: count }, () => '1').join(',')}]`;
  const string = (bytes: number) => `"${'x'.repeat(bytes)}"`;
  const text = (at: number) => `{"a":${at}}`;
  for (const [name, good, bad] of [
    ['16 levels', nested(16), nested(17)],
    [
      '16 levels with a wrapper',
      `${'{"a":'.repeat(15)}{"$date":1}${'}'.repeat(15)}`,
      `${'{"a":'.repeat(16)}{"$date":1}${'}'.repeat(16)}`,
    ],
    [
      '16 levels with an array',
      `{"a":${'['.repeat(15)}${']'.repeat(15)}}`,
      `{"a":${'['.repeat(16)}${']'.repeat(16)}}`,
    ],
    ['a name of 1000 characters', `{${string(1_000)}:1}`, `{${string(1_001)}:1}`],
    [
      'a path of 1000 characters',
      `{${string(499)}:{${string(500)}:1}}`,
      `{${string(499)}:{${string(501)}:1}}`,
    ],
    [
      'indexes do not count',
      `{${string(499)}:[{${string(500)}:1}]}`,
      `{${string(499)}:[{${string(501)}:1}]}`,
    ],
    [
      'a number of 100 characters',
      text(1).replace('1', '9'.repeat(100)),
      text(1).replace('1', '9'.repeat(101)),
    ],
    ['an array of 1000 elements', `{"a":${elements(1_000)}}`, `{"a":${elements(1_001)}}`],
    ['1000 members with _id', `{"_id":1,${members(999)}}`, `{"_id":1,${members(1_000)}}`],
    ['an object of 1000 members', `{"o":{${members(1_000)}}}`, `{"o":{${members(1_001)}}}`],
    [
      '2000 members in all',
      `{"_id":1,"o":{${members(999)}},"p":{${members(998)}}}`,
      `{"_id":1,"o":{${members(999)}},"p":{${members(999)}}}`,
    ],
    ['a string of 8000 bytes', `{"a":${string(8_000)}}`, `{"a":"${'é'.repeat(4_000)}x"}`],
  ] as const) {
    it(name, async () => {
      await send('{"deleteMany":{}}', 'd');
      assert.match(await insertOne(good), /^\{"status":\{"insertedIds":\[.+\]\}\}$/);
      await send('{"deleteMany":{}}', 'd');
      const code = await codes(`{"insertOne":{"document":${bad}}}`, 'd');
      assert.ok(code.endsWith('SHRED_DOC_LIMIT_VIOLATION'), code);
    });
  }
  eachRow(
    [
      [
        'a string',
        `{"a":{"b":[{"c&d.e":${string(8_001)}}]}}`,
        '"a.b.0.c&&d&.e" is indexed and has 8001 bytes; "a.b"',
      ],
      ['an array', `{"a":{"b":${elements(1_001)}}}`, '"a.b" is indexed and has 1001 elements; "a.b"'],
      ['an object', `{"o":{${members(1_001)}}}`, '"o" is indexed and has 1001 members; "o"'],
      ['an element of the root', `{"t":["x",${string(9_000)}]}`, '"t.1" is indexed and has 9000 bytes; "t"'],
    ],
    async (document) => {
      const refusal = messagesIn(await insertOne(document, 'v'));
      const found = /at (".*" is indexed and has \d+ \w+);.*\n.*\{"indexing": \{"deny": \[(".*")\]\}\}/.exec(
        refusal,
      );
      return `${found?.[1]}; ${found?.[2]}`;
    },
  );
  it('name the option "indexing" where the whole document is too large', async () => {
    const refusal = messagesIn(await insertOne(`{"o":{${members(999)}},"p":{${members(999)}},"q":{"r":1}}`));
    assert.match(refusal, /more than 2000 members.*\n.*\{"indexing": \{"allow": \["name"\]\}\}/);
  });
  it('name the path of what is nested too deep', async () => {
    assert.match(messagesIn(await insertOne(nested(17), 'v')), /deep at "a(\.a){15}"/);
  });
  it('apply to the indexed part alone', async () => {
    await send('{"deleteMany":{}}', 'd');
    for (const value of [string(9_000), elements(1_500), `{${members(1_200)}}`])
      assert.match(await insertOne(`{"free":${value}}`), /^\{"status":\{"insertedIds":\[.+\]\}\}$/);
  });
  it('a document of 4,000,000 characters', async () => {
    const document = (length: number) => `{"_id":1,"free":"${'x'.repeat(length - 19)}"}`;
    assert.equal(document(100).length, 100);
    assert.equal(await insertOne(document(4_000_000)), '{"status":{"insertedIds":[1]}}');
    assert.equal(await refused(document(4_000_001)), `${scope} SHRED_DOC_LIMIT_VIOLATION`);
  });
  it('texts of $vectorize are longer', async () =>
    assert.match(
      await insertOne(`{"$vectorize":${string(9_000)}}`, 'e'),
      /^\{"status":\{"insertedIds":\[.+\]\}\}$/,
    ));
});

describe('reserved fields (2.5)', () => {
  const vectors = `${scope} SHRED_BAD`;
  eachRow(
    [
      ['an empty vector', '{"$vector":[]}', `${vectors}_VECTOR_SIZE`],
      ['an element that is not a number', '{"$vector":[1,"a"]}', `${vectors}_VECTOR_VALUE`],
      ['an object without $binary', '{"$vector":{"a":1}}', `${vectors}_DOCUMENT_VECTOR_TYPE`],
      ['a string', '{"$vector":"a"}', `${vectors}_DOCUMENT_VECTOR_TYPE`],
      ['a number', '{"$vector":1}', `${vectors}_DOCUMENT_VECTOR_TYPE`],
      ['$binary no string', '{"$vector":{"$binary":1}}', `${vectors}_BINARY_VECTOR_VALUE`],
      ['$binary no base64', '{"$vector":{"$binary":"?"}}', `${vectors}_BINARY_VECTOR_VALUE`],
      ['$binary of 3 bytes', '{"$vector":{"$binary":"AAAA"}}', `${vectors}_BINARY_VECTOR_VALUE`],
      ['another dimension', '{"$vector":[1]}', `${scope} INVALID_VECTOR_LENGTH`],
      ['$lexical no string', '{"$lexical":1}', `${vectors}_DOCUMENT_LEXICAL_TYPE`],
      ['$lexical with half of a surrogate pair', '{"$lexical":"a\\ud800"}', `${scope} SHRED_BAD_EJSON_VALUE`],
      [
        '$vectorize without a service',
        '{"$vectorize":"a"}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED (whole command)',
      ],
      ['$hybrid beside $lexical', '{"$hybrid":"a","$lexical":"b"}', 'HYBRID_FIELD_CONFLICT (whole command)'],
      ['$hybrid beside $vector', '{"$hybrid":"a","$vector":[1,2]}', 'HYBRID_FIELD_CONFLICT (whole command)'],
      ['$hybrid as a number', '{"$hybrid":1}', 'HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE (whole command)'],
      [
        '$hybrid with another member',
        '{"$hybrid":{"a":"b"}}',
        'HYBRID_FIELD_UNKNOWN_SUBFIELDS (whole command)',
      ],
      [
        '$hybrid with a number',
        '{"$hybrid":{"$lexical":1}}',
        'HYBRID_FIELD_UNSUPPORTED_SUBFIELD_VALUE_TYPE (whole command)',
      ],
    ],
    (document) => refused(document, 'v'),
  );
  eachRow(
    [
      [
        '$vectorize beside $vector',
        '{"$vector":[1],"$vectorize":"a"}',
        'SCHEMA INVALID_USAGE_OF_VECTORIZE (whole command)',
      ],
      [
        '$vectorize no string',
        '{"$vectorize":["a"]}',
        `${scope} INVALID_VECTORIZE_VALUE_TYPE (whole command)`,
      ],
    ],
    (document) => refused(document, 'e'),
  );
  eachRow(
    [
      ['$vector without vectors', '{"$vector":[1,2]}', 'SCHEMA VECTOR_SEARCH_NOT_SUPPORTED (whole command)'],
      ['$lexical without it', '{"$lexical":"a"}', 'SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION'],
    ],
    (document) => refused(document, 'n'),
  );
  it('a zero vector in a document: refused on cosine', async () => {
    assert.equal(await refused('{"$vector":[0,0]}', 'v'), `${vectors}_VECTOR_VALUE`);
    assert.match(await insertOne('{"$vector":[0,0]}', 'dot'), /"insertedIds":\[.+\]/);
  });
  eachRow(
    [
      ['a vector as a list', '{"_id":1,"$vector":[0.1,1e0]}', '{"_id":1,"$vector":[0.1,1e0]}'],
      [
        'a vector as $binary',
        '{"_id":1,"$vector":{"$binary":"P4AAAD+AAAA="}}',
        '{"_id":1,"$vector":{"$binary":"P4AAAD+AAAA="}}',
      ],
      ['a vector that is null', '{"_id":1,"$vector":null}', '{"_id":1,"$vector":null}'],
      ['$lexical', '{"_id":1,"$lexical":"a b"}', '{"_id":1,"$lexical":"a b"}'],
      ['$lexical null', '{"_id":1,"$lexical":null}', '{"_id":1,"$lexical":null}'],
    ],
    (document) => stored(document, 'v'),
  );
  const shownVector = async (document: string) =>
    (await stored(document, 'e')).replaceAll(/"\$vector":\[[^\]]{60,}\]/g, '"$vector":[…]');
  eachRow(
    [
      [
        '$vectorize puts the vector behind the others',
        '{"_id":1,"$vectorize":"a","b":1}',
        '{"_id":1,"b":1,"$vectorize":"a","$vector":[…]}',
      ],
      ['$vectorize null', '{"_id":1,"$vectorize":null}', '{"_id":1,"$vectorize":null,"$vector":null}'],
      ['$vectorize blank', '{"_id":1,"$vectorize":" "}', '{"_id":1,"$vectorize":" ","$vector":null}'],
      [
        '$hybrid as a text',
        '{"_id":1,"$hybrid":"a"}',
        '{"_id":1,"$lexical":"a","$vectorize":"a","$vector":[…]}',
      ],
      [
        '$hybrid as an object',
        '{"_id":1,"$hybrid":{"$lexical":"a"}}',
        '{"_id":1,"$lexical":"a","$vectorize":null,"$vector":null}',
      ],
      [
        '$hybrid null',
        '{"_id":1,"$hybrid":null}',
        '{"_id":1,"$lexical":null,"$vectorize":null,"$vector":null}',
      ],
    ],
    shownVector,
  );
});

describe('insertOne and insertMany (1.5, 1.6)', () => {
  const head = '"id":"[^"]+","family":"REQUEST","scope":"[A-Z]*"';
  const tail = '"title":"[^"]*","message":"(?:[^"\\\\]|\\\\.)*"';
  /** The members of an error before those of its documents. */
  const problem = new RegExp(`\\{${head},"errorCode":"([A-Z_]+)",${tail}`, 'g');
  const insertMany = async (documents: string, options = '{}') => {
    const text = await send(`{"insertMany":{"documents":[${documents}],"options":${options}}}`, 'd');
    return text.replaceAll(problem, '{"$1"');
  };
  const exists = '{"DOCUMENT_ALREADY_EXISTS","documentIds":';
  const bad = '{"SHRED_BAD_DOCUMENT_TYPE"}';
  it('an error of a document has its id, if it is known', async () => {
    await send('{"deleteMany":{}}', 'd');
    assert.equal(
      await insertMany('{"_id":1},{"_id":1}'),
      `{"status":{"insertedIds":[1]},"errors":[${exists}[1]}]}`,
    );
    assert.equal(
      await insertMany('{"_id":"x","a":{"$date":"no"}}', '{"returnDocumentResponses":true}'),
      '{"status":{"documentResponses":[{"_id":"x","status":"ERROR","errorsIdx":0}]},"errors":[{"SHRED_BAD_EJSON_VALUE","documentIds":["x"]}]}',
    );
    assert.match(await insertOne('{"_id":7,"":1}'), /"SHRED_BAD_FIELD_NAME".*"documentIds":\[7\]\}\]\}$/);
  });
  it('unordered: all are tried, and errors come in document order', async () => {
    await send('{"deleteMany":{}}', 'd');
    assert.equal(
      await insertMany('{"_id":1},5,{"_id":1},{"_id":2}'),
      `{"status":{"insertedIds":[1,2]},"errors":[${bad},${exists}[1]}]}`,
    );
    assert.equal(
      await insertMany('{"_id":1},{"_id":3},[]', '{"returnDocumentResponses":true}'),
      `{"status":{"documentResponses":[{"_id":1,"status":"ERROR","errorsIdx":0},{"_id":3,"status":"OK"},{"status":"ERROR","errorsIdx":1}]},"errors":[${exists}[1]},${bad}]}`,
    );
  });
  it('ordered: the first failure ends the command', async () => {
    await send('{"deleteMany":{}}', 'd');
    assert.equal(
      await insertMany('{"_id":1},{"_id":1},{"_id":2},5', '{"ordered":true,"returnDocumentResponses":true}'),
      `{"status":{"documentResponses":[{"_id":1,"status":"OK"},{"_id":1,"status":"ERROR","errorsIdx":0},{"_id":2,"status":"SKIPPED"},{"status":"SKIPPED"}]},"errors":[${exists}[1]}]}`,
    );
    assert.equal(
      await insertMany('5,{"_id":2}', '{"ordered":true}'),
      `{"status":{"insertedIds":[]},"errors":[${bad}]}`,
    );
    assert.equal(await send('{"countDocuments":{}}', 'd'), '{"status":{"count":1}}');
  });
  it('takes 1 to 100 documents', async () => {
    const many = (count: number) =>
      `{"insertMany":{"documents":[${Array.from({ length: count }, () => '{}').join(',')}]}}`;
    assert.equal(await codes(many(0), 'd'), 'COMMAND_FIELD_VALUE_INVALID');
    assert.equal(await codes(many(101), 'd'), 'COMMAND_FIELD_VALUE_INVALID');
    const reply = JSON.parse(await send(many(100), 'd')) as { status: { insertedIds: string[] } };
    assert.equal(new Set(reply.status.insertedIds).size, 100);
  });
  it('a text that cannot be embedded fails the whole command', async () => {
    await send('{"deleteMany":{}}', 'e');
    const text = await send('{"insertMany":{"documents":[{"_id":1},{"_id":2,"$vectorize":5}]}}', 'e');
    assert.ok(text.startsWith('{"errors":[{') && text.includes('"INVALID_VECTORIZE_VALUE_TYPE"'), text);
    assert.ok(!text.includes('"status"'), text);
    assert.equal(await send('{"countDocuments":{}}', 'e'), '{"status":{"count":0}}');
  });
});
