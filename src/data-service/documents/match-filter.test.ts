// What filters match, for every operator and kind of value.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, JsonNumber, type JsonObject } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { analyzerOf } from '../text-analysis/parse-analyzer.js';
import { parseIndexing } from './indexing.js';
import { matchesDocument } from './match-filter.js';
import { packFilter, unpackFilter } from './pack-filter.js';
import { parseDocumentFilter } from './parse-document-filter.js';

const limits = { maxDepth: 1_000, maxNumberLength: 100 };
const analyzer = analyzerOf('"standard"');

function parsed(text: string): JsonObject {
  const json = parseJson(text, limits);
  assert.ok(json !== null && isJsonObject(json));
  return json;
}

function matches(filterText: string, documentText: string, indexing?: string): boolean {
  const { filter } = parseDocumentFilter(parsed(filterText), {
    keyspace: 'k',
    table: 'c',
    lexical: 'enabled',
    indexing: indexing === undefined ? undefined : parseIndexing(parsed(indexing)),
  });
  const document = parsed(documentText);
  const found = matchesDocument(filter, document, analyzer);
  // The filter is used again, and the one that another thread reads.
  assert.equal(matchesDocument(filter, document, analyzer), found);
  const unpacked = unpackFilter(packFilter(filter));
  assert.deepEqual(unpacked, filter);
  assert.equal(matchesDocument(unpacked, document, analyzer), found);
  return found;
}

type Row = readonly [filter: string, matching: readonly string[], others: readonly string[]];

function describeRows(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [filter, matching, others] of rows) {
      it(filter, () => {
        const found = [...matching, ...others].filter((document) => matches(filter, document));
        assert.deepEqual(found, matching);
      });
    }
  });
}

const uuid = '{"$uuid":"0e1c5c2a-7c70-4b61-9d3e-0A1B2C3D4E5F"}';
const lowerUuid = '"0e1c5c2a-7c70-4b61-9d3e-0a1b2c3d4e5f"';
const objectId = '{"$objectId":"65F0C0FFEE65F0C0FFEE65F0"}';

describeRows('$eq', [
  [
    '{"a":1}',
    ['{"a":1}', '{"a":1.0}', '{"a":1e0}', '{"a":[0,1]}'],
    ['{"a":2}', '{"a":"1"}', '{}', '{"a":[[1]]}'],
  ],
  ['{"a":{"$eq":100}}', ['{"a":1e2}', '{"a":100.00}', '{"a":1E+2}'], ['{"a":1e3}']],
  ['{"a":0}', ['{"a":-0}', '{"a":0.0}', '{"a":0e5}'], ['{"a":null}', '{"a":false}']],
  [
    '{"a":123456789012345678901234567890.5}',
    ['{"a":123456789012345678901234567890.50}'],
    ['{"a":123456789012345678901234567890.4}'],
  ],
  ['{"a":"x"}', ['{"a":"x"}', '{"a":["y","x"]}'], ['{"a":"X"}', '{"a":{"x":1}}', '{}']],
  ['{"a":true}', ['{"a":true}', '{"a":[true]}'], ['{"a":false}', '{"a":1}', '{"a":"true"}']],
  ['{"a":null}', ['{"a":null}'], ['{}', '{"a":[null]}', '{"a":0}', '{"a":{}}']],
  [
    '{"a":{"$date":5}}',
    ['{"a":{"$date":5}}', '{"a":[{"$date":5}]}'],
    ['{"a":5}', '{"a":{"$date":6}}', '{"a":{"b":5}}'],
  ],
  [
    `{"a":${uuid}}`,
    [`{"a":${uuid}}`, `{"a":${lowerUuid}}`, `{"a":[1,${uuid}]}`],
    ['{"a":"0e1c5c2a-7c70-4b61-9d3e-0A1B2C3D4E5F"}'],
  ],
  [`{"a":${objectId}}`, [`{"a":${objectId}}`, '{"a":"65f0c0ffee65f0c0ffee65f0"}'], ['{"a":null}']],
  ['{"a":{"$binary":"AAEC"}}', ['{"a":{"$binary":"AAEC"}}', '{"a":"AAEC"}'], ['{"a":{"$binary":"AAED"}}']],
  [
    '{"a":{"$eq":[1,2]}}',
    ['{"a":[1,2]}', '{"a":[1.0,2e0]}'],
    ['{"a":[2,1]}', '{"a":[1,2,3]}', '{"a":[[1,2]]}', '{"a":1}'],
  ],
  ['{"a":{"$eq":[]}}', ['{"a":[]}'], ['{}', '{"a":null}', '{"a":{}}', '{"a":[[]]}']],
  [
    '{"a":{"x":1,"y":2}}',
    ['{"a":{"x":1,"y":2.0}}'],
    ['{"a":{"y":2,"x":1}}', '{"a":{"x":1}}', '{"a":{"x":1,"y":2,"z":3}}', '{"a":[{"x":1,"y":2}]}'],
  ],
  ['{"a":{}}', ['{"a":{}}'], ['{}', '{"a":{"x":1}}', '{"a":[]}', '{"a":null}']],
  ['{"a":{"$eq":{}}}', ['{"a":{}}'], ['{}', '{"a":1}']],
  [`{"a":{"$eq":[${uuid}]}}`, [`{"a":[${uuid}]}`, `{"a":[${lowerUuid}]}`], ['{"a":[1]}']],
  ['{"a":{"x":{"$date":5}}}', ['{"a":{"x":{"$date":5}}}'], ['{"a":{"x":5}}']],
]);

