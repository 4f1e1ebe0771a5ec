// Sorts of documents: the forms that are accepted, the errors of others, and the order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject, stringifyJson } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { compareBySort, compareSortValues, type DocumentSort, sortValues } from './document-sort.js';
import { parseIndexing } from './indexing.js';
import { parseDocumentSort, type SortContext } from './parse-document-sort.js';

const limits = { maxDepth: 1_000, maxNumberLength: 100 };
const context: SortContext = {
  keyspace: 'k',
  table: 'c',
  lexical: 'enabled',
  vector: { dimension: 2, metric: 'cosine', hasService: true },
};

function parse(text: string, changes: Partial<SortContext> = {}): DocumentSort {
  return parseDocumentSort(parseJson(text, limits), { ...context, ...changes });
}

describe('parsing a sort of documents', () => {
  const rows: readonly (readonly [text: string, expected: DocumentSort])[] = [
    ['null', { kind: 'none' }],
    ['{}', { kind: 'none' }],
    ['{"a":1}', { kind: 'paths', keys: [{ path: ['a'], direction: 1 }] }],
    [
      '{"b.0.c":-1,"a&.x":1,"_id":1}',
      {
        kind: 'paths',
        keys: [
          { path: ['b', '0', 'c'], direction: -1 },
          { path: ['a.x'], direction: 1 },
          { path: ['_id'], direction: 1 },
        ],
      },
    ],
    ['{"$vector":[1,0.5]}', { kind: 'vector', vector: Float32Array.of(1, 0.5) }],
    ['{"$vector":{"$binary":"P4AAAD8AAAA="}}', { kind: 'vector', vector: Float32Array.of(1, 0.5) }],
    ['{"$vectorize":"a text"}', { kind: 'vectorize', text: 'a text' }],
    ['{"$lexical":"words"}', { kind: 'lexical', text: 'words' }],
  ];
  for (const [text, expected] of rows) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parse(text), expected);
    });
  }

  it('reads an absent sort', () => {
    assert.deepEqual(parseDocumentSort(undefined, context), { kind: 'none' });
  });

  it('searches for a zero vector with another metric than cosine', () => {
    const vector = { dimension: 2, metric: 'euclidean', hasService: false } as const;
    assert.equal(parse('{"$vector":[0,0]}', { vector }).kind, 'vector');
  });
});

