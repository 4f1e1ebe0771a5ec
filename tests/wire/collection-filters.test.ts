// Filters on documents, row by row of the contract: their grammar, their operators, and what each finds.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { collectionSteps, eachRow } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const steps = collectionSteps(useWireServer());
const { create, insert, ids, codes, send } = steps;
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const objectId = '507f1f77bcf86cd799439011';
const invalid = 'FILTER FILTER_INVALID_EXPRESSION';
const unsupported = 'FILTER FILTER_UNSUPPORTED_DATA_TYPE';

describe('filters on documents', () => {
  before(async () => {
    await create('c');
    await insert(
      'c',
      `{"_id":"a","v":1,"s":"x","n":{"m":1,"k":"b"},"t":["r","g",null],"price.usd":9,"b":true,"e":[]}`,
      `{"_id":"b","v":1.0e0,"s":"y","n":{"k":"b","m":1},"t":["g","r"],"price":{"usd":8},"b":false,"z":null}`,
      `{"_id":"c","v":"1","t":"r","items":[{"name":"p"},{"name":"q","o":[1,2]}],"o":{}}`,
      `{"_id":"d","v":[1,[2],{"x":1}],"w":{"$date":1000},"u":{"$uuid":"${uuid.toUpperCase()}"}}`,
      `{"_id":"e","w":{"$date":-5},"u":"${uuid}","l":[{"$date":7},{"$uuid":"${uuid}"},{"$objectId":"${objectId}"}]}`,
      `{"_id":"f","v":2.5,"bin":{"$binary":"AAAA"},"sub":{"at":{"$date":7},"who":{"$uuid":"${uuid}"}}}`,
    );
  });
  const finds = (filter: string) => ids('c', `"filter":${filter}`);
  const refuses = (filter: string) => codes(`{"find":{"filter":${filter}}}`, 'c');

  describe('their grammar (3.1)', () => {
    eachRow(
      [
        ['all members must hold', '{"v":1,"s":"x"}', '"a"'],
        ['a scalar is $eq', '{"s":"x"}', '"a"'],
        ['a wrapper is $eq', `{"u":{"$uuid":"${uuid}"}}`, '"d" "e"'],
        ['every operator must hold', '{"v":{"$gt":1,"$lt":3}}', '"f"'],
        ['a plain object is equality of a sub-document', '{"n":{"m":1,"k":"b"}}', '"a"'],
        ['$and joins filters', '{"$and":[{"v":1},{"s":"y"}]}', '"b"'],
        ['$or joins filters', '{"$or":[{"s":"x"},{"s":"y"}]}', '"a" "b"'],
        ['they nest', '{"$or":[{"$and":[{"v":1},{"$or":[{"s":"y"}]}]},{"$and":[{"v":"1"}]}]}', '"b" "c"'],
        ['null is not a filter', 'null', '"a" "b" "c" "d" "e" "f"'],
        ['nested empty parts are skipped', '{"$or":[{},{"s":"x"}],"$and":[{}],"$not":{}}', '"a"'],
      ],
      finds,
    );
    eachRow(
      [
        ['an array needs $eq', '{"t":["r"]}', invalid],
        ['operators beside members', '{"n":{"$gt":1,"m":1}}', invalid],
        ['a filter that is an array', '[]', unsupported],
        ['a filter that is a string', '"a"', unsupported],
        ['an unknown operator', '{"a":{"$regex":"x"}}', 'FILTER FILTER_UNSUPPORTED_OPERATOR'],
        ['$not at a path', '{"a":{"$not":{"$gt":1}}}', 'FILTER FILTER_UNSUPPORTED_OPERATOR'],
        ['operators below a name', '{"a":{"b":{"$eq":1}}}', invalid],
        ['a path that begins with $', '{"$x":1}', invalid],
        ['an empty path', '{"":1}', invalid],
        ['an empty part', '{"a..b":1}', invalid],
        ['a bad escape', '{"a&b":1}', invalid],
        ['a bad escape at the end', '{"a&":1}', invalid],
        ['$or of an object', '{"$or":{"a":1}}', invalid],
        ['$not of an array', '{"$not":[{"a":1}]}', invalid],
        ['a scalar in $and', '{"$and":[1]}', invalid],
        ['a scalar in $or', '{"$or":["a"]}', invalid],
        ['an array in $and', '{"$and":[[1]]}', unsupported],
        ['a bad wrapper as the operand', '{"f":{"$uuid":"x"}}', 'DOCUMENT SHRED_BAD_EJSON_VALUE'],
        ['a bad date in a list', '{"f":{"$in":[{"$date":"x"}]}}', invalid],
        [
          'more than 64 comparisons',
          `{"$or":[${Array.from({ length: 65 }, (_, at) => `{"a${at}":1}`).join(',')}]}`,
          'FILTER FILTER_FIELDS_LIMIT_VIOLATION',
        ],
        ['two comparisons of _id', '{"_id":{"$gt":"a","$lt":"c"}}', 'FILTER FILTER_MULTIPLE_ID_FILTER'],
        ['two of them in groups', '{"_id":"a","$and":[{"_id":"b"}]}', 'FILTER FILTER_MULTIPLE_ID_FILTER'],
        ['_id inside of $or', '{"$or":[{"_id":"a"},{"v":1}]}', invalid],
      ],
      refuses,
    );
    it('64 comparisons are allowed, and the values of $in are not counted', async () => {
      const list = Array.from({ length: 100 }, (_, at) => at).join(',');
      const others = Array.from({ length: 63 }, (_, at) => `{"a${at}":1}`).join(',');
      assert.equal(await finds(`{"$or":[{"v":{"$in":[${list}]}},${others}]}`), '"a" "b" "d"');
    });
  });

  describe('the operands of operators (3.2)', () => {
    const hundred = Array.from({ length: 101 }, (_, at) => at).join(',');
    eachRow(
      [
        ['$gt needs a scalar', '{"v":{"$gt":null}}', invalid],
        ['$gte needs a scalar', '{"v":{"$gte":[1]}}', invalid],
        ['$lt needs a scalar', '{"v":{"$lt":{"a":1}}}', invalid],
        ['$lte takes no uuid', `{"v":{"$lte":{"$uuid":"${uuid}"}}}`, invalid],
        ['$in needs an array', '{"v":{"$in":1}}', invalid],
        ['$nin needs an array', '{"v":{"$nin":"a"}}', invalid],
        ['$in takes at most 100 values', `{"v":{"$in":[${hundred}]}}`, invalid],
        ['$exists needs a boolean', '{"v":{"$exists":1}}', invalid],
        ['$all needs an array', '{"v":{"$all":1}}', invalid],
        ['$all needs a value', '{"v":{"$all":[]}}', invalid],
        ['$size needs an integer', '{"v":{"$size":1.5}}', invalid],
        ['$size is not negative', '{"v":{"$size":-1}}', invalid],
        ['$match is for $lexical', '{"v":{"$match":"a"}}', invalid],
        ['$match needs a string', '{"$lexical":{"$match":1}}', invalid],
      ],
      refuses,
    );
    for (const operator of ['$type', '$mod', '$elemMatch', '$contains', '$regex'])
      it(`there is no ${operator}`, async () =>
        assert.equal(await refuses(`{"v":{"${operator}":1}}`), 'FILTER FILTER_UNSUPPORTED_OPERATOR'));
    it('there is no $nor', async () => assert.equal(await refuses('{"$nor":[{"a":1}]}'), invalid));
    it('$size takes 2.0', async () => assert.equal(await finds('{"t":{"$size":2.0}}'), '"b"'));
  });

  describe('what they mean (3.3)', () => {
    eachRow(
      [
        ['a path leads through objects', '{"n.m":1}', '"a" "b"'],
        ['a numeric part is an index', '{"t.0":"r"}', '"a"'],
        ['a path continues behind an index', '{"items.1.name":"q"}', '"c"'],
        ['an array in an element', '{"items.1.o":2}', '"c"'],
        ['arrays of objects are not entered', '{"items.name":"p"}', ''],
        ['& escapes a dot', '{"price&.usd":9}', '"a"'],
        ['a dot leads into objects', '{"price.usd":8}', '"b"'],
        ['$eq of a number is numeric', '{"v":1e0}', '"a" "b" "d"'],
        ['$eq of a string is not that of a number', '{"v":"1"}', '"c"'],
        ['$eq of a scalar finds elements', '{"t":"r"}', '"a" "b" "c"'],
        ['$eq null finds null alone', '{"z":null}', '"b"'],
        ['$eq null does not find elements', '{"t":null}', ''],
        ['$eq of an array wants its order', '{"t":{"$eq":["g","r"]}}', '"b"'],
        ['$eq of an array is whole', '{"t":{"$eq":["r","g"]}}', ''],
        ['$eq of an empty array', '{"e":{"$eq":[]}}', '"a"'],
        ['$eq of an object wants its order', '{"n":{"$eq":{"k":"b","m":1}}}', '"b"'],
        ['$ne is all that $eq is not', '{"s":{"$ne":"x"}}', '"b" "c" "d" "e" "f"'],
        ['$ne null', '{"z":{"$ne":null}}', '"a" "c" "d" "e" "f"'],
        ['$ne of an array', '{"t":{"$ne":["g","r"]}}', '"a" "c" "d" "e" "f"'],
        ['$in is any $eq', '{"v":{"$in":["1",2.5,[1,[2],{"x":1}]]}}', '"c" "d" "f"'],
        ['$in of nothing finds nothing', '{"v":{"$in":[]}}', ''],
        ['$nin finds missing values', '{"s":{"$nin":["x","q"]}}', '"b" "c" "d" "e" "f"'],
        ['$nin of nothing finds all', '{"s":{"$nin":[]}}', '"a" "b" "c" "d" "e" "f"'],
        ['$all wants every element', '{"t":{"$all":["g","r"]}}', '"a" "b"'],
        ['$all compares arrays and objects', '{"v":{"$all":[[2],{"x":1}]}}', '"d"'],
        ['$all of a scalar field', '{"t":{"$all":["r","r"]}}', '"c" "a" "b"'.split(' ').toSorted().join(' ')],
        ['$size is of arrays', '{"t":{"$size":3}}', '"a"'],
        ['$size 0', '{"e":{"$size":0}}', '"a"'],
        ['$exists finds null', '{"z":{"$exists":true}}', '"b"'],
        ['$exists finds objects', '{"n":{"$exists":true}}', '"a" "b"'],
        ['$exists finds elements', '{"t.2":{"$exists":true}}', '"a"'],
        ['$exists false', '{"v":{"$exists":false}}', '"e"'],
        ['$gt of a number', '{"v":{"$gt":1}}', '"f"'],
        ['$gte of a number', '{"v":{"$gte":1}}', '"a" "b" "f"'],
        ['$lt of a string', '{"s":{"$lt":"y"}}', '"a"'],
        ['$lte of a string', '{"s":{"$lte":"y"}}', '"a" "b"'],
        ['$gt of a boolean', '{"b":{"$gt":false}}', '"a"'],
        ['$gte of a date', '{"w":{"$gte":{"$date":-5}}}', '"d" "e"'],
        ['$lt of a date', '{"w":{"$lt":{"$date":0}}}', '"e"'],
        ['a number is not a date', '{"w":{"$gt":0}}', ''],
        ['an empty $in adds nothing to $or', '{"$or":[{"v":{"$in":[]}},{"s":"x"}]}', '"a"'],
        ['an empty $nin makes $or true', '{"$or":[{"v":{"$nin":[]}},{"s":"x"}]}', '"a" "b" "c" "d" "e" "f"'],
        ['a uuid is its text', `{"u":"${uuid}"}`, '"d" "e"'],
        ['a date is of its own kind', '{"w":{"$date":1000}}', '"d"'],
      ],
      finds,
    );
  });

  describe('negation (3.4)', () => {
    eachRow(
      [
        ['$not of $eq', '{"$not":{"s":"x"}}', '"b" "c" "d" "e" "f"'],
        ['$not of $gt is $lte', '{"$not":{"v":{"$gt":1}}}', '"a" "b"'],
        ['$not of $lt is $gte', '{"$not":{"v":{"$lt":2}}}', '"f"'],
        ['$not of $in', '{"$not":{"s":{"$in":["x"]}}}', '"b" "c" "d" "e" "f"'],
        ['$not of $nin', '{"$not":{"s":{"$nin":["x"]}}}', '"a"'],
        ['$not of $exists', '{"$not":{"v":{"$exists":true}}}', '"e"'],
        ['$not of $size finds others', '{"$not":{"t":{"$size":2}}}', '"a" "c" "d" "e" "f"'],
        ['$not of $all', '{"$not":{"t":{"$all":["g","r"]}}}', '"c" "d" "e" "f"'],
        ['$not of several is an $or', '{"$not":{"v":1,"s":"x"}}', '"b" "c" "d" "e" "f"'],
        ['$not of $not', '{"$not":{"$not":{"s":"x"}}}', '"a"'],
        ['$not of $or', '{"$not":{"$or":[{"s":"x"},{"s":"y"}]}}', '"c" "d" "e" "f"'],
      ],
      finds,
    );
    it('refuses $match', async () =>
      assert.equal(await refuses('{"$not":{"$lexical":{"$match":"a"}}}'), invalid));
  });

  describe('settled (10.1, 12)', () => {
    for (const [row, filter, found] of [
      ['a filter on `{}`', '{"o":{}}', '"c"'],
      ['extended values in lists, arrays and objects', '{"l":{"$in":[{"$date":7}]}}', '"e"'],
      [
        'extended values in lists, arrays and objects',
        `{"l":{"$all":[{"$date":7},{"$objectId":"${objectId}"}]}}`,
        '"e"',
      ],
      [
        'extended values in lists, arrays and objects',
        `{"w":{"$nin":[{"$date":7},{"$date":-5}]},"u":"${uuid}"}`,
        '"d"',
      ],
      ['extended values in lists, arrays and objects', `{"l":{"$uuid":"${uuid}"}}`, '"e"'],
      [
        'extended values in lists, arrays and objects',
        `{"sub":{"at":{"$date":7},"who":{"$uuid":"${uuid}"}}}`,
        '"f"',
      ],
      [
        'extended values in lists, arrays and objects',
        `{"l":{"$eq":[{"$date":7},{"$uuid":"${uuid}"},{"$objectId":"${objectId}"}]}}`,
        '"e"',
      ],
      ['`$binary` outside of `$vector`', '{"bin":{"$binary":"AAAA"}}', '"f"'],
      ['ranges of arrays and objects', '{"t":{"$gt":""}}', '"c"'],
      ['ranges of arrays and objects', '{"n":{"$lt":"zzz"}}', ''],
      [
        '`$not` of groups',
        '{"$not":{"$and":[{"v":1},{"s":"x"}],"$or":[{"s":"y"},{"b":true}]}}',
        '"b" "c" "d" "e" "f"',
      ],
      ['`$not` of groups', '{"$not":{"$or":[{"s":"x"},{"s":"y"}],"$and":[{"v":1}]}}', '"c" "d" "e" "f"'],
      ['null in `$in` of documents', '{"t":{"$in":[null]}}', ''],
      ['null in `$in` of documents', '{"z":{"$in":[null,7]}}', '"b"'],
      ['empty `$and` and `$or` of documents', '{"$and":[],"$or":[],"s":"x"}', '"a"'],
    ] as const) {
      it(`${row}: ${filter}`, async () => assert.equal(await finds(filter), found));
    }
  });
});

