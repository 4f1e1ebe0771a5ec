// Updates of documents, row by row of the contract: operators, paths, counts, upserts, replacements, deletions.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { collectionSteps, eachRow } from './collection-steps.js';
import { messagesIn, useWireServer } from './wire-server.js';

const made = (name: string, options: string): readonly [string, string] => [
  '/v1/default_keyspace',
  `{"createCollection":{"name":"${name}","options":${options}}}`,
];
const server = useWireServer({
  prepare: [
    made('u', '{"indexing":{"deny":["free"]}}'),
    made('v', '{"vector":{"service":{"provider":"colonnade","modelName":"hashed-ngrams"},"dimension":64}}'),
    made('w', '{"vector":{"dimension":2},"lexical":{"enabled":false}}'),
    made('o', '{"defaultId":{"type":"objectId"}}'),
  ],
});
const { insert, codes, send } = collectionSteps(server);
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

/** The document after an update, and what was counted. */
async function updated(document: string, update: string): Promise<string> {
  await send('{"deleteMany":{}}', 'u');
  await insert('u', document);
  const text = await send(`{"updateOne":{"filter":{},"update":${update}}}`, 'u');
  const [, matched, modified] = /"matchedCount":(\d+),"modifiedCount":(\d+)/.exec(text) ?? [
    undefined,
    '-',
    text,
  ];
  const found = await send('{"findOne":{"projection":{"*":1}}}', 'u');
  const [, after = ''] = /^\{"data":\{"document":\{"_id":1,?(.*)\}\}\}$/.exec(found) ?? [];
  return `{${after}} ${matched} ${modified}`;
}

