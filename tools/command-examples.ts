// One session with a new server in which every command has its turn: shown in docs/commands.md, and tested.
import type { Command } from '../src/data-service/commands/command.js';
import { collectionExamples } from './collection-examples.js';
import type { CommandExample } from './command-example.js';

const database = { target: 'database', path: '/v1' } as const;
const keyspace = { target: 'keyspace', path: '/v1/shop' } as const;
const table = { target: 'table', path: '/v1/shop/orders' } as const;
const keySchema = '"primaryKeySchema":{"customer":{"type":"text"},"day":{"type":"date"}}';

/** In the order in which they are sent. */
export const commandExamples: readonly CommandExample[] = [
  {
    command: 'createKeyspace',
    ...database,
    request: '{"createKeyspace":{"name":"shop"}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'findKeyspaces',
    ...database,
    request: '{"findKeyspaces":{}}',
    reply: '{"status":{"keyspaces":["default_keyspace","shop"]}}',
  },
  {
    command: 'findEmbeddingProviders',
    ...database,
    request: '{"findEmbeddingProviders":{}}',
    reply:
      '{"status":{"embeddingProviders":{"colonnade":{…"models":[{"name":"hashed-ngrams",…' +
      '"openai":{"displayName":"OpenAI","url":"https://api.openai.com/v1/",…' +
      '{"name":"text-embedding-ada-002","apiModelSupport":{"status":"SUPPORTED","message":null},' +
      '"vectorDimension":1536,"parameters":[]}…}}}',
  },
  {
    command: 'createTable',
    ...keyspace,
    request: `{"createTable":{"name":"orders","definition":{
  "columns":{"customer":"text","day":"date","total":"decimal","note":{"type":"text"}},
  "primaryKey":{"partitionBy":["customer"],"partitionSort":{"day":-1}}}}}`,
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'findCollections',
    ...keyspace,
    request: '{"findCollections":{}}',
    reply: '{"status":{"collections":[]}}',
  },
  {
    command: 'listTypes',
    ...keyspace,
    request: '{"listTypes":{}}',
    reply: '{"status":{"types":[]}}',
  },
  {
    command: 'createType',
    ...keyspace,
    dialect: 'extended',
    request:
      '{"createType":{"name":"address","definition":{"fields":{"street":"text","zip":{"type":"int"}}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'alterType',
    ...keyspace,
    dialect: 'extended',
    request:
      '{"alterType":{"name":"address","rename":{"fields":{"zip":"postcode"}},"add":{"fields":{"country":"text"}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'dropType',
    ...keyspace,
    dialect: 'extended',
    request: '{"dropType":{"name":"address"}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'listTables',
    ...keyspace,
    request: '{"listTables":{}}',
    reply: '{"status":{"tables":["orders"]}}',
  },
  {
    command: 'listTables',
    ...keyspace,
    request: '{"listTables":{"options":{"explain":true}}}',
    reply:
      '{"status":{"tables":[{"name":"orders","definition":{"columns":{"customer":{"type":"text"},' +
      '"day":{"type":"date"},"total":{"type":"decimal"},"note":{"type":"text"}},' +
      '"primaryKey":{"partitionBy":["customer"],"partitionSort":{"day":-1}}}}]}}',
  },
  {
    command: 'alterTable',
    ...table,
    request: '{"alterTable":{"operation":{"add":{"columns":{"paid":"boolean","tip":{"type":"int"}}}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'alterTable',
    ...table,
    request: '{"alterTable":{"operation":{"drop":{"columns":["paid","tip"]}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'insertOne',
    ...table,
    request: '{"insertOne":{"document":{"customer":"ada","day":"2024-05-06","total":12.50}}}',
    reply: `{"status":{"insertedIds":[["ada","2024-05-06"]],${keySchema}}}`,
  },
  {
    command: 'insertMany',
    ...table,
    request: `{"insertMany":{"documents":[
  {"customer":"ada","day":"2024-05-07","total":3},
  {"customer":"bob","day":"2024-05-07","total":1e3,"note":"large"}],
  "options":{"ordered":true,"returnDocumentResponses":true}}}`,
    reply:
      '{"status":{"documentResponses":[{"_id":["ada","2024-05-07"],"status":"OK"},' +
      `{"_id":["bob","2024-05-07"],"status":"OK"}],${keySchema}}}`,
  },
  {
    command: 'updateOne',
    ...table,
    request: `{"updateOne":{"filter":{"customer":"ada","day":"2024-05-06"},
  "update":{"$set":{"note":"gift"},"$unset":{"total":""}}}}`,
    reply: '{"status":{"matchedCount":1,"modifiedCount":1}}',
  },
  {
    command: 'find',
    ...table,
    request: '{"find":{"filter":{"customer":"ada"},"projection":{"day":1,"total":1,"note":1}}}',
    reply:
      '{"data":{"documents":[{"day":"2024-05-07","total":3},{"day":"2024-05-06","note":"gift"}],' +
      '"nextPageState":null},"status":{"projectionSchema":{"day":{"type":"date"},"total":{"type":"decimal"},"note":{"type":"text"}}}}',
  },
  {
    command: 'find',
    ...table,
    request:
      '{"find":{"filter":{"customer":"ada"},"sort":{"day":1},"projection":{"day":1},"options":{"limit":1}}}',
    reply:
      '{"data":{"documents":[{"day":"2024-05-06"}],"nextPageState":null},' +
      '"status":{"projectionSchema":{"day":{"type":"date"}}}}',
  },
  {
    command: 'findOne',
    ...table,
    request: '{"findOne":{"filter":{"customer":"bob","day":"2024-05-07"},"projection":{"note":0}}}',
    reply:
      '{"data":{"document":{"customer":"bob","day":"2024-05-07","total":1000}},"status":{"projectionSchema":' +
      '{"customer":{"type":"text"},"day":{"type":"date"},"total":{"type":"decimal"}}}}',
  },
  {
    command: 'deleteOne',
    ...table,
    request: '{"deleteOne":{"filter":{"customer":"bob","day":"2024-05-07"}}}',
    reply: '{"status":{"deletedCount":-1}}',
  },
  {
    command: 'deleteMany',
    ...table,
    request: '{"deleteMany":{"filter":{"customer":"ada","day":{"$lt":"2024-05-07"}}}}',
    reply: '{"status":{"deletedCount":-1}}',
  },
  {
    command: 'createIndex',
    ...table,
    request:
      '{"createIndex":{"name":"orders_by_note","definition":{"column":"note","options":{"caseSensitive":false}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'listIndexes',
    ...table,
    request: '{"listIndexes":{"options":{"explain":true}}}',
    reply:
      '{"status":{"indexes":[{"name":"orders_by_note","definition":{"column":"note",' +
      '"options":{"ascii":false,"caseSensitive":false,"normalize":false}},"indexType":"regular"}]}}',
  },
  {
    command: 'dropIndex',
    ...keyspace,
    request: '{"dropIndex":{"name":"orders_by_note"}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'alterTable',
    ...table,
    request: '{"alterTable":{"operation":{"add":{"columns":{"mood":{"type":"vector","dimension":3}}}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'createVectorIndex',
    ...table,
    request:
      '{"createVectorIndex":{"name":"orders_by_mood","definition":{"column":"mood","options":{"metric":"cosine"}}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'insertOne',
    ...table,
    request: '{"insertOne":{"document":{"customer":"eve","day":"2024-05-09","mood":[0.1,0.8,0.3]}}}',
    reply:
      '{"status":{"insertedIds":[["eve","2024-05-09"]],' +
      '"primaryKeySchema":{"customer":{"type":"text"},"day":{"type":"date"}}}}',
  },
  {
    command: 'find',
    ...table,
    request:
      '{"find":{"sort":{"mood":[0.2,0.7,0.3]},"projection":{"customer":1},' +
      '"options":{"limit":5,"includeSimilarity":true}}}',
    reply:
      '{"data":{"documents":[{"customer":"eve","$similarity":0.9945761}],"nextPageState":null},' +
      '"status":{"projectionSchema":{"customer":{"type":"text"}}}}',
  },
  {
    command: 'createTextIndex',
    ...table,
    dialect: 'extended',
    request: '{"createTextIndex":{"name":"words","definition":{"column":"note"}}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'createTextIndex',
    ...table,
    dialect: 'strict',
    request: '{"createTextIndex":{"name":"words","definition":{"column":"note"}}}',
    reply:
      '{"status":{"ok":0},"errors":[{"id":"<id>","family":"REQUEST","scope":"SCHEMA",' +
      '"errorCode":"LEXICAL_FEATURE_NOT_ENABLED","title":"Text search not available",' +
      '"message":"This server does not have text search in tables: it needs --dialect extended.' +
      '\\nUse a regular index (createIndex) to find texts by equality."}]}',
  },
  {
    command: 'findRerankingProviders',
    ...database,
    request: '{"findRerankingProviders":{}}',
    reply:
      '{"status":{"rerankingProviders":{"colonnade":{"isDefault":true,…"models":[{"name":"reciprocal-rank-fusion",…' +
      '"nvidia":{"isDefault":false,…}}}',
  },
  {
    command: 'dropTable',
    ...keyspace,
    request: '{"dropTable":{"name":"orders","options":{"ifExists":true}}}',
    reply: '{"status":{"ok":1}}',
  },
  ...collectionExamples,
  {
    command: 'dropKeyspace',
    ...database,
    request: '{"dropKeyspace":{"name":"shop"}}',
    reply: '{"status":{"ok":1}}',
  },
  {
    command: 'createNamespace',
    ...database,
    request: '{"createNamespace":{"name":"old"}}',
    reply: `{"status":{"ok":1,"warnings":[${deprecation('createNamespace', 'createKeyspace')}]}}`,
  },
  {
    command: 'findNamespaces',
    ...database,
    request: '{"findNamespaces":{}}',
    reply:
      '{"status":{"namespaces":["default_keyspace","old"],' +
      `"warnings":[${deprecation('findNamespaces', 'findKeyspaces')}]}}`,
  },
  {
    command: 'dropNamespace',
    ...database,
    request: '{"dropNamespace":{"name":"old"}}',
    reply: `{"status":{"ok":1,"warnings":[${deprecation('dropNamespace', 'dropKeyspace')}]}}`,
  },
];

function deprecation(command: string, replacement: string): string {
  return (
    '{"id":"<id>","family":"REQUEST","scope":"WARNING","errorCode":"DEPRECATED_COMMAND","title":"Command deprecated",' +
    `"message":"The command ${command} is deprecated.\\nUse ${replacement} instead."}`
  );
}

/** The examples of a command; commands of other targets may have its name. */
export function examplesOf({ name, target }: Command): readonly CommandExample[] {
  return commandExamples.filter((example) => example.command === name && example.target === target);
}
