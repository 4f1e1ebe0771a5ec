// Filters, sorts and searches become commands, and filters become lines again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject, parseJson, writeJson } from '../json/exact-json.js';
import {
  conditionsOf,
  filterOf,
  findCommand,
  nextPage,
  type PageStart,
  searchWaysOf,
  withAllMembers,
} from './find-command.js';

const target = { keyspace: 'shop', name: 'books', kind: 'table' } as const;
const empty = { filter: '', sort: '', search: '', by: '', like: '' };

function bodyText(query: Partial<typeof empty>, ways = ['vector:meaning'], start?: PageStart): string {
  const all = ways.map((id) => ({ id, label: id, kind: 'vector', field: 'meaning' }) as const);
  const command = findCommand(target, { ...empty, ...query }, all, { start });
  return typeof command === 'string' ? command : `${command.name} ${writeJson(command.body)}`;
}

describe('the command of the rows', () => {
  it('has only the clauses that are used', () => {
    assert.equal(bodyText({}), 'find {}');
    assert.equal(
      bodyText({ filter: '{"a":1.50}', sort: '{"b":-1}' }),
      'find {"filter":{"a":1.50},"sort":{"b":-1}}',
    );
    assert.equal(bodyText({}, [], { pageState: 'page' }), 'find {"options":{"pageState":"page"}}');
  });

  it('reads all members of documents for a file, also those of a search, and columns as they are', () => {
    const query = { ...empty, search: 'soup' };
    const ways = [{ id: 'text', label: 'Words', kind: 'text', field: '$lexical' }] as const;
    const found = findCommand({ ...target, kind: 'collection' }, query, ways);
    assert.ok(typeof found !== 'string');
    assert.deepEqual(withAllMembers(found).body['projection'], { '*': true });
    const rows = findCommand(target, empty, []);
    assert.ok(typeof rows !== 'string');
    assert.equal(withAllMembers(rows), rows);
  });

  it('projects nothing for a column with the name of what every object has', () => {
    const ways = [{ id: 'text:constructor', label: 'Words', kind: 'text', field: 'constructor' }] as const;
    const found = findCommand(target, { ...empty, search: 'a' }, ways);
    assert.ok(typeof found !== 'string');
    assert.equal(Object.hasOwn(found.body, 'projection'), false);
  });

  it('continues at the state of the reply, and in a sort in memory behind the rows', () => {
    const sorted = { ...empty, sort: '{"b":1}' };
    const full = { rows: 50, shown: 150 };
    assert.deepEqual(nextPage(empty, { state: 'page', ...full }), { pageState: 'page' });
    assert.deepEqual(nextPage(sorted, { state: null, ...full }), { skip: 150 });
    assert.equal(bodyText(sorted, [], { skip: 150 }), 'find {"sort":{"b":1},"options":{"skip":150}}');
    assert.equal(nextPage(sorted, { state: null, rows: 49, shown: 149 }), undefined);
    assert.equal(nextPage(empty, { state: null, ...full }), undefined);
    assert.equal(nextPage({ ...sorted, search: 'x' }, { state: null, ...full }), undefined);
  });

  it('searches by a text or a vector in place of the sort', () => {
    const search = 'find {"sort":{"meaning":"whales"},"options":{"limit":50,"includeSimilarity":true}}';
    assert.equal(bodyText({ search: 'whales', sort: '{"b":1}' }), search);
    assert.match(bodyText({ search: '[0.1,2]' }), /"meaning":\[0\.1,2\]/);
  });

  it('says what is wrong with a filter', () => {
    assert.match(bodyText({ filter: '{' }), /^The filter is not JSON/);
    assert.equal(bodyText({ sort: '[]' }), 'The sort must be a JSON object.');
  });
});

describe('the filter builder', () => {
  const isText = (field: string) => field === 'title';

  it('writes what it reads', () => {
    const filters = [
      '{"title":"12"}',
      '{"n":{"$gt":9007199254740993,"$lt":1e400}}',
      '{"tags":{"$in":["a","b"]}}',
      '{"t":"true"}',
      '{"t":"","title":{"$ne":""}}',
      '{"t":"a\\nb","title":"a\\r\\nb"}',
      '{"$and":[{"tags":"a","n":{"$gt":1}},{"tags":"b"},{"n":{"$gt":2}}]}',
    ];
    for (const filter of filters) assert.equal(filterOf(conditionsOf(filter) ?? [], isText), filter);
  });

  it('leaves filters that are more than a list to the editor', () => {
    assert.equal(conditionsOf('{"$or":[{"a":1},{"b":2}]}'), undefined);
    assert.equal(conditionsOf('{'), undefined);
    assert.equal(conditionsOf('{"":1}'), undefined);
  });

  it('leaves out lines that are not complete', () => {
    assert.equal(filterOf([{ field: 'n', operator: '$eq', value: '' }], isText), '');
  });
});

describe('the ways to search', () => {
  it('are those that the collection has', () => {
    const options = parseJson('{"vector":{"service":{}},"lexical":{"enabled":true}}');
    assert.ok(isObject(options));
    const ways = searchWaysOf({ kind: 'collection', name: 'c', definition: options }, []);
    assert.deepEqual(
      ways.map(({ field }) => field),
      ['$vectorize', '$lexical', '$hybrid'],
    );
    assert.deepEqual(searchWaysOf({ kind: 'collection', name: 'c', definition: {} }, []), []);
  });
});