describe('update operators (6.3)', () => {
  for (const [name, document, update, expected] of [
    ['$set assigns', '"a":1', '{"$set":{"a":2,"b":{"c":null}}}', '{"a":2,"b":{"c":null}} 1 1'],
    [
      '$set of the same',
      '"a":1,"b":[1,{"x":2}]',
      '{"$set":{"a":1.0,"b":[1e0,{"x":2}]}}',
      '{"a":1,"b":[1,{"x":2}]} 1 0',
    ],
    [
      '$set minds the order of members',
      '"a":{"x":1,"y":2}',
      '{"$set":{"a":{"y":2,"x":1}}}',
      '{"a":{"y":2,"x":1}} 1 1',
    ],
    ['$setOnInsert does nothing here', '"a":1', '{"$setOnInsert":{"a":2}}', '{"a":1} 1 0'],
    ['$unset removes', '"a":1,"b":2', '{"$unset":{"a":""}}', '{"b":2} 1 1'],
    ['$unset of an element is null', '"a":[1,2]', '{"$unset":{"a.0":1}}', '{"a":[null,2]} 1 1'],
    ['$unset of a missing path', '"a":1', '{"$unset":{"b":1,"a.x.y":1}}', '{"a":1} 1 0'],
    ['$inc adds', '"a":1', '{"$inc":{"a":2,"b":5}}', '{"a":3,"b":5} 1 1'],
    ['$inc is exact', '"a":0.1', '{"$inc":{"a":0.2}}', '{"a":0.3} 1 1'],
    ['$inc of large numbers', '"a":9007199254740993', '{"$inc":{"a":1}}', '{"a":9007199254740994} 1 1'],
    ['$inc by 0', '"a":1', '{"$inc":{"a":0}}', '{"a":1} 1 0'],
    ['$mul multiplies', '"a":1.5', '{"$mul":{"a":2,"b":7}}', '{"a":3,"b":0} 1 1'],
    ['$mul by 1', '"a":2', '{"$mul":{"a":1}}', '{"a":2} 1 0'],
    ['$min', '"a":3,"b":3', '{"$min":{"a":1,"b":5,"c":4}}', '{"a":1,"b":3,"c":4} 1 1'],
    ['$max', '"a":3,"b":3', '{"$max":{"a":1,"b":5,"c":4}}', '{"a":3,"b":5,"c":4} 1 1'],
    ['$max of equal values', '"a":3', '{"$max":{"a":3.0}}', '{"a":3} 1 0'],
    ['$push appends', '"a":[1]', '{"$push":{"a":2,"b":[3]}}', '{"a":[1,2],"b":[[3]]} 1 1'],
    ['$push $each', '"a":[1]', '{"$push":{"a":{"$each":[2,3]}}}', '{"a":[1,2,3]} 1 1'],
    ['$push $position', '"a":[1,2]', '{"$push":{"a":{"$each":[9],"$position":1}}}', '{"a":[1,9,2]} 1 1'],
    [
      '$push $position from the end',
      '"a":[1,2]',
      '{"$push":{"a":{"$each":[9],"$position":-1}}}',
      '{"a":[1,9,2]} 1 1',
    ],
    [
      '$push $position is clamped',
      '"a":[1]',
      '{"$push":{"a":{"$each":[9],"$position":99}}}',
      '{"a":[1,9]} 1 1',
    ],
    ['$push $each of nothing is a change', '"a":[1]', '{"$push":{"a":{"$each":[]}}}', '{"a":[1]} 1 1'],
    ['$push of a wrapper', '"a":[1]', '{"$push":{"a":{"$date":5}}}', '{"a":[1,{"$date":5}]} 1 1'],
    ['$addToSet', '"a":[1]', '{"$addToSet":{"a":2,"b":1}}', '{"a":[1,2],"b":[1]} 1 1'],
    [
      '$addToSet of a member',
      '"a":[1,{"x":1}]',
      '{"$addToSet":{"a":{"$each":[1.0,{"x":1}]}}}',
      '{"a":[1,{"x":1}]} 1 0',
    ],
    ['$addToSet adds once', '"a":[]', '{"$addToSet":{"a":{"$each":[1,1]}}}', '{"a":[1]} 1 1'],
    [
      '$addToSet adds what is written differently',
      '"a":[{"x":1,"y":[2]},"1"]',
      '{"$addToSet":{"a":{"$each":[{"x":1.0,"y":[2e0]},{"y":[2],"x":1},1,true,null,"null"]}}}',
      '{"a":[{"x":1,"y":[2]},"1",{"y":[2],"x":1},1,true,null,"null"]} 1 1',
    ],
    ['$pop last', '"a":[1,2]', '{"$pop":{"a":1}}', '{"a":[1]} 1 1'],
    ['$pop first', '"a":[1,2]', '{"$pop":{"a":-1}}', '{"a":[2]} 1 1'],
    ['$pop of nothing', '"a":[]', '{"$pop":{"a":1,"b":1}}', '{"a":[]} 1 0'],
    ['$rename moves', '"a":1,"b":2', '{"$rename":{"a":"c.d"}}', '{"b":2,"c":{"d":1}} 1 1'],
    ['$rename overwrites', '"a":1,"b":2', '{"$rename":{"a":"b"}}', '{"b":1} 1 1'],
    ['$rename of a missing path', '"a":1', '{"$rename":{"x":"y"}}', '{"a":1} 1 0'],
    ['an empty update', '"a":1', '{}', '{"a":1} 1 0'],
    [
      'operators in alphabetic order',
      '"a":[1]',
      '{"$unset":{"b":1},"$rename":{"a":"c"},"$push":{"d":1}}',
      '{"d":[1],"c":[1]} 1 1',
    ],
    ['paths in order', '"z":0', '{"$set":{"b":1,"a":2}}', '{"z":0,"a":2,"b":1} 1 1'],
  ] as const) {
    it(`${name}: ${update}`, async () =>
      assert.equal(await updated(`{"_id":1,${document}}`, update), expected));
  }

  const one = 'order of `$min` and `$max`';
  for (const [row, document, update, expected] of [
    [one, '"a":true', '{"$max":{"a":{"$date":1}}}', '{"a":{"$date":1}} 1 1'],
    [one, '"a":{"$date":5}', '{"$min":{"a":{"$date":4}}}', '{"a":{"$date":4}} 1 1'],
    [one, '"a":"s"', '{"$max":{"a":{"x":1}}}', '{"a":{"x":1}} 1 1'],
    [one, '"a":{"x":1}', '{"$max":{"a":[]}}', '{"a":[]} 1 1'],
    [one, '"a":[1,2]', '{"$max":{"a":[1,2,0]}}', '{"a":[1,2,0]} 1 1'],
    [one, '"a":null', '{"$min":{"a":0}}', '{"a":null} 1 0'],
    [one, '"a":[9]', '{"$max":{"a":false}}', '{"a":false} 1 1'],
  ] as const) {
    it(`${row}: ${update}`, async () =>
      assert.equal(await updated(`{"_id":1,${document}}`, update), expected));
  }

  it('$currentDate sets one instant, and always changes', async () => {
    const text = await updated('{"_id":1}', '{"$currentDate":{"a":true,"b":{"$type":"date"}}}');
    const [, first, second] = /^\{"a":\{"\$date":(\d+)\},"b":\{"\$date":(\d+)\}\} 1 1$/.exec(text) ?? [];
    assert.ok(first !== undefined && first === second, text);
  });
});

describe('paths of updates (6.2)', () => {
  for (const [name, document, update, expected] of [
    ['digits are a name in an object', '"a":{}', '{"$set":{"a.0":1}}', '{"a":{"0":1}} 1 1'],
    ['an index in an array', '"a":[1,2]', '{"$set":{"a.1":5}}', '{"a":[1,5]} 1 1'],
    ['objects are created', '"z":1', '{"$set":{"a.0.b":1}}', '{"z":1,"a":{"0":{"b":1}}} 1 1'],
    ['arrays are padded', '"a":[1]', '{"$set":{"a.3":5}}', '{"a":[1,null,null,5]} 1 1'],
    ['an object at a padded index', '"a":[]', '{"$set":{"a.1.x":5}}', '{"a":[null,{"x":5}]} 1 1'],
    ['& escapes a dot', '"a":1', '{"$set":{"b&.c":2}}', '{"a":1,"b.c":2} 1 1'],
    ['$pop of an unreachable path', '"a":1', '{"$pop":{"a.b":1}}', '{"a":1} 1 0'],
    ['$rename of an unreachable path', '"a":1', '{"$rename":{"a.b":"c"}}', '{"a":1} 1 0'],
  ] as const) {
    it(`${name}: ${update}`, async () =>
      assert.equal(await updated(`{"_id":1,${document}}`, update), expected));
  }
});