describeRows('$ne', [
  ['{"a":{"$ne":1}}', ['{}', '{"a":2}', '{"a":null}', '{"a":[2]}'], ['{"a":1}', '{"a":1.0}', '{"a":[1,2]}']],
  ['{"a":{"$ne":null}}', ['{}', '{"a":1}', '{"a":[null]}'], ['{"a":null}']],
  ['{"a":{"$ne":[1]}}', ['{}', '{"a":1}', '{"a":[1,1]}'], ['{"a":[1]}']],
  ['{"a":{"$ne":{"x":1}}}', ['{}', '{"a":{"x":2}}', '{"a":[{"x":1}]}'], ['{"a":{"x":1}}']],
]);

describeRows('$in', [
  [
    '{"a":{"$in":[1,"x",null]}}',
    ['{"a":1}', '{"a":"x"}', '{"a":null}', '{"a":[5,1]}'],
    ['{}', '{"a":[null]}', '{"a":2}'],
  ],
  ['{"a":{"$in":[]}}', [], ['{}', '{"a":null}', '{"a":[]}', '{"a":1}']],
  [
    '{"a":{"$in":[[1],{"b":2}]}}',
    ['{"a":[1]}', '{"a":{"b":2}}'],
    ['{"a":1}', '{"a":[[1]]}', '{"a":[{"b":2}]}'],
  ],
  [
    '{"a":{"$in":[{"$date":5},true]}}',
    ['{"a":{"$date":5}}', '{"a":[{"$date":5}]}', '{"a":true}'],
    ['{"a":5}', '{"a":false}'],
  ],
  [`{"a":{"$in":[${uuid},1e2]}}`, [`{"a":${uuid}}`, `{"a":[${lowerUuid}]}`, '{"a":100}'], ['{"a":1}']],
]);

describeRows('$nin', [
  ['{"a":{"$nin":[1,null]}}', ['{}', '{"a":2}', '{"a":[null]}'], ['{"a":1}', '{"a":null}', '{"a":[1]}']],
  ['{"a":{"$nin":[]}}', ['{}', '{"a":1}', '{"a":null}'], []],
]);

describeRows('$all', [
  ['{"a":{"$all":[1,2]}}', ['{"a":[3,2,1]}'], ['{"a":[1]}', '{"a":1}', '{}', '{"a":[[1,2]]}']],
  ['{"a":{"$all":[1,1.0]}}', ['{"a":1}', '{"a":[1]}'], ['{"a":2}']],
  ['{"a":{"$all":[[1],{"x":1}]}}', ['{"a":[{"x":1},[1]]}'], ['{"a":[1]}', '{"a":[[1]]}']],
  ['{"a":{"$all":[{"x":1}]}}', ['{"a":[{"x":1}]}'], ['{"a":{"x":1}}']],
  ['{"a":{"$all":[null]}}', ['{"a":[null]}', '{"a":null}'], ['{}', '{"a":[]}']],
  ['{"a":{"$all":[{"$date":5}]}}', ['{"a":[{"$date":5}]}', '{"a":{"$date":5}}'], ['{"a":[5]}']],
]);

