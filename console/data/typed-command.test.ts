// Commands that are typed or come with a link: their paths stay those of the Data API, and what destroys is known.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandName, isDestructive, readPath } from './typed-command.js';

describe('the path of a command in a link', () => {
  it('is that of the database, a keyspace, a table or a collection', () => {
    for (const path of ['v1', 'v1/shop', 'v1/shop/books']) assert.equal(readPath(path), path);
    assert.equal(readPath('v1/shop/b%C3%BCcher'), 'v1/shop/b%C3%BCcher');
  });

  it('refuses whatever leads elsewhere, also encoded', () => {
    const paths = [
      ...['', 'v2', 'v10/shop', '/v1', 'v1/', 'v1//', 'v1/a/b/c', 'https://example.com/v1'],
      ...['v1/..', 'v1/../../local/cql', 'v1/%2e%2e/%2E%2e', 'v1/.%2e/x', 'v1/./x', 'v1/a/..'],
      ...['v1/..%2f..%2flocal', 'v1/%252e%252e/x', 'v1/..\\..\\local', 'v1/..%5clocal', 'v1/a?b', 'v1/a#b'],
      ...['v1/%', 'v1/%ff'],
    ];
    for (const path of paths) assert.equal(readPath(path), undefined, path);
  });
});

describe('a typed command', () => {
  it('has a name when it is an object with one member', () => {
    assert.equal(commandName('{"find": {}}'), 'find');
    for (const text of ['', '{', '{}', '[]', '"find"', '{"find": {}, "more": 1}'])
      assert.equal(commandName(text), undefined, text);
  });

  it('is destructive when it drops or deletes, however it is written', () => {
    for (const text of [
      '{"deleteMany": {"filter": {}}}',
      '{"delet\\u0065One": {}}',
      '{"findOneAndDelete": {}}',
      '{"dropTable": {}}',
      '{"deleteCollection": {"name": "a"}}',
      '{"alterTable": {"operation": {"drop": {"columns": ["a"]}}}}',
    ])
      assert.equal(isDestructive(text), true, text);
    for (const text of [
      '{"find": {"filter": {"deleteMany": 1}}}',
      '{"alterTable": {"operation": {"add": {"columns": {"drop": "int"}}}}}',
      '{"insertOne": {"document": {"drop": 1}}}',
      '{"deleteMany": ',
    ])
      assert.equal(isDestructive(text), false, text);
  });
});