describe('filters on _id (3.5)', () => {
  before(async () => {
    await create('i');
    await insert(
      'i',
      ...['"5"', '5', 'true', 'null', `{"$uuid":"${uuid.toUpperCase()}"}`, '{"$date":3}'].map(
        (id) => `{"_id":${id},"k":1}`,
      ),
      `{"_id":{"$objectId":"${objectId}"},"k":2}`,
    );
  });
  const shown = `{"$uuid":"${uuid.toUpperCase()}"}`;
  const finds = (filter: string) => ids('i', `"filter":${filter}`);
  eachRow(
    [
      ['$eq by type', '{"_id":"5"}', '"5"'],
      ['$eq of a number', '{"_id":5.0}', '5'],
      ['$eq of true', '{"_id":true}', 'true'],
      ['$eq of null', '{"_id":null}', 'null'],
      ['$eq of a date', '{"_id":{"$date":3}}', '{"$date":3}'],
      ['$eq of a uuid', `{"_id":{"$uuid":"${uuid}"}}`, shown],
      ['the text of a uuid', `{"_id":"${uuid}"}`, shown],
      ['$eq of an objectId', `{"_id":{"$objectId":"${objectId}"}}`, `{"$objectId":"${objectId}"}`],
      ['$in', `{"_id":{"$in":["5",null,{"$uuid":"${uuid}"}]}}`, `"5" null ${shown}`],
      ['$in of nothing', '{"_id":{"$in":[]}}', ''],
      ['$ne of a number', '{"_id":{"$ne":5},"k":2}', `{"$objectId":"${objectId}"}`],
      ['$nin of strings', '{"_id":{"$nin":["5"]},"k":2}', `{"$objectId":"${objectId}"}`],
      ['a range of numbers', '{"_id":{"$gte":5}}', '5'],
      ['a range of strings', '{"_id":{"$lt":"6"}}', `"5" {"$objectId":"${objectId}"}`],
      ['a range of dates', '{"_id":{"$gt":{"$date":2}}}', '{"$date":3}'],
      ['a range of booleans', '{"_id":{"$gt":false}}', 'true'],
      ['$exists', '{"_id":{"$exists":true},"k":2}', `{"$objectId":"${objectId}"}`],
    ],
    finds,
  );
  eachRow(
    [
      ['$ne of a uuid', `{"_id":{"$ne":{"$uuid":"${uuid}"}}}`, unsupported],
      ['$ne of true', '{"_id":{"$ne":true}}', unsupported],
      ['$nin of null', '{"_id":{"$nin":[null]}}', unsupported],
      ['a range of null', '{"_id":{"$gt":null}}', invalid],
    ],
    (filter) => codes(`{"find":{"filter":${filter}}}`, 'i'),
  );
  it('`_id` in ranges and counts: countDocuments of `$in` counts every id', async () => {
    assert.equal(
      await send('{"countDocuments":{"filter":{"_id":{"$in":["5",5,7]}}}}', 'i'),
      '{"status":{"count":2}}',
    );
    assert.equal(
      await send('{"countDocuments":{"filter":{"_id":{"$in":[]}}}}', 'i'),
      '{"status":{"count":0}}',
    );
    assert.equal(await finds(`{"_id":{"$gte":{"$uuid":"${uuid}"}}}`), shown);
  });
});