describe('a sort of documents is refused', () => {
  const paths = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1])));
  const rows: readonly (readonly [text: string, code: string, message: RegExp])[] = [
    ['[]', 'SORT_CLAUSE_INVALID', /must be an object/],
    ['"a"', 'SORT_CLAUSE_INVALID', /must be an object/],
    ['1', 'SORT_CLAUSE_INVALID', /must be an object/],
    [paths(65), 'SORT_CLAUSE_INVALID', /65 paths; at most 64/],
    ['{"$vector":[1,2],"a":1}', 'SORT_CLAUSE_INVALID', /"\$vector" cannot be combined/],
    ['{"a":1,"$vectorize":"x"}', 'SORT_CLAUSE_INVALID', /"\$vectorize" cannot be combined/],
    ['{"$lexical":"x","$vectorize":"x"}', 'SORT_CLAUSE_INVALID', /"\$lexical" cannot be combined/],
    ['{"$hybrid":"x"}', 'SORT_CLAUSE_INVALID', /findAndRerank/],
    ['{"a":2}', 'SORT_CLAUSE_VALUE_INVALID', /"a".* 1 \(ascending\) or -1/],
    ['{"a":1.0}', 'SORT_CLAUSE_VALUE_INVALID', /"a"/],
    ['{"a":"asc"}', 'SORT_CLAUSE_VALUE_INVALID', /"a"/],
    ['{"a":null}', 'SORT_CLAUSE_VALUE_INVALID', /"a"/],
    ['{"a":[1,2]}', 'SORT_CLAUSE_VALUE_INVALID', /"a"/],
    ['{"":1}', 'SORT_CLAUSE_PATH_INVALID', /empty part/],
    ['{"a..b":1}', 'SORT_CLAUSE_PATH_INVALID', /empty part/],
    ['{"$x":1}', 'SORT_CLAUSE_PATH_INVALID', /no field has the name "\$x"/],
    ['{"a&b":1}', 'SORT_CLAUSE_PATH_INVALID', /"&" must be followed/],
    ['{"$vector":[]}', 'SHRED_BAD_VECTOR_SIZE', /at least one/],
    ['{"$vector":{"$binary":""}}', 'SHRED_BAD_VECTOR_SIZE', /at least one/],
    ['{"$vector":[1,"2"]}', 'SHRED_BAD_VECTOR_VALUE', /element 2/],
    ['{"$vector":[1e39,1]}', 'SHRED_BAD_VECTOR_VALUE', /element 1/],
    ['{"$vector":1}', 'SORT_CLAUSE_VALUE_INVALID', /"\$vector"/],
    ['{"$vector":"x"}', 'SORT_CLAUSE_VALUE_INVALID', /"\$vector"/],
    ['{"$vector":null}', 'SORT_CLAUSE_VALUE_INVALID', /"\$vector"/],
    ['{"$vector":{"a":1}}', 'SORT_CLAUSE_VALUE_INVALID', /"\$vector"/],
    ['{"$vector":{"$binary":1}}', 'SORT_CLAUSE_VALUE_INVALID', /base64/],
    ['{"$vector":{"$binary":"?"}}', 'SORT_CLAUSE_VALUE_INVALID', /"\$vector"/],
    ['{"$vector":{"$binary":"AAAA"}}', 'SORT_CLAUSE_VALUE_INVALID', /3 bytes/],
    ['{"$vector":{"$binary":"f8AAAH/AAAA="}}', 'SORT_CLAUSE_VALUE_INVALID', /not finite/],
    ['{"$vector":[1,2,3]}', 'INVALID_VECTOR_LENGTH', /2 elements.* vector of 3/],
    ['{"$vector":[0,-0.0]}', 'SORT_CLAUSE_VALUE_INVALID', /zero vector/],
    ['{"$vectorize":""}', 'SORT_CLAUSE_VALUE_INVALID', /not blank/],
    ['{"$vectorize":" \\n"}', 'SORT_CLAUSE_VALUE_INVALID', /not blank/],
    ['{"$vectorize":1}', 'SORT_CLAUSE_VALUE_INVALID', /not blank/],
    ['{"$lexical":1}', 'SORT_CLAUSE_VALUE_INVALID', /must be a string/],
    ['{"$lexical":null}', 'SORT_CLAUSE_VALUE_INVALID', /must be a string/],
  ];
  for (const [text, code, message] of rows) {
    it(`${text.slice(0, 80)}: ${code}`, () => {
      assert.throws(() => parse(text), { code, message });
    });
  }

  it('by a path that is not indexed', () => {
    const indexing = parseIndexing(parseJson('{"allow":["a"]}', limits));
    assert.equal(parse('{"a.b":1}', { indexing }).kind, 'paths');
    for (const path of ['b', '_id']) {
      const refused = { code: 'SORT_CLAUSE_PATH_UNINDEXED', message: new RegExp(`"${path}"`) };
      assert.throws(() => parse(`{"a":1,"${path}":1}`, { indexing }), refused);
    }
  });

  for (const [list, allowed, refused] of [
    ['{"deny":["$vector"]}', ['$lexical'], ['$vector', '$vectorize']],
    ['{"deny":["*"]}', ['$lexical'], ['$vector', '$vectorize']],
    ['{"allow":["a"]}', ['$vector', '$vectorize', '$lexical'], []],
  ] as const)
    it(`by vectors and words as the option indexing has it: ${list}`, () => {
      const indexing = parseIndexing(parseJson(list, limits));
      const search = (name: string) => () =>
        parse(`{"${name}":${name === '$vector' ? '[1,2]' : '"x"'}}`, { indexing });
      for (const name of allowed) assert.doesNotThrow(search(name));
      for (const name of refused) assert.throws(search(name), { code: 'SORT_CLAUSE_PATH_UNINDEXED' });
    });

  it('if the collection lacks what it searches', () => {
    const without: Partial<SortContext> = { lexical: 'disabled', vector: undefined };
    assert.throws(() => parse('{"$vector":[1,2]}', without), { code: 'VECTOR_SEARCH_NOT_SUPPORTED' });
    assert.throws(() => parse('{"$vectorize":"x"}', without), { code: 'EMBEDDING_SERVICE_NOT_CONFIGURED' });
    assert.throws(() => parse('{"$lexical":"x"}', without), { code: 'LEXICAL_NOT_ENABLED_FOR_COLLECTION' });
    const vector = { dimension: 2, metric: 'cosine', hasService: false } as const;
    assert.throws(() => parse('{"$vectorize":"x"}', { vector }), {
      code: 'EMBEDDING_SERVICE_NOT_CONFIGURED',
    });
  });
});