describeRows('$size', [
  [
    '{"a":{"$size":2}}',
    ['{"a":[1,2]}', '{"a":[[],null]}'],
    ['{}', '{"a":[1]}', '{"a":"xy"}', '{"a":{"x":1,"y":2}}'],
  ],
  ['{"a":{"$size":2.0}}', ['{"a":[1,2]}'], ['{"a":[]}']],
  ['{"a":{"$size":0}}', ['{"a":[]}'], ['{}', '{"a":null}', '{"a":{}}']],
  ['{"a":{"$size":1e300}}', [], ['{"a":[]}']],
]);

describeRows('$exists', [
  ['{"a":{"$exists":true}}', ['{"a":null}', '{"a":{}}', '{"a":[]}', '{"a":0}'], ['{}', '{"b":1}']],
  ['{"a":{"$exists":false}}', ['{}', '{"b":1}'], ['{"a":null}', '{"a":1}']],
  ['{"a.1":{"$exists":true}}', ['{"a":[1,null]}', '{"a":{"1":2}}'], ['{"a":[1]}', '{"a":{}}']],
  ['{"$vector":{"$exists":true}}', ['{"$vector":[1]}', '{"$vector":{"$binary":"AAAAAA=="}}'], ['{}']],
  ['{"$vectorize":{"$exists":false}}', ['{}'], ['{"$vectorize":"x"}']],
  ['{"_id":{"$exists":true}}', ['{"_id":1}', '{"_id":null}'], ['{}']],
]);

describeRows('ranges', [
  [
    '{"a":{"$gt":1}}',
    ['{"a":1.5}', '{"a":2}'],
    ['{"a":1}', '{"a":[2]}', '{"a":"2"}', '{"a":null}', '{}', '{"a":true}'],
  ],
  ['{"a":{"$gte":1}}', ['{"a":1.0}', '{"a":2}'], ['{"a":0.9}']],
  ['{"a":{"$lt":1}}', ['{"a":-5}', '{"a":0}'], ['{"a":1}', '{}', '{"a":null}', '{"a":[0]}']],
  ['{"a":{"$lte":1}}', ['{"a":1}', '{"a":1e0}'], ['{"a":1.01}']],
  ['{"a":{"$gt":1,"$lt":3}}', ['{"a":2}'], ['{"a":1}', '{"a":3}']],
  [
    '{"a":{"$gt":"b"}}',
    ['{"a":"ba"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"a":"B"}', '{"a":5}', '{"a":{"x":"c"}}', '{"a":["c"]}'],
  ],
  ['{"a":{"$gt":"\\uffff"}}', ['{"a":"\\ud83d\\ude00"}'], ['{"a":"\\ufffe"}']],
  [`{"a":{"$gte":"0e"}}`, [`{"a":${uuid}}`], ['{"a":{"$date":5}}']],
  ['{"a":{"$gt":false}}', ['{"a":true}'], ['{"a":false}', '{"a":1}']],
  [
    '{"a":{"$lte":{"$date":5}}}',
    ['{"a":{"$date":5}}', '{"a":{"$date":-6}}'],
    ['{"a":{"$date":6}}', '{"a":5}', '{}'],
  ],
  ['{"_id":{"$gt":5}}', ['{"_id":6}'], ['{"_id":"6"}']],
  [`{"_id":{"$gte":${uuid}}}`, [`{"_id":${lowerUuid}}`], ['{"_id":"00"}']],
]);

