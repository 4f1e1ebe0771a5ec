// What becomes of documents by changes of each kind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject, stringifyJson } from '../../foundation/json/json-value.js';
import { parseJson } from '../../foundation/json/parse-json.js';
import { ApiError } from '../errors/api-error.js';
import {
  type ChangedDocument,
  changedDocument,
  type FilteredChange,
  type ReplaceChange,
  type UpdateChange,
  upsertedDocument,
} from './change-document.js';
import { fromColumns, toColumns } from './document-columns.js';
import { everyDocument } from './document-filter.js';
import { parseUpdate } from './document-update.js';
import { parseDocumentFilter } from './parse-document-filter.js';
import type { DocumentRules } from './read-document.js';

const rules: DocumentRules = { keyspace: 'k', table: 'c', lexical: false, isIndexed: undefined };

function object(text: string): JsonObject {
  const json = parseJson(text, { maxDepth: 20, maxNumberLength: 100 });
  if (!isJsonObject(json)) throw new TypeError(`${text} is not an object`);
  return json;
}

function filter(text: string) {
  return parseDocumentFilter(object(text), { keyspace: 'k', table: 'c', lexical: 'disabled' }).filter;
}

function update(text: string): UpdateChange {
  return { kind: 'update', update: parseUpdate(object(text)), nowMs: 5 };
}

/** A replacement as commands plan it. */
function replace(text: string): ReplaceChange {
  const { _id: id, ...rest } = Object.fromEntries(object(text));
  return { kind: 'replace', replacement: new Map(Object.entries(rest)), id };
}

const stored = toColumns(object('{"_id":1,"n":1}'), null);

function change(given: Partial<FilteredChange>): ChangedDocument {
  return changedDocument(
    stored,
    { filter: everyDocument, change: { kind: 'delete' }, wants: 'none', ...given },
    rules,
  );
}

/** What is reported, returned and stored. */
function summary(changed: ChangedDocument) {
  const { state, image } = changed;
  return [state, image?.text, state === 'changed' ? changed.columns.text : undefined];
}

describe('a change of a document', () => {
  it('finds no document, or one that does not match', () => {
    const plan = { filter: everyDocument, change: { kind: 'delete' }, wants: 'before' } as const;
    assert.deepEqual(changedDocument(undefined, plan, rules), { state: 'gone' });
    assert.deepEqual(change({ filter: filter('{"n":2}'), wants: 'before' }), { state: 'unmatched' });
  });

  it('deletes, and returns only an image before', () => {
    assert.deepEqual(summary(change({ wants: 'before' })), ['deleted', '{"_id":1,"n":1}', undefined]);
    assert.deepEqual(summary(change({ wants: 'after' })), ['deleted', undefined, undefined]);
  });

  it('updates, and returns the image that is wanted', () => {
    const [before, after] = ['{"_id":1,"n":1}', '{"_id":1,"n":3}'];
    const increment = update('{"$inc":{"n":2}}');
    assert.deepEqual(summary(change({ change: increment })), ['changed', undefined, after]);
    assert.deepEqual(summary(change({ change: increment, wants: 'before' })), ['changed', before, after]);
    assert.deepEqual(summary(change({ change: increment, wants: 'after' })), ['changed', after, after]);
  });

  it('stores nothing if the document stays the same', () => {
    for (const same of [update('{"$set":{"n":1}}'), replace('{"n":1.0}'), replace('{"_id":1,"n":1}')])
      for (const wants of ['before', 'after'] as const)
        assert.deepEqual(summary(change({ change: same, wants })), [
          'unchanged',
          '{"_id":1,"n":1}',
          undefined,
        ]);
  });

  it('replaces the content, and refuses another id', () => {
    const replaced = change({ change: replace('{"m":2}'), wants: 'none' });
    assert.deepEqual(summary(replaced), ['changed', undefined, '{"_id":1,"m":2}']);
    assert.throws(
      () => change({ change: replace('{"_id":2,"m":2}') }),
      (error) => error instanceof ApiError && error.code === 'DOCUMENT_REPLACE_DIFFERENT_DOCID',
    );
  });

  it('refuses what a document may not contain', () => {
    assert.throws(
      () => change({ change: update('{"$set":{"$lexical":"a"}}') }),
      (error) => error instanceof ApiError && error.code === 'LEXICAL_NOT_ENABLED_FOR_COLLECTION',
    );
  });
});

describe('the document of an upsert', () => {
  const insert = (upsert: UpdateChange | ReplaceChange, required: string | undefined) => {
    const given = required === undefined ? undefined : object(required);
    const { id, columns } = upsertedDocument(upsert, given, rules, () => 'new');
    return [stringifyJson(id.json), stringifyJson(fromColumns(columns))];
  };

  it('has the equalities of the filter and the update', () => {
    const upsert = update('{"$inc":{"n":2},"$setOnInsert":{"b":true}}');
    assert.deepEqual(insert(upsert, '{"_id":7,"a.b":1,"c":{"$gt":1}}'), [
      '7',
      '{"_id":7,"a":{"b":1},"n":2,"b":true}',
    ]);
    assert.deepEqual(insert(upsert, undefined), ['"new"', '{"_id":"new","n":2,"b":true}']);
  });

  it('has the replacement, with the id of the filter, its own or a new one', () => {
    assert.deepEqual(insert(replace('{"m":1}'), '{"_id":null,"n":1}'), ['null', '{"_id":null,"m":1}']);
    assert.deepEqual(insert(replace('{"_id":3,"m":1}'), '{"n":1}'), ['3', '{"_id":3,"m":1}']);
    assert.deepEqual(insert(replace('{"m":1}'), '{"n":1}'), ['"new"', '{"_id":"new","m":1}']);
    assert.throws(
      () => insert(replace('{"_id":3}'), '{"_id":4}'),
      (error) => error instanceof ApiError && error.code === 'DOCUMENT_REPLACE_DIFFERENT_DOCID',
    );
  });
});