describe('the order of sorted documents', () => {
  /** In ascending order. */
  const values = [
    undefined,
    'null',
    '-1e400',
    '-1',
    '0',
    '1e400',
    '""',
    '"B"',
    '"a"',
    '"\\uffff"',
    '"\\ud83d\\ude00"',
    '{}',
    '{"a":1}',
    '[]',
    '[1]',
    '[1,0]',
    'false',
    'true',
    '{"$date":-1}',
    '{"$date":10}',
  ];
  const documents = values.map((value, at) =>
    parsed(value === undefined ? `{"_id":${at}}` : `{"_id":${at},"a":{"b":${value}}}`),
  );

  it('is by kind, then by value', () => {
    assert.deepEqual(idsSorted('{"a.b":1}', shuffled(documents)), idsOf(documents));
    assert.deepEqual(idsSorted('{"a.b":-1}', shuffled(documents)), idsOf(documents).reverse());
  });

  it('sorts a UUID as its text in lower case', () => {
    const found = idsSorted('{"a":1}', [
      parsed('{"_id":1,"a":"b"}'),
      parsed('{"_id":2,"a":{"$uuid":"AAAAAAAA-0000-4000-8000-000000000000"}}'),
      parsed('{"_id":3,"a":"a"}'),
    ]);
    assert.deepEqual(found, ['3', '2', '1']);
  });

  it('uses the next path for equal values', () => {
    const found = idsSorted('{"a":-1,"b":1}', [
      parsed('{"_id":1,"a":1,"b":3}'),
      parsed('{"_id":2,"a":2,"b":2}'),
      parsed('{"_id":3,"a":2.0,"b":1}'),
      parsed('{"_id":4,"a":1}'),
    ]);
    assert.deepEqual(found, ['3', '2', '4', '1']);
  });

  for (const direction of [1, -1]) {
    it(`is by ascending _id for equal values, in the direction ${direction}`, () => {
      const found = idsSorted(`{"a":${direction}}`, [
        parsed('{"_id":{"$date":1},"a":1}'),
        parsed('{"_id":true,"a":1}'),
        parsed('{"_id":"a","a":1}'),
        parsed('{"_id":10,"a":1}'),
        parsed('{"_id":9,"a":1}'),
        parsed('{"_id":null,"a":1}'),
      ]);
      assert.deepEqual(found, ['null', '9', '10', '"a"', 'true', '{"$date":1}']);
    });
  }
});

function idsSorted(text: string, documents: readonly JsonObject[]): readonly string[] {
  const sort = parse(text);
  assert.ok(sort.kind === 'paths');
  const { keys } = sort;
  const ids = idsOf(documents.toSorted(compareBySort(keys)));
  const rows = documents.map((document) => sortValues(document, keys)).sort(compareSortValues(keys));
  assert.deepEqual(
    rows.map((row) => stringifyJson(row.at(-1) ?? '')),
    ids.map((id) => (id === 'null' ? '""' : id)),
  );
  return ids;
}

function idsOf(documents: readonly JsonObject[]): string[] {
  return documents.map((document) => stringifyJson(document.get('_id') ?? null));
}

/** Always the same other order. */
function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  return items.map((_, at) => items[(at * 7 + 3) % items.length]).filter((item) => item !== undefined);
}

function parsed(text: string): JsonObject {
  const json = parseJson(text, limits);
  assert.ok(json !== null && isJsonObject(json));
  return json;
}