describeRows('paths', [
  ['{"a.b":1}', ['{"a":{"b":1}}'], ['{"a.b":1}', '{"a":[{"b":1}]}', '{"a":1}', '{"a":null}']],
  ['{"a&.b":1}', ['{"a.b":1}'], ['{"a":{"b":1}}']],
  ['{"a&&b":1}', ['{"a&b":1}'], ['{"a":{"b":1}}']],
  ['{"a.0":1}', ['{"a":[1]}', '{"a":{"0":1}}', '{"a":[[1,2]]}'], ['{"a":[2,1]}', '{"a":1}']],
  ['{"a.00":1}', ['{"a":{"00":1}}'], ['{"a":[1]}']],
  ['{"a.1.b":1}', ['{"a":[0,{"b":1}]}'], ['{"a":[{"b":1}]}']],
  ['{"a.b.c":1}', ['{"a":{"b":{"c":1}}}'], ['{"a":{"b":1}}', '{"a":"b"}']],
  ['{"0":1}', ['{"0":1}'], ['{"a":1}']],
  ['{"__proto__":1}', ['{"__proto__":1}'], ['{}']],
]);

describeRows('groups', [
  ['{}', ['{}', '{"a":1}'], []],
  ['{"a":1,"b":2}', ['{"a":1,"b":2}'], ['{"a":1}', '{"b":2}']],
  ['{"$and":[{"a":1},{"b":2}]}', ['{"a":1,"b":2}'], ['{"a":1}', '{"b":2}']],
  ['{"$or":[{"a":1},{"b":2}]}', ['{"a":1}', '{"b":2}'], ['{}', '{"a":2}']],
  [
    '{"a":1,"$or":[{"b":1},{"c":1,"d":1}]}',
    ['{"a":1,"b":1}', '{"a":1,"c":1,"d":1}'],
    ['{"a":1}', '{"b":1}', '{"a":1,"c":1}'],
  ],
  ['{"$and":[],"$or":[],"$not":{}}', ['{}', '{"a":1}'], []],
  ['{"$or":[{"$and":[]},{"a":1}]}', ['{"a":1}'], ['{}']],
  ['{"$or":[{"a":{"$in":[]}},{"b":1}]}', ['{"b":1}'], ['{}', '{"a":1}']],
  ['{"$or":[{"a":{"$nin":[]}},{"b":1}]}', ['{"b":1}', '{}', '{"a":1}'], []],
]);

describeRows('$not', [
  ['{"$not":{"a":1}}', ['{}', '{"a":2}'], ['{"a":1}', '{"a":[1]}']],
  ['{"$not":{"a":{"$ne":1}}}', ['{"a":1}', '{"a":[1]}'], ['{}', '{"a":2}']],
  ['{"$not":{"a":{"$in":[1]}}}', ['{}', '{"a":2}'], ['{"a":1}']],
  ['{"$not":{"a":{"$nin":[1]}}}', ['{"a":1}'], ['{}', '{"a":2}']],
  ['{"$not":{"a":{"$gt":5}}}', ['{"a":5}', '{"a":4}'], ['{}', '{"a":6}', '{"a":"4"}', '{"a":null}']],
  ['{"$not":{"a":{"$gte":5}}}', ['{"a":4}'], ['{}', '{"a":5}']],
  ['{"$not":{"a":{"$lt":5}}}', ['{"a":5}', '{"a":6}'], ['{}', '{"a":4}']],
  ['{"$not":{"a":{"$lte":5}}}', ['{"a":6}'], ['{}', '{"a":5}']],
  ['{"$not":{"a":{"$exists":true}}}', ['{}'], ['{"a":null}']],
  ['{"$not":{"a":{"$exists":false}}}', ['{"a":null}'], ['{}']],
  ['{"$not":{"a":{"$size":2}}}', ['{}', '{"a":1}', '{"a":[1]}'], ['{"a":[1,2]}']],
  ['{"$not":{"a":{"$all":[1,2]}}}', ['{}', '{"a":1}', '{"a":[1]}'], ['{"a":[1,2]}']],
  ['{"$not":{"a":1,"b":2}}', ['{}', '{"a":1}', '{"b":2}'], ['{"a":1,"b":2}']],
  ['{"$not":{"a":{"$gt":1,"$lt":3}}}', ['{"a":1}', '{"a":3}'], ['{"a":2}', '{}']],
  ['{"$not":{"$or":[{"a":1},{"b":2}]}}', ['{}', '{"a":2}'], ['{"a":1}', '{"b":2}']],
  ['{"$not":{"$and":[{"a":1},{"b":2}]}}', ['{}', '{"a":1}', '{"b":2}'], ['{"a":1,"b":2}']],
  [
    '{"$not":{"$and":[{"a":1,"b":1}],"$or":[{"c":1},{"d":1}]}}',
    ['{}', '{"c":1}', '{"a":1,"b":1}'],
    ['{"a":1,"b":1,"c":1}', '{"a":1,"b":1,"d":1}'],
  ],
  ['{"$not":{"$not":{"a":1}}}', ['{"a":1}'], ['{}']],
  ['{"$not":{"$not":{"a":1,"b":1}}}', ['{"a":1,"b":1}'], ['{"a":1}']],
  ['{"$not":{"$and":[]}}', ['{}'], []],
]);

