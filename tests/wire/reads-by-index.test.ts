// Reads by indexes: which rows, in which order, and what is warned of.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const columns =
  '{"org":"text","team":"text","no":"int","name":"text","age":"int","photo":"blob","stay":"duration",' +
  '"tags":{"type":"set","valueType":"text"}}';
const key = '{"partitionBy":["org","team"],"partitionSort":{"no":-1}}';
const rows = [
  '{"org":"a","team":"x","no":1,"name":"\\u00c9lan","age":30}',
  '{"org":"a","team":"x","no":2,"name":"elan","age":20}',
  '{"org":"b","team":"y","no":1,"name":"Zo\\u0065\\u0308","age":20}',
  '{"org":"b","team":"y","no":3}',
];
const { at, restart } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"people","definition":{"columns":${columns},"primaryKey":${key}}}}`,
    ],
    [
      '/v1/default_keyspace',
      '{"createTable":{"name":"plain","definition":{"columns":{"id":"text","n":"int"},"primaryKey":"id"}}}',
    ],
    ['/v1/default_keyspace/people', `{"insertMany":{"documents":[${rows.join(',')}]}}`],
  ],
});
const people = at('/v1/default_keyspace/people');
const ok = '{"status":{"ok":1}}';
const create = (name: string, definition: string, more = '') =>
  `{"createIndex":{"name":"${name}","definition":${definition}${more}}}`;

const shown = '"status":{"projectionSchema":{"team":{"type":"text"},"no":{"type":"int"}}';
const warned = (warning: string) => `,"warnings":[${warning}]`;
const missingIndex = warned('<REQUEST WARNING MISSING_INDEX: Filter without an index>');
/** The team and number of each row that a filter finds, in order. */
const finds = (filter: string, found: readonly string[], warnings = '') =>
  people(
    `{"find":{"filter":${filter},"projection":{"team":1,"no":1}}}`,
    `{"data":{"documents":[${found
      .map((row) => `{"team":"${row.charAt(0)}","no":${row.slice(1)}}`)
      .join(',')}],"nextPageState":null},${shown}${warnings}}}`,
  );

describe('indexes', () => {
  it('are created', async () => {
    await people(create('by_age', '{"column":"age"}'), ok);
    await people(create('by_name', '{"column":"name","options":{"ascii":true,"caseSensitive":false}}'), ok);
  });

  const readsByIndex = async () => {
    await finds('{"age":20}', ['x2', 'y1']);
    await finds('{"age":{"$gte":20}}', ['x2', 'y1', 'x1']);
    await finds('{"age":{"$in":[30,20]}}', ['x2', 'y1', 'x1']);
    await finds('{"age":{"$ne":20}}', ['x1']);
    await finds('{"age":{"$nin":[]}}', ['x2', 'x1', 'y1']);
  };
  it('serve reads, which come by value and primary key', readsByIndex);

  it('index options: act on equality, and on nothing else', async () => {
    await finds('{"name":"ELAN"}', ['x2', 'x1']);
    await finds('{"name":{"$in":["ELAN","ZOE"]}}', ['x2', 'x1']);
    await finds('{"name":{"$gt":"elan"}}', ['x1'], range);
    await finds('{"name":{"$ne":"ELAN"}}', ['y1'], notEqual);
    await finds('{"name":{"$nin":["ELAN"]}}', ['y1'], notIn);
  });
  const range = warned(
    '<REQUEST WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range that an index does not serve everywhere>',
  );
  const notEqual = warned(
    '<REQUEST WARNING NOT_EQUALS_UNSUPPORTED_BY_INDEXING: Inequality that an index does not serve>',
  );
  const notIn = warned(
    '<REQUEST WARNING NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: Exclusion that an index does not serve>',
  );

  it('are missed where a filtered column has none', () => finds('{"age":20,"stay":"1d"}', [], missingIndex));

  it('follow updates and deletes, and survive a restart', async () => {
    const done = '{"status":{"matchedCount":1,"modifiedCount":1}}';
    const row = '{"org":"a","team":"x","no":2}';
    await people(`{"updateOne":{"filter":${row},"update":{"$set":{"age":31}}}}`, done);
    await finds('{"age":{"$gte":20}}', ['y1', 'x1', 'x2']);
    await people(`{"updateOne":{"filter":${row},"update":{"$set":{"age":20}}}}`, done);
    await restart();
    await readsByIndex();
  });
});
