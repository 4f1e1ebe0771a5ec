// Sorts, projections and pages of documents, row by row of the contract.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { collectionSteps, eachRow } from './collection-steps.js';
import { useWireServer } from './wire-server.js';

const { create, insert, ids, codes, send } = collectionSteps(useWireServer());
const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

describe('sorts of documents', () => {
  before(async () => {
    await create('s', '{"indexing":{"deny":["secret"]}}');
    await insert(
      's',
      '{"_id":"missing"}',
      '{"_id":"null","v":null}',
      '{"_id":"n2","v":2}',
      '{"_id":"n10","v":10.5}',
      '{"_id":"sb","v":"b"}',
      `{"_id":"uuid","v":{"$uuid":"${uuid}"}}`,
      '{"_id":"emoji","v":"\\ud83d\\ude00"}',
      '{"_id":"private","v":"\\uffee"}',
      '{"_id":"object","v":{"a":1}}',
      '{"_id":"array","v":[1]}',
      '{"_id":"true","v":true}',
      '{"_id":"false","v":false}',
      '{"_id":"late","v":{"$date":20},"a":[3,{"x":1}]}',
      '{"_id":"early","v":{"$date":-1},"a":[2,{"x":2}]}',
    );
  });
  const order = (members: string) => ids('s', members, true);
  const ascending =
    '"missing" "null" "n2" "n10" "uuid" "sb" "private" "emoji" "object" "array" "false" "true" "early" "late"';
  const descending = ascending.split(' ').toReversed().join(' ');

  it('sorts of mixed kinds: missing, null, numbers, strings, objects, arrays, booleans, dates', async () => {
    assert.equal(await order('"sort":{"v":1}'), ascending);
    assert.equal(await order('"sort":{"v":-1}'), descending);
  });
  eachRow(
    [
      ['by an element', '"sort":{"a.0":1},"filter":{"a":{"$exists":true}}', '"early" "late"'],
      ['by a member of an element', '"sort":{"a.1.x":1},"filter":{"a":{"$exists":true}}', '"late" "early"'],
      [
        'equal keys by ascending _id',
        '"sort":{"nothing":-1},"options":{"limit":3}',
        '"array" "early" "emoji"',
      ],
      ['by _id', '"sort":{"_id":-1},"options":{"limit":2}', '"uuid" "true"'],
      ['skip', '"sort":{"v":1},"options":{"skip":1,"limit":2}', '"null" "n2"'],
      ['skip beyond all', '"sort":{"v":1},"options":{"skip":100}', ''],
      ['an empty sort lets skip pass', '"sort":{},"filter":{"_id":"n2"},"options":{"skip":1}', '"n2"'],
    ],
    order,
  );
  const value = 'SORT SORT_CLAUSE_VALUE_INVALID';
  const path = 'SORT SORT_CLAUSE_PATH_INVALID';
  eachRow(
    [
      ['a list', '"sort":[]', 'SORT SORT_CLAUSE_INVALID'],
      ['a string', '"sort":"a"', 'SORT SORT_CLAUSE_INVALID'],
      ['a direction of 2', '"sort":{"a":2}', value],
      ['a direction of 1.0', '"sort":{"a":1.0}', value],
      ['a direction as a word', '"sort":{"a":"asc"}', value],
      ['an empty path', '"sort":{"":1}', path],
      ['a path that begins with $', '"sort":{"$x":1}', path],
      ['a bad escape', '"sort":{"a&x":1}', path],
      ['a path that is not indexed', '"sort":{"secret":1}', 'SORT SORT_CLAUSE_PATH_UNINDEXED'],
      ['$hybrid outside of findAndRerank', '"sort":{"$hybrid":"a"}', 'SORT SORT_CLAUSE_INVALID'],
      ['skip without a sort', '"options":{"skip":1}', 'COMMAND_FIELD_VALUE_INVALID'],
      [
        'a page state with a sort',
        '"sort":{"v":1},"options":{"pageState":"AAAA"}',
        'SORT SORT_CLAUSE_INVALID',
      ],
      ['a limit of 0', '"options":{"limit":0}', 'COMMAND_FIELD_VALUE_INVALID'],
      ['a negative skip', '"sort":{"v":1},"options":{"skip":-1}', 'COMMAND_FIELD_VALUE_INVALID'],
      ['$vector without vectors', '"sort":{"$vector":[1,2]}', 'SCHEMA VECTOR_SEARCH_NOT_SUPPORTED'],
      [
        '$vectorize without a service',
        '"sort":{"$vectorize":"a"}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED',
      ],
    ],
    (members) => codes(`{"find":{${members}}}`, 's'),
  );
  it('a refused skip is quoted as the number that it was', async () => {
    assert.match(await send('{"find":{"options":{"skip":3}}}', 's'), /It was: the number 3\./);
  });
});

