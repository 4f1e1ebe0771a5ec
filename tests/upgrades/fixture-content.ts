// What the data directories of released versions contain, and the requests whose replies every later version repeats.

/** A request to one of the ports of a server. */
export interface FixtureRequest {
  readonly port: 'data' | 'ops';
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

const data = (path: string, body: string): FixtureRequest => ({
  port: 'data',
  method: 'POST',
  path: `/v1/default_keyspace${path}`,
  body,
});
const query = (text: string): FixtureRequest => ({
  port: 'ops',
  method: 'POST',
  path: '/local/cql',
  body: JSON.stringify({ query: text }),
});
const read = (path: string): FixtureRequest => ({ port: 'ops', method: 'GET', path });

const service = { provider: 'colonnade', modelName: 'hashed-ngrams' };
const everyType = {
  columns: {
    id: 'int',
    at: 'timestamp',
    a: 'ascii',
    b: 'bigint',
    bl: 'blob',
    bo: 'boolean',
    d: 'date',
    de: 'decimal',
    dou: 'double',
    du: 'duration',
    f: 'float',
    i: 'inet',
    s: 'smallint',
    t: 'text',
    ti: 'time',
    tin: 'tinyint',
    u: 'uuid',
    v: 'varint',
    list: { type: 'list', valueType: 'double' },
    set: { type: 'set', valueType: 'text' },
    map: { type: 'map', keyType: 'text', valueType: 'int' },
    vector: { type: 'vector', dimension: 3 },
    gone: 'text',
    place: { type: 'userDefined', udtName: 'place' },
  },
  primaryKey: { partitionBy: ['id'], partitionSort: { at: -1 } },
};
const fullRow =
  '{"id":1,"at":"2026-11-25T10:00:00.123Z","a":"ascii","b":9223372036854775807,"bl":{"$binary":"AAH/"},"bo":true,' +
  '"d":"2026-11-25","de":1.50,"dou":-0.0,"du":"P1M2DT3H","f":0.1,"i":"::1","s":-5,"t":"The roof of the house",' +
  '"ti":"10:11:12.000000001","tin":7,"u":"018f0000-0000-7000-8000-000000000001","v":123456789012345678901234567890,' +
  '"list":[1.5,"NaN"],"set":["a","b"],"map":{"one":1,"two":2},"vector":[1,0,0.5],"gone":"dropped",' +
  '"place":{"street":"Main Street","number":5}}';

/** Fills an empty server of the extended dialect, in this order. */
export const fixtureSteps: readonly FixtureRequest[] = [
  data('', '{"createType":{"name":"place","definition":{"fields":{"street":"text","number":"int"}}}}'),
  data('', JSON.stringify({ createTable: { name: 'everything', definition: everyType } })),
  data('/everything', '{"createIndex":{"name":"by_s","definition":{"column":"s"}}}'),
  data('/everything', '{"createIndex":{"name":"by_a","definition":{"column":"a"}}}'),
  data('/everything', '{"createIndex":{"name":"by_set","definition":{"column":"set"}}}'),
  data('/everything', '{"createVectorIndex":{"name":"by_vector","definition":{"column":"vector"}}}'),
  data('/everything', '{"createTextIndex":{"name":"by_text","definition":{"column":"t"}}}'),
  data('/everything', `{"insertOne":{"document":${fullRow}}}`),
  data(
    '/everything',
    '{"insertOne":{"document":{"id":1,"at":"2026-11-25T11:00:00Z","t":"A boiler","vector":[0,1,0]}}}',
  ),
  data(
    '/everything',
    '{"updateOne":{"filter":{"id":2,"at":"2026-01-01T00:00:00Z"},"update":{"$set":{"s":3}}}}',
  ),
  data('/everything', '{"alterTable":{"operation":{"drop":{"columns":["gone"]}}}}'),
  data('', JSON.stringify({ createTable: { name: 'notes', definition: notesDefinition() } })),
  data('/notes', '{"createVectorIndex":{"name":"by_meaning","definition":{"column":"meaning"}}}'),
  data(
    '/notes',
    '{"insertMany":{"documents":[{"id":1,"meaning":"a boiler was repaired"},{"id":2,"meaning":"a new roof"}]}}',
  ),
  query('CREATE TABLE default_keyspace.hits (page text PRIMARY KEY, n counter)'),
  query(
    'CREATE TABLE default_keyspace.mixed (a int, b int, s text static, f frozen<list<int>>, t timeuuid, PRIMARY KEY (a, b))',
  ),
  data(
    '/mixed',
    '{"insertOne":{"document":{"a":1,"b":2,"s":"shared","f":[3,1],"t":"00000000-0000-1000-8080-808080808080"}}}',
  ),
  data(
    '',
    JSON.stringify({
      createCollection: { name: 'people', options: { vector: { service }, indexing: { deny: ['secret'] } } },
    }),
  ),
  data(
    '/people',
    '{"insertMany":{"documents":[' +
      '{"_id":1,"name":"Ada","n":12345678901234567890.5,"tags":["x",{"y":null}],"$vectorize":"a program"},' +
      '{"_id":{"$uuid":"018f0000-0000-7000-8000-000000000001"},"at":{"$date":5},"$hybrid":"a moth in a relay"},' +
      '{"_id":{"$objectId":"507f1f77bcf86cd799439011"},"name":"Grace","tags":[]}]}}',
  ),
  data('/people', '{"updateOne":{"filter":{"_id":1},"update":{"$inc":{"visits":2},"$push":{"tags":"z"}}}}'),
  { port: 'ops', method: 'PUT', path: '/local/embedding-keys/mine', body: '{"providerKey":"no-secret"}' },
  {
    port: 'ops',
    method: 'POST',
    path: '/local/alert-rules',
    body: '{"type":"rolling-avg","metric":"write-ops","threshold":500,"duration":5}',
  },
  {
    port: 'ops',
    method: 'POST',
    path: '/local/notification-channels',
    body: '{"type":"webhook","url":"https://example.org/hook"}',
  },
];

function notesDefinition(): object {
  return { columns: { id: 'int', meaning: { type: 'vector', service } }, primaryKey: 'id' };
}

/** Requests whose replies stay the same, except warnings and members that later versions add. */
export const fixtureReads: readonly FixtureRequest[] = [
  data('', '{"listTables":{"options":{"explain":true}}}'),
  data('', '{"listTypes":{}}'),
  data('', '{"findCollections":{"options":{"explain":true}}}'),
  data('/everything', '{"listIndexes":{"options":{"explain":true}}}'),
  data('/everything', '{"find":{"filter":{"id":1}}}'),
  data('/everything', '{"find":{"filter":{"id":2}}}'),
  data('/everything', '{"find":{"filter":{"s":{"$lt":0}},"projection":{"id":true}}}'),
  data('/everything', '{"find":{"filter":{"set":{"$in":["b"]}},"projection":{"id":true}}}'),
  data('/everything', '{"find":{"filter":{"t":{"$match":"roof"}},"projection":{"t":true}}}'),
  data('/everything', '{"find":{"sort":{"vector":[0,1,0]},"projection":{"at":true},"options":{"limit":1}}}'),
  data('/notes', '{"find":{"sort":{"meaning":"boiler"},"projection":{"id":true},"options":{"limit":1}}}'),
  data('/mixed', '{"find":{"filter":{"a":1}}}'),
  data('/people', '{"find":{"projection":{"*":true}}}'),
  data('/people', '{"find":{"filter":{"tags":"z"},"projection":{"_id":true}}}'),
  data('/people', '{"find":{"filter":{"n":{"$gt":12345678901234567890}},"projection":{"name":true}}}'),
  data('/people', '{"find":{"filter":{"at":{"$exists":true}},"projection":{"_id":true}}}'),
  data('/people', '{"find":{"sort":{"$lexical":"moth"},"projection":{"_id":true},"options":{"limit":1}}}'),
  data(
    '/people',
    '{"find":{"sort":{"$vectorize":"program"},"projection":{"_id":true},"options":{"limit":1}}}',
  ),
  query('SELECT * FROM default_keyspace.mixed WHERE a = 1'),
  read('/local/embedding-keys'),
  read('/local/alert-rules'),
  read('/local/notification-channels'),
];

/** Writes that every later version accepts on such a directory. */
export const fixtureWrites: readonly FixtureRequest[] = [
  data(
    '/everything',
    '{"insertOne":{"document":{"id":9,"at":"2026-11-25T10:00:00Z","s":1,"t":"new","set":["n"],"vector":[0,0,1]}}}',
  ),
  data('/people', '{"insertOne":{"document":{"_id":9,"name":"New","$hybrid":"new words"}}}'),
  data('/people', '{"findOneAndUpdate":{"filter":{"name":"Ada"},"update":{"$inc":{"visits":1}}}}'),
  data('/everything', '{"deleteMany":{"filter":{"id":1}}}'),
  data('/people', '{"deleteOne":{"filter":{"_id":1}}}'),
];