describeRows('reserved members', [
  ['{"$vector":{"$eq":[1]}}', [], ['{"$vector":[1]}']],
  ['{"$vector":{"$eq":1}}', [], ['{"$vector":[1]}']],
  ['{"$vectorize":{"$in":["x"]}}', [], ['{"$vectorize":"x"}']],
  ['{"$vectorize":{"$gte":"x"}}', [], ['{"$vectorize":"x"}']],
  ['{"$vector":{"$size":1}}', [], ['{"$vector":[1]}']],
  ['{"$vectorize":{"$ne":"x"}}', ['{"$vectorize":"x"}', '{}'], []],
  [
    '{"$lexical":{"$match":"Blue river"}}',
    ['{"$lexical":"the river is blue"}', '{"$lexical":"BLUE, river"}'],
    ['{"$lexical":"a river"}', '{"$lexical":null}', '{}'],
  ],
  ['{"$lexical":{"$match":" . "}}', [], ['{"$lexical":"a"}', '{}', '{"$lexical":""}']],
  ['{"$lexical":{"$match":"a"},"b":1}', ['{"$lexical":"a","b":1}'], ['{"$lexical":"a"}', '{"b":1}']],
]);

describeRows('the id', [
  ['{"_id":5}', ['{"_id":5}', '{"_id":5.0}'], ['{"_id":"5"}', '{"_id":true}']],
  ['{"_id":null}', ['{"_id":null}'], ['{"_id":"null"}']],
  [
    `{"_id":${uuid}}`,
    [`{"_id":${uuid}}`, `{"_id":${lowerUuid}}`],
    ['{"_id":"0e1c5c2a-7c70-4b61-9d3e-0A1B2C3D4E5F"}'],
  ],
  [`{"_id":${lowerUuid}}`, [`{"_id":${uuid}}`, `{"_id":${lowerUuid}}`], []],
  ['{"_id":{"$in":[1,"a",{"$date":7}]}}', ['{"_id":1}', '{"_id":"a"}', '{"_id":{"$date":7}}'], ['{"_id":7}']],
  ['{"_id":{"$ne":1}}', ['{"_id":"1"}'], ['{"_id":1.0}']],
  ['{"_id":{"$nin":[1,"a"]}}', ['{"_id":2}'], ['{"_id":1}', '{"_id":"a"}']],
]);

describe('paths that are not indexed', () => {
  const deny = '{"deny":["a.b","a.c.d","a.e.0.f"]}';

  it('are left out of stored objects that are compared', () => {
    const filter = '{"a":{"x":1,"c":{"y":2}}}';
    assert.equal(matches(filter, '{"a":{"x":1,"b":7,"c":{"d":8,"y":2}}}', deny), true);
    assert.equal(matches(filter, '{"a":{"x":1,"c":{"d":8,"y":3}}}', deny), false);
    assert.equal(matches(filter, '{"a":{"x":1,"b":7,"c":{"d":8,"y":2}}}'), false);
    assert.equal(matches('{"a":{"$ne":{"x":1}}}', '{"a":{"b":7,"x":1}}', deny), false);
    assert.equal(matches('{"a":{"$in":[{"x":1}]}}', '{"a":{"b":7,"x":1}}', deny), true);
    assert.equal(matches('{"a":{}}', '{"a":{"b":7}}', deny), true);
    assert.equal(matches('{"a":{"x":1}}', '{"a":5}', deny), false);
    assert.equal(matches('{"a":{"x":1}}', '{}', deny), false);
  });

  it('are left out of the elements that they name', () => {
    assert.equal(matches('{"a.e":{"$eq":[{"g":1}]}}', '{"a":{"e":[{"f":2,"g":1}]}}', deny), true);
    assert.equal(matches('{"a.e":{"$eq":[1,{"g":1}]}}', '{"a":{"e":[1,{"f":2,"g":1}]}}', deny), false);
  });

  it('do not change the document', () => {
    const document = parsed('{"a":{"b":7,"x":1}}');
    const indexing = parseIndexing(parsed(deny));
    const { filter } = parseDocumentFilter(parsed('{"a":{"x":1}}'), {
      keyspace: 'k',
      table: 'c',
      lexical: 'disabled',
      indexing,
    });
    assert.equal(matchesDocument(filter, document), true);
    assert.deepEqual(document, parsed('{"a":{"b":7,"x":1}}'));
  });
});