describe('searches of documents', () => {
  before(async () => {
    await create('v', '{"vector":{"dimension":2}}');
    await create(
      'e',
      '{"vector":{"service":{"provider":"colonnade","modelName":"hashed-ngrams","parameters":{}},"dimension":64}}',
    );
    await create('plain', '{"lexical":{"enabled":false}}');
    await insert(
      'v',
      '{"_id":1,"$vector":[1,0],"k":1,"$lexical":"red fox"}',
      '{"_id":2,"$vector":{"$binary":"P4AAAD+AAAA="},"k":2,"$lexical":"red red hen"}',
      '{"_id":3,"$vector":[0,1],"k":2}',
      '{"_id":4,"k":2,"$lexical":"blue"}',
    );
    await insert(
      'e',
      '{"_id":1,"$vectorize":"a red fox"}',
      '{"_id":2,"$vectorize":"an old roof"}',
      '{"_id":3}',
    );
  });
  eachRow(
    [
      ['$vector', '"sort":{"$vector":[1,0]}', '1 2 3'],
      ['$vector as $binary', '"sort":{"$vector":{"$binary":"AAAAAD+AAAA="}}', '3 2 1'],
      ['$vector with a filter', '"sort":{"$vector":[1,0]},"filter":{"k":2}', '2 3'],
      ['$vector with $match', '"sort":{"$vector":[0,1]},"filter":{"$lexical":{"$match":"red"}}', '2 1'],
      ['$vector with a limit', '"sort":{"$vector":[1,0]},"options":{"limit":1}', '1'],
      ['$lexical', '"sort":{"$lexical":"red"}', '2 1'],
      ['$lexical wants all words', '"sort":{"$lexical":"red fox"}', '1'],
      ['$lexical with a filter', '"sort":{"$lexical":"red"},"filter":{"k":1}', '1'],
      ['$lexical with a limit above 1000', '"sort":{"$lexical":"red"},"options":{"limit":5000}', '2 1'],
    ],
    (members) => ids('v', members, true),
  );
  eachRow(
    [
      ['$vectorize', '"sort":{"$vectorize":"the roof"},"options":{"limit":1}', '2'],
      [
        'a limit above 1000 with $vectorize is cut',
        '"sort":{"$vectorize":"fox"},"options":{"limit":2000}',
        '1 2',
      ],
    ],
    (members) => ids('e', members, true),
  );
  const value = 'SORT SORT_CLAUSE_VALUE_INVALID';
  eachRow(
    [
      ['$vector with another member', '"sort":{"$vector":[1,0],"a":1}', 'SORT SORT_CLAUSE_INVALID'],
      ['$lexical with another member', '"sort":{"a":1,"$lexical":"x"}', 'SORT SORT_CLAUSE_INVALID'],
      ['an empty $vector', '"sort":{"$vector":[]}', 'DOCUMENT SHRED_BAD_VECTOR_SIZE'],
      ['an element that is not a number', '"sort":{"$vector":[1,"a"]}', 'DOCUMENT SHRED_BAD_VECTOR_VALUE'],
      ['$vector as a string', '"sort":{"$vector":"a"}', value],
      ['another dimension', '"sort":{"$vector":[1]}', 'DOCUMENT INVALID_VECTOR_LENGTH'],
      ['a zero vector on cosine', '"sort":{"$vector":[0,0]}', value],
      [
        'a limit above 1000 with $vector',
        '"sort":{"$vector":[1,0]},"options":{"limit":1001}',
        'COMMAND_FIELD_VALUE_INVALID',
      ],
      ['skip with $vector', '"sort":{"$vector":[1,0]},"options":{"skip":1}', 'COMMAND_FIELD_VALUE_INVALID'],
      ['skip with $lexical', '"sort":{"$lexical":"a"},"options":{"skip":1}', 'COMMAND_FIELD_VALUE_INVALID'],
      [
        'a page state with $vector',
        '"sort":{"$vector":[1,0]},"options":{"pageState":"AA=="}',
        'SORT SORT_CLAUSE_INVALID',
      ],
      [
        'a page state with $lexical',
        '"sort":{"$lexical":"a"},"options":{"pageState":"AA=="}',
        'SORT SORT_CLAUSE_INVALID',
      ],
      ['$lexical not a string', '"sort":{"$lexical":1}', value],
    ],
    (members) => codes(`{"find":{${members}}}`, 'v'),
  );
  it('limits and skips of searches by text: `skip` is refused, a large `limit` is cut', async () => {
    assert.equal(
      await codes('{"find":{"sort":{"$vectorize":"a"},"options":{"skip":1}}}', 'e'),
      'COMMAND_FIELD_VALUE_INVALID',
    );
    assert.equal(await codes('{"find":{"sort":{"$vectorize":" "}}}', 'e'), value);
    assert.equal(await codes('{"find":{"sort":{"$vectorize":null}}}', 'e'), value);
  });
  it('refuses $lexical where it is not enabled', async () => {
    const code = 'SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION';
    assert.equal(await codes('{"find":{"sort":{"$lexical":"a"}}}', 'plain'), code);
  });

  describe('their extras (4.5)', () => {
    eachRow(
      [
        [
          'includeSimilarity under any projection',
          '{"find":{"sort":{"$vector":[1,0]},"projection":{"*":0},"options":{"limit":1,"includeSimilarity":true}}}',
          '{"data":{"documents":[{"$similarity":1.0}],"nextPageState":null}}',
        ],
        [
          'includeSimilarity is the last member',
          '{"findOne":{"sort":{"$vector":[1,0]},"options":{"includeSimilarity":true}}}',
          '{"data":{"document":{"_id":1,"k":1,"$similarity":1.0}}}',
        ],
        [
          'includeSimilarity without a search is ignored',
          '{"findOne":{"filter":{"_id":1},"options":{"includeSimilarity":true}}}',
          '{"data":{"document":{"_id":1,"k":1}}}',
        ],
        [
          'includeSortVector',
          '{"find":{"sort":{"$vector":[1,0]},"filter":{"_id":9},"options":{"includeSortVector":true}}}',
          '{"data":{"documents":[],"nextPageState":null},"status":{"sortVector":[1.0,0.0]}}',
        ],
        [
          'includeSortVector is null for another sort',
          '{"findOne":{"sort":{"k":1},"filter":{"_id":9},"options":{"includeSortVector":true}}}',
          '{"data":{"document":null},"status":{"sortVector":null}}',
        ],
        [
          'includeSortVector is ignored with $lexical',
          '{"find":{"sort":{"$lexical":"blue"},"options":{"includeSortVector":true}}}',
          '{"data":{"documents":[{"_id":4,"k":2}],"nextPageState":null}}',
        ],
      ],
      (body) => send(body, 'v'),
    );
  });
});