describe('updates that are refused', () => {
  const operation = 'UPDATE UNSUPPORTED_UPDATE_OPERATION';
  const operator = 'UPDATE UNSUPPORTED_UPDATE_OPERATOR';
  const type = 'UPDATE UNSUPPORTED_UPDATE_DATA_TYPE';
  before(async () => {
    await send('{"deleteMany":{}}', 'u');
    await insert('u', '{"_id":1,"a":1,"s":"x","n":null,"l":[1,{"m":1}],"o":{"p":1}}');
  });
  eachRow(
    [
      ['a list', '[]', type],
      ['a string', '"a"', type],
      ['null', 'null', 'COMMAND_FIELD_VALUE_INVALID'],
      ['a document', '{"a":1}', operation],
      ['$pullAll', '{"$pullAll":{"l":[1]}}', operation],
      ['$pull', '{"$pull":{"l":1}}', operation],
      ['$bit', '{"$bit":{"a":1}}', operation],
      ['an operand that is not an object', '{"$set":1}', type],
      ['the same path twice', '{"$set":{"a":1},"$inc":{"a":1}}', `${operation}_PARAM`],
      ['a path and its ancestor', '{"$set":{"o.p":1},"$unset":{"o":1}}', `${operation}_PARAM`],
      ['an empty part', '{"$set":{"a..b":1}}', `${operation}_PATH`],
      ['an empty path', '{"$set":{"":1}}', `${operation}_PATH`],
      ['a bad escape', '{"$set":{"a&b":1}}', `${operation}_PATH`],
      ['a name in an array', '{"$set":{"l.x":1}}', `${operation}_PATH`],
      ['an index that begins with 0', '{"$set":{"l.01":1}}', `${operation}_PATH`],
      ['a huge index', '{"$set":{"l.4294967296":1}}', `${operation}_PATH`],
      ['through a scalar', '{"$set":{"a.b":1}}', `${operation}_PATH`],
      ['through null', '{"$inc":{"n.b":1}}', `${operation}_PATH`],
      ['$inc by a string', '{"$inc":{"a":"1"}}', `${operation}_PARAM`],
      ['$inc of a string', '{"$inc":{"s":1}}', `${operation}_TARGET`],
      ['$inc of null', '{"$inc":{"n":1}}', `${operation}_TARGET`],
      ['$inc of a $ path', '{"$inc":{"$x":1}}', `${operation}_MODIFIER`],
      ['$mul by null', '{"$mul":{"a":null}}', `${operation}_PARAM`],
      ['$mul of a list', '{"$mul":{"l":1}}', `${operation}_TARGET`],
      ['$push to a scalar', '{"$push":{"a":1}}', `${operation}_TARGET`],
      ['$push $each no array', '{"$push":{"l":{"$each":1}}}', `${operation}_PARAM`],
      ['$push $position no integer', '{"$push":{"l":{"$each":[1],"$position":1.5}}}', `${operation}_PARAM`],
      ['$push $position alone', '{"$push":{"l":{"$position":1}}}', `${operation}_PARAM`],
      ['$push with another modifier', '{"$push":{"l":{"$each":[1],"$slice":1}}}', `${operation}_MODIFIER`],
      ['$addToSet to a scalar', '{"$addToSet":{"a":1}}', `${operation}_TARGET`],
      ['$addToSet $position', '{"$addToSet":{"l":{"$each":[1],"$position":1}}}', `${operation}_MODIFIER`],
      ['$addToSet $each no array', '{"$addToSet":{"l":{"$each":1}}}', `${operation}_PARAM`],
      ['$pop by 2', '{"$pop":{"l":2}}', `${operation}_PARAM`],
      ['$pop of a scalar', '{"$pop":{"a":1}}', `${operation}_TARGET`],
      ['$rename to a number', '{"$rename":{"a":1}}', `${operation}_PARAM`],
      ['$rename to the same', '{"$rename":{"a":"a"}}', `${operation}_PATH`],
      ['$rename of an element', '{"$rename":{"l.0":"x"}}', `${operation}_PATH`],
      ['$rename to an element', '{"$rename":{"a":"l.0"}}', `${operation}_PATH`],
      ['$currentDate false', '{"$currentDate":{"a":false}}', `${operation}_PARAM`],
      ['$currentDate of a timestamp', '{"$currentDate":{"a":{"$type":"timestamp"}}}', `${operation}_PARAM`],
      ['_id by $set', '{"$set":{"_id":2}}', `${operator}_FOR_DOC_ID`],
      ['_id by $rename', '{"$rename":{"_id":"x"}}', `${operator}_FOR_DOC_ID`],
      ['_id by $unset', '{"$unset":{"_id":1}}', `${operator}_FOR_DOC_ID`],
      ['$vector by $inc', '{"$inc":{"$vector":1}}', `${operator}_FOR_VECTOR`],
      ['$vectorize by $push', '{"$push":{"$vectorize":1}}', `${operator}_FOR_VECTORIZE`],
      ['$lexical by $max', '{"$max":{"$lexical":"a"}}', `${operator}_FOR_LEXICAL`],
      [
        '$vector and $vectorize',
        '{"$set":{"$vector":[1],"$vectorize":"a"}}',
        'SCHEMA INVALID_USAGE_OF_VECTORIZE',
      ],
      ['both by $unset', '{"$unset":{"$vector":1,"$vectorize":1}}', 'SCHEMA INVALID_USAGE_OF_VECTORIZE'],
      [
        '$vectorize without a service',
        '{"$set":{"$vectorize":"a"}}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED',
      ],
      [
        '$vectorize null without a service',
        '{"$set":{"$vectorize":null}}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED',
      ],
      ['$hybrid', '{"$set":{"$hybrid":"a"}}', `${operation}_MODIFIER`],
      ['a name that begins with $', '{"$set":{"b":{"$x":1}}}', 'DOCUMENT SHRED_BAD_FIELD_NAME'],
      ['a bad wrapper', '{"$set":{"b":{"$date":"x"}}}', 'DOCUMENT SHRED_BAD_EJSON_VALUE'],
      ['a limit', `{"$set":{"b":"${'x'.repeat(8_001)}"}}`, 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION'],
      [
        'a limit after $push',
        `{"$push":{"l":{"$each":[${'0,'.repeat(999)}0]}}}`,
        'DOCUMENT SHRED_DOC_LIMIT_VIOLATION',
      ],
    ],
    (update) => codes(`{"updateOne":{"filter":{"_id":1},"update":${update}}}`, 'u'),
  );
  it('an error names the reserved members that updates can change', async () => {
    const message = async (update: string) =>
      messagesIn(await send(`{"updateOne":{"filter":{"_id":1},"update":${update}}}`, 'u'));
    assert.match(
      await message('{"$set":{"$hybrid":"a"}}'),
      /\$set has the path "\$hybrid"; only inserts have "\$hybrid": set "\$vectorize" and "\$lexical"/,
    );
    for (const update of ['{"$set":{"$other":1}}', '{"$inc":{"$vector.0":1}}'])
      assert.match(
        await message(update),
        /paths that begin with "\$" are "\$lexical", "\$vector" and "\$vectorize", by \$set, \$setOnInsert, \$unset/,
      );
  });
  it('`$pop`: a number with a fraction is refused', async () => {
    const body = '{"updateOne":{"filter":{"_id":1},"update":{"$pop":{"l":1.9}}}}';
    assert.equal(await codes(body, 'u'), `${operation}_PARAM`);
  });
  it('on an error there is no status', async () => {
    const text = await send('{"updateOne":{"filter":{"_id":1},"update":{"$inc":{"s":1}}}}', 'u');
    assert.ok(!text.includes('"status"'), text);
  });
});

describe('vectors and texts in updates (6.4)', () => {
  const find = async (collection: string) => {
    const text = await send('{"findOne":{"projection":{"*":1}}}', collection);
    return text
      .replaceAll(/"\$vector":\[[^\]]{60,}\]/g, '"$vector":[…]')
      .slice('{"data":{"document":'.length, -2);
  };
  const update = async (collection: string, clause: string) => {
    await send(`{"updateOne":{"filter":{"_id":1},"update":${clause}}}`, collection);
    return find(collection);
  };
  it('$set $vector removes $vectorize, and $unset of either removes both', async () => {
    await insert('v', '{"_id":1,"$vectorize":"a fox"}');
    assert.equal(await find('v'), '{"_id":1,"$vectorize":"a fox","$vector":[…]}');
    const zeros = Array.from({ length: 64 }, (_, at) => (at === 0 ? 1 : 0)).join(',');
    assert.equal(await update('v', `{"$set":{"$vector":[${zeros}]}}`), '{"_id":1,"$vector":[…]}');
    assert.equal(
      await update('v', '{"$set":{"$vectorize":"a hen"}}'),
      '{"_id":1,"$vector":[…],"$vectorize":"a hen"}',
    );
    assert.equal(await update('v', '{"$unset":{"$vectorize":1}}'), '{"_id":1}');
    assert.equal(
      await update('v', '{"$set":{"$vectorize":" "}}'),
      '{"_id":1,"$vectorize":" ","$vector":null}',
    );
    assert.equal(await update('v', '{"$unset":{"$vector":1}}'), '{"_id":1}');
  });
  it('$set of the same $vectorize changes nothing', async () => {
    await update('v', '{"$set":{"$vectorize":"a hen"}}');
    assert.equal(
      await send('{"updateOne":{"filter":{"_id":1},"update":{"$set":{"$vectorize":"a hen"}}}}', 'v'),
      '{"status":{"matchedCount":1,"modifiedCount":0}}',
    );
  });
  it('updateMany embeds for each document', async () => {
    await insert('v', '{"_id":2}');
    assert.equal(
      await send('{"updateMany":{"filter":{},"update":{"$set":{"$vectorize":"an owl"}}}}', 'v'),
      '{"status":{"matchedCount":2,"modifiedCount":2}}',
    );
    const text = await send(
      '{"find":{"sort":{"$vectorize":"an owl"},"options":{"includeSimilarity":true},"projection":{"_id":1}}}',
      'v',
    );
    assert.equal((text.match(/"\$similarity":1\.0[,}]/g) ?? []).length, 2, text);
  });
  it('$vector null is allowed, and another dimension is not', async () => {
    await insert('w', '{"_id":1,"$vector":[1,2]}');
    const other = '{"updateOne":{"filter":{"_id":1},"update":{"$set":{"$vector":[1]}}}}';
    assert.equal(await codes(other, 'w'), 'DOCUMENT INVALID_VECTOR_LENGTH');
    assert.equal(await update('w', '{"$set":{"$vector":null}}'), '{"_id":1,"$vector":null}');
    assert.equal(
      await codes('{"updateOne":{"filter":{"_id":1},"update":{"$set":{"$vectorize":5}}}}', 'v'),
      'DOCUMENT INVALID_VECTORIZE_VALUE_TYPE',
    );
  });
  it('$lexical is refused where it is not enabled, and indexed again where it is', async () => {
    const set = '{"updateOne":{"filter":{"_id":1},"update":{"$set":{"$lexical":"owl"}}}}';
    assert.equal(await codes(set, 'w'), 'SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION');
    await send(set, 'v');
    assert.equal(
      await send('{"countDocuments":{"filter":{"$lexical":{"$match":"owl"}}}}', 'v'),
      '{"status":{"count":1}}',
    );
    await send(
      '{"updateMany":{"filter":{"$lexical":{"$match":"owl"}},"update":{"$unset":{"$lexical":1}}}}',
      'v',
    );
    assert.equal(
      await send('{"countDocuments":{"filter":{"$lexical":{"$match":"owl"}}}}', 'v'),
      '{"status":{"count":0}}',
    );
  });
  it('a `$vector` in a collection without vectors is kept in the document', async () => {
    assert.equal(await updated('{"_id":1}', '{"$set":{"$vector":[1,2]}}'), '{"$vector":[1,2]} 1 1');
  });
});