describe('$all of many values', () => {
  const kinds = `1, 2.50, "a", ${uuid}, null, true, false, {"$date":5}, [1], [], {"x":[1.0]}, {"x":null}`;
  const stored = `{"x":null}, {"x":[1]}, [], [1e0], {"$date":5}, false, true, null, ${lowerUuid}, "a", 2.5, 1`;

  it('compares each of them', () => {
    assert.equal(matches(`{"a":{"$all":[${kinds}, 1.0]}}`, `{"a":[0, ${stored}]}`), true);
    const elements = stored.split(', ');
    for (const missing of elements) {
      const others = elements.map((element) => (element === missing ? '0' : element));
      assert.equal(matches(`{"a":{"$all":[${kinds}]}}`, `{"a":[${others.join()}]}`), false, missing);
    }
    assert.equal(matches(`{"a":{"$all":[${kinds}]}}`, '{"a":1}'), false);
  });

  it('reads each element once, however many values there are', () => {
    const numbers = Array.from({ length: 1_000 }, (_, at) => at);
    let reads = 0;
    const elements = new Proxy(
      numbers.map((number) => new JsonNumber(String(number))),
      {
        get: (target, name) => {
          if (typeof name === 'string' && /^\d/.test(name)) reads += 1;
          return Reflect.get(target, name) as unknown;
        },
      },
    );
    const values = [...numbers, ...numbers].toReversed().join();
    const { filter } = parseDocumentFilter(parsed(`{"a":{"$all":[${values}]}}`), {
      keyspace: 'k',
      table: 'c',
      lexical: 'disabled',
    });
    assert.equal(matchesDocument(filter, new Map([['a', elements]])), true);
    assert.equal(reads, 1_000);
  });
});

describe('numbers that have the same double', () => {
  it('are equal only if their digits are', () => {
    const document = '{"a":[9007199254740993,1e400,-0]}';
    for (const equal of ['9007199254740993.0', '90071992547409930e-1', '10E+399', '0', '0.0'])
      assert.equal(matches(`{"a":{"$in":[${equal}]}}`, document), true, equal);
    for (const other of ['9007199254740992', '9007199254740993.1', '1e401', '-1e400', '1e-400'])
      assert.equal(matches(`{"a":{"$in":[${other}]}}`, document), false, other);
  });
});

describe('filters with a match', () => {
  it('need the analyzer', () => {
    assert.throws(() => matchesDocument({ kind: 'match', text: 'a' }, parsed('{}')), TypeError);
  });

  it('analyze each text once, however many conditions there are', () => {
    const analyzed: string[] = [];
    const { definition, mostCharacters } = analyzer;
    const counting = {
      definition,
      mostCharacters,
      analyze: (text: string) => {
        analyzed.push(text);
        return analyzer.analyze(text);
      },
    };
    const filters = ['x', 'y', 'b c', 'c'].map((text) => ({ kind: 'match', text }) as const);
    const filter = { kind: 'or', filters } as const;
    const documents = ['a b', 'B, C', 'x', 'd'].map((text) => new Map([['$lexical', text]]));
    const found = documents.map((document) => matchesDocument(filter, document, counting));
    assert.deepEqual(found, [false, true, true, false]);
    assert.deepEqual(analyzed, ['x', 'y', 'b c', 'c', 'a b', 'B, C', 'x', 'd']);
  });
});