describe('filters on reserved fields and indexed paths (3.6)', () => {
  before(async () => {
    await create('r', '{"vector":{"dimension":2},"indexing":{"deny":["secret","sub.hidden"]}}');
    await create('allowed', '{"indexing":{"allow":["a","s.x"]}}');
    await create(
      'nothing',
      '{"vector":{"dimension":2},"lexical":{"enabled":false},"indexing":{"deny":["*"]}}',
    );
    await insert(
      'r',
      '{"_id":1,"$vector":[1,2],"$lexical":"the red fox","sub":{"a":1,"hidden":2},"secret":1}',
      '{"_id":2,"$lexical":"fox and red wine","a":1}',
      '{"_id":3,"$lexical":"a red hat"}',
      '{"_id":4,"$vector":{"$binary":"P4AAAEAAAAA="}}',
    );
    await insert('allowed', '{"_id":1,"a":{"b":2},"s":{"x":1,"y":1}}');
    await insert('nothing', '{"_id":1,"a":1}', '{"_id":2}');
  });
  eachRow(
    [
      ['$exists of $vector, in both spellings', '{"$vector":{"$exists":true}}', '1 4'],
      ['$exists of $vector beside another condition', '{"$vector":{"$exists":true},"sub.a":1}', '1'],
      ['$exists of $vector as an alternative', '{"$or":[{"$vector":{"$exists":true}},{"a":1}]}', '1 2 4'],
      ['$not of $exists of $vector', '{"$not":{"$vector":{"$exists":true}}}', '2 3'],
      ['$exists false of $vector', '{"$vector":{"$exists":false}}', '2 3'],
      ['$eq of $vector never matches', '{"$vector":{"$eq":[1,2]}}', ''],
      ['$match wants all words', '{"$lexical":{"$match":"red fox"}}', '1 2'],
      ['$match beside another condition', '{"$lexical":{"$match":"red fox"},"a":1}', '2'],
      ['members that are denied do not count', '{"sub":{"a":1}}', '1'],
    ],
    (filter) => ids('r', `"filter":${filter}`),
  );
  it('$exists of $vector selects documents for sorts, counts and updates', async () => {
    const filter = '"filter":{"$vector":{"$exists":true}}';
    assert.equal(await ids('r', `${filter},"sort":{"_id":-1}`, true), '4 1');
    assert.equal(await send(`{"countDocuments":{${filter}}}`, 'r'), '{"status":{"count":2}}');
    const update = `{"updateMany":{${filter},"update":{"$set":{"seen":true}}}}`;
    assert.equal(await send(update, 'r'), '{"status":{"matchedCount":2,"modifiedCount":2}}');
    const first = `{"findOneAndUpdate":{${filter},"sort":{"_id":-1},"update":{"$unset":{"seen":1}}}}`;
    assert.match(await send(first, 'r'), /^\{"data":\{"document":\{"_id":4,"seen":true\}\}/);
  });
  const unindexed = 'FILTER FILTER_PATH_UNINDEXED';
  eachRow(
    [
      ['$vector has no value', '{"$vector":5}', invalid],
      ['$vector has no array', '{"$vector":[1,2]}', invalid],
      ['$vectorize has no value', '{"$vectorize":"a"}', invalid],
      ['$lexical has only $match', '{"$lexical":{"$exists":true}}', invalid],
      ['$lexical has no value', '{"$lexical":"a"}', invalid],
      ['a denied path', '{"secret":1}', unindexed],
      ['below a denied path', '{"secret.x":1}', unindexed],
      ['a denied member of an operand', '{"sub":{"a":1,"hidden":2}}', unindexed],
    ],
    (filter) => codes(`{"find":{"filter":${filter}}}`, 'r'),
  );
  eachRow(
    [
      ['a path outside the list', '{"b":1}', unindexed],
      ['a parent of an allowed path', '{"s":{"$exists":true}}', unindexed],
      ['a path beside an allowed one', '{"s.y":1}', unindexed],
      ['_id $ne', '{"_id":{"$ne":1}}', 'FILTER FILTER_ID_NOT_INDEXED'],
      ['_id range', '{"_id":{"$gt":1}}', 'FILTER FILTER_ID_NOT_INDEXED'],
      ['_id $exists', '{"_id":{"$exists":true}}', 'FILTER FILTER_ID_NOT_INDEXED'],
    ],
    (filter) => codes(`{"find":{"filter":${filter}}}`, 'allowed'),
  );
  eachRow(
    [
      ['deny *: not even $vector', '{"$vector":{"$exists":true}}', unindexed],
      ['deny *: no path', '{"a":1}', unindexed],
      ['deny *: no $match', '{"$lexical":{"$match":"a"}}', 'SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION'],
    ],
    (filter) => codes(`{"find":{"filter":${filter}}}`, 'nothing'),
  );
  it('below an allowed path, and _id by key without an index', async () => {
    assert.equal(await ids('allowed', '"filter":{"a.b":2}'), '1');
    assert.equal(await ids('allowed', '"filter":{"s.x":1}'), '1');
    assert.equal(await ids('allowed', '"filter":{"_id":1}'), '1');
    assert.equal(await ids('nothing', '"filter":{"_id":{"$in":[1,2]}}'), '1 2');
  });
});