describe('upserts (6.5)', () => {
  /** The document that an upsert makes, without a generated id. */
  async function upserted(filter: string, update: string, more = ''): Promise<string> {
    await send('{"deleteMany":{}}', 'u');
    const options = '"options":{"upsert":true,"returnDocument":"after"}';
    const body = `{"findOneAndUpdate":{"filter":${filter},"update":${update}${more},${options}}}`;
    const text = await send(body, 'u');
    const [, document] =
      /^\{"data":\{"document":(.*)\},"status":\{"upsertedId":.*,"matchedCount":0,"modifiedCount":0\}\}$/.exec(
        text,
      ) ?? [];
    return (document ?? text).replace(/"_id":"[0-9a-f-]{36}",?/, '');
  }
  for (const [name, filter, update, expected] of [
    [
      'equalities are copied',
      '{"a":1,"b":{"$eq":"x"},"c":null}',
      '{"$set":{"d":2}}',
      '{"a":1,"b":"x","c":null,"d":2}',
    ],
    ['dotted paths are nested', '{"a.b":1,"a.c":2}', '{}', '{"a":{"b":1,"c":2}}'],
    ['arrays and sub-documents', '{"a":{"$eq":[1,[2]]},"b":{"c":[1]}}', '{}', '{"a":[1,[2]],"b":{"c":[1]}}'],
    ['other operators are not copied', '{"a":{"$gt":1},"b":{"$in":[1]},"c":{"$exists":false}}', '{}', '{}'],
    ['$or and $not are not copied', '{"$or":[{"a":1},{"b":1}],"$not":{"c":1}}', '{}', '{}'],
    [
      'operators are applied',
      '{"a":1}',
      '{"$inc":{"a":2},"$push":{"l":1},"$setOnInsert":{"n":1}}',
      '{"a":3,"l":[1],"n":1}',
    ],
    ['_id of the filter', '{"_id":7}', '{"$set":{"a":1}}', '{"_id":7,"a":1}'],
    ['_id of an $in with one id', '{"_id":{"$in":["x"]}}', '{"$set":{"a":1}}', '{"_id":"x","a":1}'],
    ['_id of $setOnInsert', '{"_id":7}', '{"$setOnInsert":{"_id":8}}', '{"_id":8}'],
    ['_id as a wrapper', `{"_id":{"$uuid":"${uuid}"}}`, '{}', `{"_id":{"$uuid":"${uuid}"}}`],
  ] as const) {
    it(`${name}: ${filter}`, async () => assert.equal(await upserted(filter, update), expected));
  }
  for (const [filter, update, expected] of [
    ['{"$and":[{"a":1},{"$and":[{"b":2}]}]}', '{}', '{"a":1,"b":2}'],
    ['{"a":{"$ne":null},"b":{"$ne":[1]}}', '{}', '{}'],
    ['{"$lexical":{"$match":"red"}}', '{"$set":{"a":1}}', '{"a":1}'],
    [`{"a":{"$uuid":"${uuid}"},"b":{"$date":5}}`, '{}', `{"a":{"$uuid":"${uuid}"},"b":{"$date":5}}`],
    ['{"_id":{"$in":["x","y"]}}', '{"$set":{"a":1}}', '{"a":1}'],
  ] as const) {
    it(`what upserts copy: ${filter}`, async () => assert.equal(await upserted(filter, update), expected));
  }
  it('work with a sort, and with a search', async () => {
    assert.equal(await upserted('{"a":1}', '{"$set":{"b":1}}', ',"sort":{"a":1}'), '{"a":1,"b":1}');
    await send('{"deleteMany":{}}', 'w');
    const text = await send(
      '{"findOneAndUpdate":{"filter":{"_id":9},"sort":{"$vector":[1,0]},"update":{"$setOnInsert":{"$vector":{"$binary":"P4AAAD+AAAA="}}},"options":{"upsert":true,"returnDocument":"after"},"projection":{"*":1}}}',
      'w',
    );
    assert.equal(
      text,
      '{"data":{"document":{"_id":9,"$vector":{"$binary":"P4AAAD+AAAA="}}},"status":{"upsertedId":9,"matchedCount":0,"modifiedCount":0}}',
    );
  });
  it('write nothing if the new id exists', async () => {
    await send('{"deleteMany":{}}', 'u');
    await insert('u', '{"_id":1,"a":1}');
    for (const command of [
      '{"updateOne":{"filter":{"a":2},"update":{"$setOnInsert":{"_id":1}},"options":{"upsert":true}}}',
      '{"updateOne":{"filter":{"_id":1,"a":2},"update":{"$set":{"b":1}},"options":{"upsert":true}}}',
      '{"updateOne":{"filter":{"_id":5},"update":{"$setOnInsert":{"_id":1}},"options":{"upsert":true}}}',
    ])
      assert.equal(await send(command, 'u'), '{"status":{"matchedCount":0,"modifiedCount":0}}');
    assert.equal(
      await send('{"find":{}}', 'u'),
      '{"data":{"documents":[{"_id":1,"a":1}],"nextPageState":null}}',
    );
  });
  it('write nothing if a search does not find the document with the new id', async () => {
    await send('{"deleteMany":{}}', 'v');
    await insert('v', '{"_id":1,"$lexical":"y"}');
    for (const sort of ['{"$lexical":"x"}', '{"$vectorize":"x"}'])
      assert.equal(
        await send(
          `{"updateOne":{"filter":{"_id":1},"sort":${sort},"update":{"$set":{"b":1}},"options":{"upsert":true}}}`,
          'v',
        ),
        '{"status":{"matchedCount":0,"modifiedCount":0}}',
      );
  });
  it('give ids of the collection, as wrappers', async () => {
    const text = await send('{"updateOne":{"filter":{"a":1},"update":{},"options":{"upsert":true}}}', 'o');
    assert.match(
      text,
      /^\{"status":\{"upsertedId":\{"\$objectId":"[0-9a-f]{24}"\},"matchedCount":0,"modifiedCount":0\}\}$/,
    );
  });
  it('are validated as new documents', async () =>
    assert.equal(
      await codes(
        '{"updateOne":{"filter":{"_id":""},"update":{"$set":{"_x":1}},"options":{"upsert":true}}}',
        'u',
      ),
      'DOCUMENT SHRED_BAD_DOCID_VALUE',
    ));
});

