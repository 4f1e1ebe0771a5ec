// Collections as the statements that make them, and as they are read of the rows of a cluster.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionColumns, collectionTable, isCollection } from '../../../schema/collection.js';
import type { CollectionSettings } from '../../../schema/collection-settings.js';
import { quotedColumn } from '../cql-names.js';
import { createTableStatement } from './ddl-statements.js';
import { hasTerms, hasTokenTerms } from './engine-state.js';
import type { KnownKeyspace } from './known-schema.js';
import { parseKeyspaces } from './parse-schema.js';
import type { IndexRow, SchemaRows } from './schema-rows.js';

const settings: CollectionSettings = {
  vector: { dimension: 3, metric: 'euclidean', sourceModel: 'other' },
  indexing: { kind: 'deny', paths: [["it's", 'x']], hasAll: false },
  lexical: { analyzer: '{"tokenizer":{"name":"standard","args":{}},"filters":[],"charFilters":[]}' },
};
const definition = collectionTable('people', settings);
const statement = createTableStatement({ kind: 'createTable', keyspace: 'shop', definition }, 0);
/** The text between the quotes of the statement, as a node stores it. */
const comment = (/comment = '(.*)' AND extensions/.exec(statement)?.[1] ?? '').replaceAll("''", "'");

const vectorIndex: IndexRow = {
  keyspace: 'shop',
  table: 'people',
  name: 'people_query_vector_value',
  kind: 'CUSTOM',
  madeMicros: 1,
  options: { class_name: 'StorageAttachedIndex', target: 'vector', similarity_function: 'euclidean' },
};

const termsIndex: IndexRow = {
  ...vectorIndex,
  name: 'people_query_terms_value',
  options: { class_name: 'StorageAttachedIndex', target: 'values(terms)' },
};

function rowsWith(indexes: readonly IndexRow[], ownComment: string): SchemaRows {
  const ofColumn = { keyspace: 'shop', table: 'people', clusteringOrder: 'none' as const };
  return {
    keyspaces: [{ name: 'shop', replication: { class: 'SimpleStrategy', replication_factor: '1' } }],
    tables: [
      {
        keyspace: 'shop',
        name: 'people',
        timeToLiveSeconds: 0,
        uuid: '57c9a990-e706-11f1-9da7-47634d220d4e',
        comment: ownComment,
        extensions: {},
        flags: ['compound'],
      },
    ],
    columns: [
      { ...ofColumn, name: '_id', kind: 'partition_key', position: 0, type: 'blob' },
      { ...ofColumn, name: 'version', kind: 'regular', position: -1, type: 'uuid' },
    ],
    droppedColumns: [],
    indexes,
    types: [],
    settings: [],
    problems: new Map(),
  };
}

function parsed(
  indexes: readonly IndexRow[],
  before?: KnownKeyspace,
  ownComment: string = comment,
): KnownKeyspace {
  const known = new Map(before === undefined ? [] : [[before.name, before]]);
  const [keyspace] = parseKeyspaces(rowsWith(indexes, ownComment), known, () => 5);
  assert.ok(keyspace);
  return keyspace;
}

describe('collections of a cluster', () => {
  it('are tables with columns that indexes can name, and columns of the engine', () => {
    assert.equal(
      statement.replace(/ WITH .*$/, ''),
      'CREATE TABLE "shop"."people" ("_id" blob, "document" text, "reserved" text, "vector" vector<float, 3>, ' +
        '"lexical" text, "version" uuid, "former" frozen<list<uuid>>, "born" uuid, "terms" set<int>, PRIMARY KEY ("_id"))',
    );
  });

  it('have the settings that were stored with them, and no columns of the engine', () => {
    const table = parsed([vectorIndex, termsIndex]).tables.get('people')?.table;
    assert.ok(table !== undefined && isCollection(table));
    assert.deepEqual(table.collection, settings);
    assert.deepEqual(
      table.columns.map((column) => `${column.name} ${quotedColumn(column)}`),
      ['_id "_id"', 'document "document"', 'reserved "reserved"', '$vector "vector"', '$lexical "lexical"'],
    );
    assert.equal(collectionColumns(table).vector?.vectorLimits?.mostMagnitude, Math.fround(1e17));
  });

  it('are unfinished while they lack an index', () => {
    const unfinished = parsed([]);
    assert.deepEqual([...unfinished.tables.keys()], []);
    assert.deepEqual(unfinished.unfinished.get('people')?.lacking, [
      'CREATE CUSTOM INDEX IF NOT EXISTS "people_query_vector_value" ON "shop"."people" ("vector") ' +
        "USING 'StorageAttachedIndex' WITH OPTIONS = {'similarity_function': 'euclidean', 'optimize_for': 'recall'}",
      'CREATE CUSTOM INDEX IF NOT EXISTS "people_query_terms_value" ON "shop"."people" (values("terms")) ' +
        "USING 'StorageAttachedIndex'",
    ]);
    assert.equal(parsed([], unfinished), unfinished);
    const finished = parsed([vectorIndex, termsIndex], unfinished);
    assert.deepEqual([[...finished.tables.keys()], finished.unfinished.size], [['people'], 0]);
  });

  it('show an index that nodes are still building', () => {
    const buildingOf = (indexes: readonly IndexRow[]) =>
      parsed(indexes)
        .tables.get('people')
        ?.table.indexes.find(({ kind }) => kind === 'vector')?.isBuilding;
    assert.equal(buildingOf([vectorIndex, termsIndex]), undefined);
    assert.equal(buildingOf([{ ...vectorIndex, isBuilding: true }, termsIndex]), true);
  });

  it('say whether documents are found by their words: not in collections of earlier builds', () => {
    const earlier = comment.replace(',"tokenTerms":true}', '}');
    assert.notEqual(earlier, comment);
    const building = { ...termsIndex, isBuilding: true };
    for (const [ownComment, index, isFound] of [
      [comment, termsIndex, true],
      [comment, building, false],
      [earlier, termsIndex, false],
      [earlier, building, false],
    ] as const) {
      const table = parsed([vectorIndex, index], undefined, ownComment).tables.get('people')?.table;
      assert.ok(table !== undefined && isCollection(table));
      assert.deepEqual(table.collection, settings);
      assert.equal(hasTokenTerms(table), isFound);
    }
  });

  it('say that documents are not found by terms while nodes build their index', () => {
    const hasTermsWith = (index: IndexRow) => {
      const table = parsed([vectorIndex, index]).tables.get('people')?.table;
      assert.ok(table);
      return hasTerms(table);
    };
    assert.equal(hasTermsWith(termsIndex), true);
    assert.equal(hasTermsWith({ ...termsIndex, isBuilding: true }), false);
  });
});