describe('pages of documents (1.7)', () => {
  before(async () => {
    await create('p');
    const documents = Array.from({ length: 120 }, (_, at) => `{"_id":${at},"k":${at % 2},"t":"same"}`);
    await insert('p', ...documents.slice(0, 100));
    await insert('p', ...documents.slice(100));
  });
  /** The numbers of documents in the pages of a find. */
  async function pages(members: string, options: string): Promise<string> {
    const counts: number[] = [];
    let state: string | null = '';
    while (state !== null) {
      const given = `${options === '' ? '' : `${options},`}"pageState":${JSON.stringify(state)}`;
      const text = await send(`{"find":{${members}"options":{${given}}}}`, 'p');
      const { data } = JSON.parse(text) as { data: { documents: unknown[]; nextPageState: string | null } };
      counts.push(data.documents.length);
      state = data.nextPageState;
    }
    return counts.filter((count) => count > 0).join(' ');
  }
  eachRow(
    [
      ['50 documents in a page', '', '50 50 20'],
      ['the limit is that of all pages', '"limit":58', '50 8'],
      ['a limit of a page', '"limit":50', '50'],
      ['a limit of two pages', '"limit":100', '50 50'],
      ['pages continue with `includeSortVector`', '"limit":60,"includeSortVector":true', '50 10'],
    ],
    (options) => pages('', options),
  );
  it('pages with `includeSortVector`: continue as without', async () =>
    assert.equal(await pages('"filter":{"t":"same"},', '"includeSortVector":true'), '50 50 20'));
  it('pages of a filter on an entry', async () =>
    assert.equal(await pages('"filter":{"k":1},', '"limit":55'), '50 5'));
  it('one page of a sorted find', async () =>
    assert.equal(await pages('"sort":{"k":1},', '"limit":100'), '50'));
  it('a null and an empty page state are the first page', async () => {
    const first = await send('{"find":{"options":{"limit":1}}}', 'p');
    assert.match(first, /^\{"data":\{"documents":\[\{"_id":.*\],"nextPageState":null\}\}$/);
    for (const state of ['null', '""'])
      assert.equal(await send(`{"find":{"options":{"limit":1,"pageState":${state}}}}`, 'p'), first);
  });
  it('takes `pagingState` for `pageState`', async () => {
    const text = await send('{"find":{"options":{}}}', 'p');
    const state = /"nextPageState":("[^"]+")/.exec(text)?.[1] ?? '';
    const next = (name: string) => send(`{"find":{"options":{"${name}":${state}}}}`, 'p');
    const second = await next('pagingState');
    assert.equal(second, await next('pageState'));
    assert.notEqual(second, text);
  });
  it('`$in` on `_id`: a hundred ids come in two pages', async () => {
    const list = Array.from({ length: 100 }, (_, at) => at).join(',');
    assert.equal(await pages(`"filter":{"_id":{"$in":[${list}]}},`, ''), '50 50');
  });
});

describe('projections of documents (5)', () => {
  before(async () => {
    await create('j', '{"vector":{"dimension":2}}');
    await insert(
      'j',
      `{"a":{"b":1,"c":2},"_id":7,"t":[1,2,3,4],"items":[{"n":1,"m":2},5,{"m":3}],"s":"x","$lexical":"w","$vector":[1,2]}`,
    );
  });
  const project = async (projection: string) => {
    const text = await send(`{"findOne":{"projection":${projection}}}`, 'j');
    return /^\{"data":\{"document":(.*)\}\}$/.exec(text)?.[1] ?? text;
  };
  const rest = '"t":[1,2,3,4],"items":[{"n":1,"m":2},5,{"m":3}],"s":"x"';
  const whole = `{"_id":7,"a":{"b":1,"c":2},${rest}}`;
  eachRow(
    [
      ['none', '{}', whole],
      ['* shows the reserved fields', '{"*":1}', `${whole.slice(0, -1)},"$lexical":"w","$vector":[1,2]}`],
      ['* 0 shows nothing', '{"*":0}', '{}'],
      ['inclusion', '{"s":1}', '{"_id":7,"s":"x"}'],
      ['inclusion by any number', '{"s":2.5}', '{"_id":7,"s":"x"}'],
      ['inclusion without _id', '{"s":true,"_id":0}', '{"s":"x"}'],
      ['inclusion with a reserved field', '{"s":1,"$vector":1}', '{"_id":7,"s":"x","$vector":[1,2]}'],
      ['exclusion', '{"a":0,"items":false,"t":0.0}', '{"_id":7,"s":"x"}'],
      [
        'exclusion with a reserved field',
        '{"a":0,"items":0,"t":0,"$lexical":1}',
        '{"_id":7,"s":"x","$lexical":"w"}',
      ],
      ['_id alone shows all', '{"_id":1}', whole],
      ['$vector alone shows all', '{"$vector":true}', `${whole.slice(0, -1)},"$vector":[1,2]}`],
      ['_id 0 alone', '{"_id":0}', `{${whole.slice(9)}`],
      ['the order is that of the document', '{"s":1,"a":1}', '{"_id":7,"a":{"b":1,"c":2},"s":"x"}'],
      ['a path', '{"a.b":1}', '{"_id":7,"a":{"b":1}}'],
      ['a nested path', '{"a":{"b":1}}', '{"_id":7,"a":{"b":1}}'],
      ['containers stay', '{"a.x":1}', '{"_id":7,"a":{}}'],
      ['scalars on the way stay', '{"s.x":1}', '{"_id":7,"s":"x"}'],
      ['arrays are passed through', '{"items.n":1}', '{"_id":7,"items":[{"n":1},5,{}]}'],
      ['exclusion in elements', '{"items.m":0,"a":0,"t":0,"s":0}', '{"_id":7,"items":[{"n":1},5,{}]}'],
      ['$slice n', '{"t":{"$slice":2},"a":0,"items":0,"s":0}', '{"_id":7,"t":[1,2]}'],
      ['$slice -n', '{"t":{"$slice":-1},"s":1}', '{"_id":7,"t":[4],"s":"x"}'],
      ['$slice with skip', '{"t":{"$slice":[1,2]},"s":1}', '{"_id":7,"t":[2,3],"s":"x"}'],
      ['$slice with a negative skip', '{"t":{"$slice":[-3,2]},"s":1}', '{"_id":7,"t":[2,3],"s":"x"}'],
      ['$slice alone keeps the rest', '{"t":{"$slice":1}}', whole.replace('[1,2,3,4]', '[1]')],
      ['$slice of another value', '{"s":{"$slice":1},"a":1}', '{"_id":7,"a":{"b":1,"c":2},"s":"x"}'],
    ],
    project,
  );
  const param = 'PROJECTION UNSUPPORTED_PROJECTION_PARAM';
  const definition = 'PROJECTION UNSUPPORTED_PROJECTION_DEFINITION';
  eachRow(
    [
      ['null', 'null', definition],
      ['a list', '["a"]', definition],
      ['a string', '"a"', definition],
      ['both modes', '{"a":1,"s":0}', param],
      ['* with others', '{"*":1,"a":1}', param],
      ['* nested', '{"a":{"*":1}}', param],
      ['an empty path', '{"":1}', param],
      ['an empty part', '{"a..b":1}', param],
      ['a $ path', '{"$x":1}', param],
      ['$similarity', '{"$similarity":1}', param],
      ['a bad escape', '{"a&b":1}', param],
      ['a path and its ancestor', '{"a":1,"a.b":1}', param],
      ['an unknown operator', '{"a":{"$first":1}}', param],
      ['a string value', '{"a":"yes"}', param],
      ['a null value', '{"a":null}', param],
      ['$slice of a string', '{"t":{"$slice":"a"}}', param],
      ['$slice with a negative count', '{"t":{"$slice":[1,-1]}}', param],
      ['$slice of three numbers', '{"t":{"$slice":[1,2,3]}}', param],
    ],
    (projection) => codes(`{"find":{"projection":${projection}}}`, 'j'),
  );
  it('distinct of the clients keeps the containers', async () =>
    assert.equal(await project('{"_id":0,"items.m":1}'), '{"items":[{"m":2},5,{"m":3}]}'));
});
