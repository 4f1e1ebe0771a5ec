// Collections: their creation, their commands, and every error of documents (wire: collections).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const people = at('/v1/default_keyspace/people');
const plain = at('/v1/default_keyspace/plain');
const hashed = at('/v1/default_keyspace/hashed');
const table = at('/v1/default_keyspace/books');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const refused = (problem: string) => `{"errors":[<REQUEST ${problem}>]}`;
const notInserted = (problem: string) => `{"status":{"insertedIds":[]},"errors":[<REQUEST ${problem}>]}`;

describe('collections', () => {
  describe('createCollection', () => {
    it('makes a collection once, and does nothing the second time with the same options', async () => {
      const create = '{"createCollection":{"name":"people","options":{"vector":{"dimension":2}}}}';
      await keyspace(create, ok);
      await keyspace(create, ok);
      await keyspace('{"createCollection":{"name":"plain","options":{"lexical":{"enabled":false}}}}', ok);
      await keyspace(
        `{"createCollection":{"name":"hashed","options":{"vector":{"service":
          {"provider":"colonnade","modelName":"hashed-ngrams"}},"indexing":{"deny":["secret"]}}}}`,
        ok,
      );
    });

    const others = [
      '{"vector":{"dimension":3}}',
      '{"vector":{"dimension":2,"metric":"euclidean"}}',
      '{}',
      '{"vector":{"dimension":2},"defaultId":{"type":"uuid"}}',
      '{"vector":{"dimension":2},"indexing":{"deny":["a"]}}',
      '{"vector":{"dimension":2},"lexical":{"enabled":false}}',
    ];
    for (const options of others) {
      it(`refuses a name that exists with other options: ${options}`, () =>
        keyspace(
          `{"createCollection":{"name":"people","options":${options}}}`,
          failed('SCHEMA EXISTING_COLLECTION_DIFFERENT_SETTINGS: Collection exists with other options'),
        ));
    }

    it('takes lexical and rerank from the collection if they are absent', () =>
      keyspace('{"createCollection":{"name":"plain","options":{}}}', ok));

    const bad = [
      ['{"extra":1}', 'INVALID_CREATE_COLLECTION_FIELD: Option of createCollection unknown'],
      ['{"vector":{"size":2,"x":1}}', 'INVALID_CREATE_COLLECTION_FIELD: Option of createCollection unknown'],
      ['{"vector":{"dimension":5000}}', 'SCHEMA VECTOR_SEARCH_TOO_BIG_VALUE: Vector dimension too large'],
      ['{"vector":{}}', 'SCHEMA INVALID_CREATE_COLLECTION_OPTIONS: Service or options not valid'],
      ['{"lexical":{}}', 'SCHEMA INVALID_CREATE_COLLECTION_OPTIONS: Service or options not valid'],
      [
        '{"rerank":{"enabled":true,"service":{"provider":"x"}}}',
        'SCHEMA INVALID_CREATE_COLLECTION_OPTIONS: Service or options not valid',
      ],
      [
        '{"indexing":{"allow":["a"],"deny":["b"]}}',
        'SCHEMA INVALID_INDEXING_DEFINITION: Option indexing not valid',
      ],
      ['{"indexing":{}}', 'SCHEMA INVALID_INDEXING_DEFINITION: Option indexing not valid'],
      ['{"vector":{"dimension":0}}', 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid'],
      [
        '{"vector":{"dimension":2,"metric":"near"}}',
        'COMMAND_FIELD_VALUE_INVALID: Command field value invalid',
      ],
      ['{"defaultId":{"type":"number"}}', 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid'],
    ] as const;
    for (const [options, error] of bad) {
      it(`refuses ${options}`, () =>
        keyspace(`{"createCollection":{"name":"other","options":${options}}}`, failed(error)));
    }

    it('refuses the name of a table, and that of an index that it needs', async () => {
      await keyspace(
        '{"createTable":{"name":"books","definition":{"columns":{"id":"int","t":"text"},"primaryKey":"id"}}}',
        ok,
      );
      await keyspace(
        '{"createCollection":{"name":"books"}}',
        failed('SCHEMA EXISTING_TABLE_NOT_DATA_API_COLLECTION: A table has this name'),
      );
      await table('{"createIndex":{"name":"c_query_lexical_value","definition":{"column":"t"}}}', ok);
      await keyspace(
        '{"createCollection":{"name":"c"}}',
        failed('SCHEMA EXISTING_INDEX_FOR_COLLECTION: Name of an index taken'),
      );
    });

    it('makes names that tables cannot have', async () => {
      await keyspace(
        '{"createTable":{"name":"people","definition":{"columns":{"id":"int"},"primaryKey":"id"}}}',
        failed('SCHEMA CANNOT_ADD_EXISTING_TABLE: Table exists'),
      );
      await keyspace('{"listTables":{}}', '{"status":{"tables":["books"]}}');
      await keyspace('{"findCollections":{}}', '{"status":{"collections":["people","plain","hashed"]}}');
    });
  });

  describe('deleteCollection', () => {
    it('does nothing without a collection, and does not drop a table', async () => {
      await keyspace('{"deleteCollection":{"name":"nothing"}}', ok);
      await keyspace(
        '{"deleteCollection":{"name":"books"}}',
        failed('SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown'),
      );
    });
  });

  describe('a command of the other kind', () => {
    for (const name of ['alterTable', 'createIndex', 'createVectorIndex', 'createTextIndex', 'listIndexes']) {
      it(`is refused on a collection: ${name}`, () =>
        people(
          `{"${name}":{}}`,
          (name === 'listIndexes' ? refused : failed)(
            'UNSUPPORTED_COLLECTION_COMMAND: Command not supported on collections',
          ),
        ));
    }
    it('is refused on a table: countDocuments', () =>
      table('{"countDocuments":{}}', refused('UNSUPPORTED_TABLE_COMMAND: Command not supported on tables')));
  });
});

describe('documents', () => {
  describe('that cannot be stored', () => {
    const bad = [
      ['{"_id":""}', 'DOCUMENT SHRED_BAD_DOCID_VALUE: _id not valid'],
      ['{"_id":[1]}', 'DOCUMENT SHRED_BAD_DOCID_TYPE: _id of an unsupported kind'],
      ['{"_id":{"$uuid":"x"}}', 'DOCUMENT SHRED_BAD_DOCID_TYPE: _id of an unsupported kind'],
      ['{"a":{"$date":"x"}}', 'DOCUMENT SHRED_BAD_EJSON_VALUE: Extended value not valid'],
      ['{"a":{"$b":1}}', 'DOCUMENT SHRED_BAD_FIELD_NAME: Name of a member not valid'],
      ['{"":1}', 'DOCUMENT SHRED_BAD_FIELD_NAME: Name of a member not valid'],
      ['{"$vector":[]}', 'DOCUMENT SHRED_BAD_VECTOR_SIZE: Vector empty'],
      ['{"$vector":[1,"a"]}', 'DOCUMENT SHRED_BAD_VECTOR_VALUE: Vector element not usable'],
      ['{"$vector":[0,0]}', 'DOCUMENT SHRED_BAD_VECTOR_VALUE: Vector element not usable'],
      ['{"$vector":"a"}', 'DOCUMENT SHRED_BAD_DOCUMENT_VECTOR_TYPE: $vector of an unsupported kind'],
      ['{"$vector":{"$binary":"AAA="}}', 'DOCUMENT SHRED_BAD_BINARY_VECTOR_VALUE: Binary vector not valid'],
      ['{"$vector":[1,2,3]}', 'DOCUMENT INVALID_VECTOR_LENGTH: Vector dimension differs from the collection'],
      ['{"$lexical":1}', 'DOCUMENT SHRED_BAD_DOCUMENT_LEXICAL_TYPE: $lexical not a string'],
      [`{"$lexical":"${'x '.repeat(5_000)}"}`, 'DOCUMENT LEXICAL_CONTENT_TOO_LONG: $lexical too long'],
      [`{"a":"${'x'.repeat(8_001)}"}`, 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded'],
      [`{"a":[${'1,'.repeat(1_000)}1]}`, 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded'],
      [`{"${'a'.repeat(1_001)}":1}`, 'DOCUMENT SHRED_DOC_LIMIT_VIOLATION: Limit of a document exceeded'],
    ] as const;
    for (const [document, error] of bad) {
      it(`are refused: ${document.slice(0, 40)}`, () =>
        people(`{"insertOne":{"document":${document}}}`, notInserted(error)));
    }
    for (const document of ['null', '[]', '5']) {
      it(`are not objects: ${document}`, () =>
        people(
          `{"insertOne":{"document":${document}}}`,
          notInserted('DOCUMENT SHRED_BAD_DOCUMENT_TYPE: Document not an object'),
        ));
    }
    const whole = [
      ['{"$hybrid":"a","$lexical":"b"}', 'HYBRID_FIELD_CONFLICT: $hybrid beside other reserved members'],
      ['{"$hybrid":5}', 'HYBRID_FIELD_UNSUPPORTED_VALUE_TYPE: $hybrid of an unsupported kind'],
      ['{"$hybrid":{"x":"a"}}', 'HYBRID_FIELD_UNKNOWN_SUBFIELDS: Member of $hybrid unknown'],
      [
        '{"$hybrid":{"$lexical":5}}',
        'HYBRID_FIELD_UNSUPPORTED_SUBFIELD_VALUE_TYPE: Member of $hybrid not a string',
      ],
      [
        '{"$vectorize":"a"}',
        'SCHEMA EMBEDDING_SERVICE_NOT_CONFIGURED: Collection without an embedding service',
      ],
    ] as const;
    for (const [document, error] of whole) {
      it(`make the whole command fail: ${document}`, () =>
        people(`{"insertMany":{"documents":[{"_id":"never"},${document}]}}`, refused(error)));
    }
    it('have vectors or words that the collection does not have', async () => {
      await plain(
        '{"insertOne":{"document":{"$vector":[1,2]}}}',
        refused('SCHEMA VECTOR_SEARCH_NOT_SUPPORTED: Collection without vectors'),
      );
      await plain(
        '{"insertOne":{"document":{"$lexical":"a"}}}',
        notInserted('SCHEMA LEXICAL_NOT_ENABLED_FOR_COLLECTION: Text search not enabled for the collection'),
      );
      await hashed(
        '{"insertOne":{"document":{"$vectorize":5}}}',
        refused('DOCUMENT INVALID_VECTORIZE_VALUE_TYPE: $vectorize not a string'),
      );
      await hashed(
        '{"insertOne":{"document":{"$vectorize":"a","$vector":[1]}}}',
        refused('SCHEMA INVALID_USAGE_OF_VECTORIZE: Both $vector and $vectorize'),
      );
    });
  });

  describe('that are stored', () => {
    it('have one id: an id that exists is refused, and the document is not changed', async () => {
      await people('{"insertOne":{"document":{"_id":1,"a":1}}}', '{"status":{"insertedIds":[1]}}');
      await people(
        '{"insertOne":{"document":{"_id":1.0,"a":2}}}',
        '{"status":{"insertedIds":[]},"errors":[<REQUEST DOCUMENT DOCUMENT_ALREADY_EXISTS: Document exists>]}',
        'A document with the _id 1 exists',
      );
      await people('{"findOne":{"filter":{"_id":1}}}', '{"data":{"document":{"_id":1,"a":1}}}');
      await people('{"insertOne":{"document":{"_id":"1"}}}', '{"status":{"insertedIds":["1"]}}');
    });

    it('keep the id that a replacement must not change', () =>
      people(
        '{"findOneAndReplace":{"filter":{"_id":1},"replacement":{"_id":2}}}',
        refused('DOCUMENT DOCUMENT_REPLACE_DIFFERENT_DOCID: Replacement with another _id'),
      ));
  });

  describe('filters that are refused', () => {
    const bad = [
      ['{"_id":1,"$and":[{"_id":2}]}', 'FILTER FILTER_MULTIPLE_ID_FILTER: Several comparisons of _id'],
      ['{"a":[1]}', 'FILTER FILTER_INVALID_EXPRESSION: Filter expression not well-formed'],
      ['{"a":{"$near":1}}', 'FILTER FILTER_UNSUPPORTED_OPERATOR: Filter operator unknown'],
      ['[1]', 'FILTER FILTER_UNSUPPORTED_DATA_TYPE: Filter value of an unsupported kind'],
    ] as const;
    for (const [filter, error] of bad) {
      it(filter, () => people(`{"find":{"filter":${filter}}}`, refused(error)));
    }

    it('by paths that are not indexed', async () => {
      await hashed(
        '{"find":{"filter":{"secret":1}}}',
        refused('FILTER FILTER_PATH_UNINDEXED: Filter on a path that is not indexed'),
      );
      await keyspace('{"createCollection":{"name":"narrow","options":{"indexing":{"allow":["a"]}}}}', ok);
      await at('/v1/default_keyspace/narrow')(
        '{"find":{"filter":{"_id":{"$gt":1}}}}',
        refused('FILTER FILTER_ID_NOT_INDEXED: Filter on an _id that is not indexed'),
      );
    });
  });

  describe('sorts and options that are refused', () => {
    const bad = [
      ['"sort":{"$vector":[1,2],"a":1}', 'SORT SORT_CLAUSE_INVALID: Sort not well-formed'],
      ['"sort":{"a..b":1}', 'SORT SORT_CLAUSE_PATH_INVALID: Sort path not valid'],
      ['"sort":{"a":2}', 'SORT SORT_CLAUSE_VALUE_INVALID: Value of a sort not usable'],
      [
        '"projection":{"a":1,"b":0}',
        'PROJECTION UNSUPPORTED_PROJECTION_PARAM: Projection parameter not supported',
      ],
      ['"options":{"skip":1}', 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid'],
      [
        '"sort":{"$vector":[1,2]},"options":{"limit":1001}',
        'COMMAND_FIELD_VALUE_INVALID: Command field value invalid',
      ],
    ] as const;
    for (const [clause, error] of bad) it(clause, () => people(`{"find":{${clause}}}`, refused(error)));

    it('but a skip of 0 is none', async () => {
      for (const sort of ['', '"sort":{},', '"sort":{"_id":-1},', '"sort":{"$vector":[1,2]},']) {
        const find = (options: string) =>
          send({ path: '/v1/default_keyspace/people', body: `{"find":{${sort}"options":{${options}}}}` });
        const [without, zero] = await Promise.all([find(''), find('"skip":0')]);
        assert.equal(zero.text, without.text);
        assert.match(zero.text, /^{"data":{"documents":/);
      }
    });

    it('by paths that are not indexed', () =>
      hashed(
        '{"find":{"sort":{"secret":1}}}',
        refused('SORT SORT_CLAUSE_PATH_UNINDEXED: Sort by a path that is not indexed'),
      ));
  });

  describe('updates that are refused', () => {
    const bad = [
      ['{"a":1}', 'UPDATE UNSUPPORTED_UPDATE_OPERATION: Update operator unknown'],
      ['{"$set":5}', 'UPDATE UNSUPPORTED_UPDATE_DATA_TYPE: Operator takes an object'],
      [
        '{"$inc":{"$x":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATION_MODIFIER: Modifier or path of an update operator unknown',
      ],
      [
        '{"$inc":{"a":"b"}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATION_PARAM: Operand of an update operator not valid',
      ],
      [
        '{"$set":{"a":1,"a.b":2}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATION_PARAM: Operand of an update operator not valid',
      ],
      [
        '{"$set":{"a.b":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATION_PATH: Path of an update operator not valid',
      ],
      [
        '{"$push":{"a":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATION_TARGET: Stored value not one for the update operator',
      ],
      ['{"$set":{"_id":2}}', 'UPDATE UNSUPPORTED_UPDATE_OPERATOR_FOR_DOC_ID: _id cannot be changed'],
      [
        '{"$inc":{"$vector":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTOR: Operator not possible on $vector',
      ],
      [
        '{"$inc":{"$vectorize":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATOR_FOR_VECTORIZE: Operator not possible on $vectorize',
      ],
      [
        '{"$push":{"$lexical":1}}',
        'UPDATE UNSUPPORTED_UPDATE_OPERATOR_FOR_LEXICAL: Operator not possible on $lexical',
      ],
    ] as const;
    for (const [update, error] of bad) {
      it(update, () => people(`{"updateOne":{"filter":{"_id":1},"update":${update}}}`, refused(error)));
    }
  });

  describe('pages', () => {
    it('count the limit over all of them', async () => {
      const documents = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => `{"_id":${from + at},"k":"v"}`).join(',');
      await keyspace('{"createCollection":{"name":"paged"}}', ok);
      const paged = at('/v1/default_keyspace/paged');
      const ids = Array.from({ length: 60 }, (_, at) => String(at)).join(',');
      await paged(
        `{"insertMany":{"documents":[${documents(0, 60)}]}}`,
        `{"status":{"insertedIds":[${ids}]}}`,
      );
      await paged('{"countDocuments":{"filter":{"k":"v"}}}', '{"status":{"count":60}}');
      await paged('{"deleteMany":{"filter":{"k":"v"}}}', '{"status":{"deletedCount":20,"moreData":true}}');
      await paged('{"deleteMany":{}}', '{"status":{"deletedCount":-1}}');
      await paged('{"countDocuments":{}}', '{"status":{"count":0}}');
    });
  });
});