describe('updateMany (1.8)', () => {
  const updateMany = (members: string) => send(`{"updateMany":{${members}}}`, 'u');
  before(async () => {
    await send('{"deleteMany":{}}', 'u');
    const documents = Array.from(
      { length: 101 },
      (_, at) => `{"_id":${at},"k":1,"n":${at === 60 ? '"x"' : at}}`,
    );
    await insert('u', ...documents.slice(0, 100));
    await insert('u', ...documents.slice(100));
  });
  it('changes 50 documents in a page', async () => {
    const counts: string[] = [];
    let state: string | undefined = '';
    while (state !== undefined) {
      const given: string = state === '' ? '' : `,"options":{"pageState":"${state}"}`;
      const text = await updateMany(`"filter":{"k":1},"update":{"$set":{"a":1}}${given}`);
      counts.push(text.replace(/"nextPageState":"[^"]+"/, '"nextPageState":…'));
      state = /"nextPageState":"([^"]+)"/.exec(text)?.[1];
    }
    assert.deepEqual(counts, [
      '{"status":{"matchedCount":50,"modifiedCount":50,"moreData":true,"nextPageState":…}}',
      '{"status":{"matchedCount":50,"modifiedCount":50,"moreData":true,"nextPageState":…}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    ]);
  });
  it('counts unchanged documents as matched', async () =>
    assert.equal(
      await updateMany('"filter":{"_id":{"$in":[1,2]}},"update":{"$max":{"n":2}}'),
      '{"status":{"matchedCount":2,"modifiedCount":1}}',
    ));
  it('an error of updateMany: has the counts of the documents before', async () => {
    const text = await updateMany(
      '"filter":{"n":{"$nin":[-1]},"_id":{"$in":[58,59,60,61]}},"update":{"$inc":{"n":1000}}',
    );
    assert.match(text, /^\{"status":\{"matchedCount":2,"modifiedCount":2\},"errors":\[\{.*_TARGET/);
  });
  it('upserts only once', async () => {
    assert.equal(
      await updateMany('"filter":{"_id":"new"},"update":{"$set":{"a":1}},"options":{"upsert":true}'),
      '{"status":{"upsertedId":"new","matchedCount":0,"modifiedCount":0}}',
    );
    assert.equal(
      await updateMany('"filter":{"_id":"no"},"update":{"$set":{"a":1}}'),
      '{"status":{"matchedCount":0,"modifiedCount":0}}',
    );
  });
  it('upserts of updateMany: never with a page state', async () => {
    const first = await updateMany('"filter":{"k":1},"update":{"$set":{"b":1}},"options":{"upsert":true}');
    const state = /"nextPageState":"([^"]+)"/.exec(first)?.[1];
    await send('{"deleteMany":{}}', 'u');
    assert.equal(
      await updateMany(
        `"filter":{"k":1},"update":{"$set":{"b":1}},"options":{"upsert":true,"pageState":"${state}"}`,
      ),
      '{"status":{"matchedCount":0,"modifiedCount":0}}',
    );
    assert.equal(await send('{"countDocuments":{}}', 'u'), '{"status":{"count":0}}');
  });
});

describe('find and modify (1.9, 1.10)', () => {
  const restart = async (...documents: readonly string[]) => {
    await send('{"deleteMany":{}}', 'u');
    if (documents.length > 0) await insert('u', ...documents);
  };
  const expect = async (body: string, reply: string) => assert.equal(await send(body, 'u'), reply);
  it('findOneAndUpdate gives the document before or after', async () => {
    await restart('{"_id":1,"a":1,"b":2}');
    const counts = '"status":{"matchedCount":1,"modifiedCount":1}';
    const update = (more: string) =>
      `{"findOneAndUpdate":{"filter":{"_id":1},"update":{"$inc":{"a":1}}${more}}}`;
    await expect(update(''), `{"data":{"document":{"_id":1,"a":1,"b":2}},${counts}}`);
    await expect(
      update(',"options":{"returnDocument":"after"},"projection":{"a":1,"_id":0}'),
      `{"data":{"document":{"a":3}},${counts}}`,
    );
    await expect(
      '{"findOneAndUpdate":{"filter":{"_id":1},"update":{"$set":{"a":3}}}}',
      '{"data":{"document":{"_id":1,"a":3,"b":2}},"status":{"matchedCount":1,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndUpdate":{"filter":{"_id":2},"update":{"$set":{"a":3}}}}',
      '{"data":{"document":null},"status":{"matchedCount":0,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndUpdate":{"filter":{"_id":2},"update":{"$set":{"a":3}},"options":{"upsert":true}}}',
      '{"data":{"document":null},"status":{"upsertedId":2,"matchedCount":0,"modifiedCount":0}}',
    );
  });
  it('choose the first document of the sort', async () => {
    await restart('{"_id":1,"a":3}', '{"_id":2,"a":1}', '{"_id":3,"a":2}');
    await expect(
      '{"findOneAndUpdate":{"sort":{"a":1},"update":{"$set":{"x":1}},"projection":{"_id":1,"a":0}}}',
      '{"data":{"document":{"_id":2}},"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expect('{"deleteOne":{"filter":{},"sort":{"a":-1}}}', '{"status":{"deletedCount":1}}');
    await expect(
      '{"updateOne":{"filter":{},"sort":{"a":-1},"update":{"$set":{"a":9}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expect(
      '{"findOneAndDelete":{"sort":{"a":-1}}}',
      '{"data":{"document":{"_id":3,"a":9}},"status":{"deletedCount":1}}',
    );
    await expect(
      '{"findOneAndDelete":{"filter":{"_id":77}}}',
      '{"data":{"document":null},"status":{"deletedCount":0}}',
    );
    await expect('{"deleteOne":{"filter":{"_id":77}}}', '{"status":{"deletedCount":0}}');
  });
  it('findOneAndReplace keeps the _id, and nothing else', async () => {
    await restart('{"_id":1,"a":1,"$lexical":"w"}');
    await expect(
      '{"findOneAndReplace":{"filter":{"a":1},"replacement":{"b":2},"options":{"returnDocument":"after"},"projection":{"*":1}}}',
      '{"data":{"document":{"_id":1,"b":2}},"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expect(
      '{"findOneAndReplace":{"filter":{"_id":1},"replacement":{"_id":1,"b":2.0},"projection":{"*":0}}}',
      '{"data":{"document":{}},"status":{"matchedCount":1,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndReplace":{"filter":{"_id":1},"replacement":{}}}',
      '{"data":{"document":{"_id":1,"b":2}},"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expect('{"findOne":{"projection":{"*":1}}}', '{"data":{"document":{"_id":1}}}');
  });
  it('a number of as many digits as are allowed stays in a document that is changed', async () => {
    const literal = `${'123456789'.repeat(11).slice(0, 96)}e999`;
    await restart(`{"_id":8,"n":${literal}}`);
    await expect(
      '{"updateOne":{"filter":{"_id":8},"update":{"$set":{"b":1}}}}',
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await expect(`{"countDocuments":{"filter":{"n":${literal}}}}`, '{"status":{"count":1}}');
  });
  it('findOneAndReplace inserts', async () => {
    await restart();
    await expect(
      '{"findOneAndReplace":{"filter":{"_id":5,"a":1},"replacement":{"b":2},"options":{"upsert":true,"returnDocument":"after"}}}',
      '{"data":{"document":{"_id":5,"b":2}},"status":{"upsertedId":5,"matchedCount":0,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndReplace":{"filter":{"a":1},"replacement":{"_id":6,"b":2},"options":{"upsert":true}}}',
      '{"data":{"document":null},"status":{"upsertedId":6,"matchedCount":0,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndReplace":{"filter":{"_id":null},"replacement":{"b":2},"options":{"upsert":true}}}',
      '{"data":{"document":null},"status":{"upsertedId":null,"matchedCount":0,"modifiedCount":0}}',
    );
    await expect(
      '{"findOneAndReplace":{"filter":{"a":1},"replacement":{"b":2}}}',
      '{"data":{"document":null},"status":{"matchedCount":0,"modifiedCount":0}}',
    );
  });
  eachRow(
    [
      [
        'another _id',
        '"filter":{"_id":5},"replacement":{"_id":7}',
        'DOCUMENT DOCUMENT_REPLACE_DIFFERENT_DOCID',
      ],
      [
        'an _id of another kind',
        '"filter":{"_id":5},"replacement":{"_id":"5"}',
        'DOCUMENT DOCUMENT_REPLACE_DIFFERENT_DOCID',
      ],
      [
        'another _id in an upsert',
        '"filter":{"_id":99},"replacement":{"_id":98},"options":{"upsert":true}',
        'DOCUMENT DOCUMENT_REPLACE_DIFFERENT_DOCID',
      ],
      ['$hybrid', '"replacement":{"$hybrid":"a"}', 'DOCUMENT SHRED_BAD_FIELD_NAME'],
      [
        '$vector and $vectorize',
        '"replacement":{"$vector":[1],"$vectorize":"a"}',
        'SCHEMA INVALID_USAGE_OF_VECTORIZE',
      ],
      ['a list', '"replacement":[]', 'REQUEST_STRUCTURE_MISMATCH'],
      ['none', '"filter":{}', 'COMMAND_FIELD_VALUE_INVALID'],
      [
        'a bad returnDocument',
        '"replacement":{},"options":{"returnDocument":"both"}',
        'COMMAND_FIELD_VALUE_INVALID',
      ],
    ],
    (members) => codes(`{"findOneAndReplace":{${members}}}`, 'u'),
  );
  it('a replacement of an id as a string is not that of a uuid', async () => {
    await restart(`{"_id":{"$uuid":"${uuid}"},"a":1}`);
    const body = `{"findOneAndReplace":{"filter":{"a":1},"replacement":{"_id":"${uuid}"}}}`;
    assert.equal(await codes(body, 'u'), 'DOCUMENT DOCUMENT_REPLACE_DIFFERENT_DOCID');
  });
  it('a replacement with the same `$vectorize`: counts as no change', async () => {
    await send('{"deleteMany":{}}', 'v');
    await insert('v', '{"_id":1,"$vectorize":"a fox"}');
    assert.equal(
      await send('{"findOneAndReplace":{"filter":{"_id":1},"replacement":{"$vectorize":"a fox"}}}', 'v'),
      '{"data":{"document":{"_id":1}},"status":{"matchedCount":1,"modifiedCount":0}}',
    );
    const text = await send(
      '{"findOneAndReplace":{"filter":{"_id":1},"replacement":{"$vectorize":"an owl"},"options":{"returnDocument":"after"},"projection":{"$vectorize":1}}}',
      'v',
    );
    assert.ok(text.includes('"document":{"_id":1,"$vectorize":"an owl"}'), text);
  });
  it('deleteMany deletes 20 documents at a time, and all without a filter', async () => {
    await restart(...Array.from({ length: 41 }, (_, at) => `{"_id":${at},"k":1}`));
    const deleteMany = '{"deleteMany":{"filter":{"k":1}}}';
    await expect(deleteMany, '{"status":{"deletedCount":20,"moreData":true}}');
    await expect(deleteMany, '{"status":{"deletedCount":20,"moreData":true}}');
    await expect(deleteMany, '{"status":{"deletedCount":1}}');
    await expect(deleteMany, '{"status":{"deletedCount":0}}');
    for (const members of ['', '"filter":null', '"filter":{}']) {
      await restart('{"_id":1}');
      await expect(`{"deleteMany":{${members}}}`, '{"status":{"deletedCount":-1}}');
      await expect('{"countDocuments":{}}', '{"status":{"count":0}}');
    }
    await restart('{"_id":1}');
    await expect('{"deleteMany":{"filter":{"a":{}}}}', '{"status":{"deletedCount":0}}');
  });
});
