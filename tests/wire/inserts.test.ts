// insertOne and insertMany.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const create = (name: string, columns: string, primaryKey: string): readonly [string, string] => [
  '/v1/default_keyspace',
  `{"createTable":{"name":"${name}","definition":{"columns":${columns},"primaryKey":${primaryKey}}}}`,
];
const { at } = useWireServer({
  prepare: [
    create('people', '{"id":"text","age":"int","score":"double"}', '"id"'),
    create(
      'events',
      '{"day":"date","place":"text","at":"time","what":"text"}',
      '{"partitionBy":["place","day"],"partitionSort":{"at":-1}}',
    ),
    create('bytes', '{"id":"blob","f":"double","n":"int"}', '{"partitionBy":["id"],"partitionSort":{"f":1}}'),
    create(
      'keys',
      '{"p":"text","q":"blob","c":"text","v":"int"}',
      '{"partitionBy":["p","q"],"partitionSort":{"c":1}}',
    ),
    create('single', '{"id":"ascii","c":"blob"}', '{"partitionBy":["id"],"partitionSort":{"c":1}}'),
    create('many', '{"id":"int","t":"text"}', '"id"'),
  ],
});
const people = at('/v1/default_keyspace/people');
const many = at('/v1/default_keyspace/many');

const schema = '"primaryKeySchema":{"id":{"type":"text"}}';
const peopleSchema =
  '"projectionSchema":{"id":{"type":"text"},"age":{"type":"int"},"score":{"type":"double"}}';
const unknownColumns = '<REQUEST DOCUMENT UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>';
const badValues = '<REQUEST DOCUMENT INVALID_COLUMN_VALUES: Values do not fit their columns>';
const noKey = '<REQUEST DOCUMENT MISSING_PRIMARY_KEY_COLUMNS: Primary key columns missing>';

describe('insertOne', () => {
  it('stores a row and names its key', () =>
    people('{"insertOne":{"document":{"id":"a","age":3}}}', `{"status":{"insertedIds":[["a"]],${schema}}}`));

  it('overwrites the given columns of a row that exists; null takes a value away', async () => {
    await people(
      '{"insertOne":{"document":{"id":"b","age":1,"score":2.5}}}',
      `{"status":{"insertedIds":[["b"]],${schema}}}`,
    );
    await people(
      '{"insertOne":{"document":{"id":"b","age":2}}}',
      `{"status":{"insertedIds":[["b"]],${schema}}}`,
    );
    await people(
      '{"findOne":{"filter":{"id":"b"}}}',
      `{"data":{"document":{"id":"b","age":2,"score":2.5}},"status":{${peopleSchema}}}`,
    );
    await people(
      '{"insertOne":{"document":{"id":"b","score":null}}}',
      `{"status":{"insertedIds":[["b"]],${schema}}}`,
    );
    await people(
      '{"findOne":{"filter":{"id":"b"}}}',
      `{"data":{"document":{"id":"b","age":2}},"status":{${peopleSchema}}}`,
    );
  });

  it('gives the key in the order of the primary key, not of the row', () =>
    at('/v1/default_keyspace/events')(
      '{"insertOne":{"document":{"what":"x","at":"10:15:00","day":"2024-05-06","place":"here"}}}',
      `{"status":{"insertedIds":[["here","2024-05-06","10:15:00"]],"primaryKeySchema":{
        "place":{"type":"text"},"day":{"type":"date"},"at":{"type":"time"}}}}`,
    ));

  it('gives a blob of the key as bare base64, and NaN quoted', () =>
    at('/v1/default_keyspace/bytes')(
      '{"insertOne":{"document":{"id":{"$binary":"AAEC"},"f":"NaN"}}}',
      `{"status":{"insertedIds":[["AAEC","NaN"]],
        "primaryKeySchema":{"id":{"type":"blob"},"f":{"type":"double"}}}}`,
    ));

  it('stores a row of nothing but its key', async () => {
    await people(
      '{"insertOne":{"document":{"id":"bare"}}}',
      `{"status":{"insertedIds":[["bare"]],${schema}}}`,
    );
    await people(
      '{"findOne":{"filter":{"id":"bare"}}}',
      `{"data":{"document":{"id":"bare"}},"status":{${peopleSchema}}}`,
    );
  });

  it('names all unknown columns first', () =>
    people(
      '{"insertOne":{"document":{"x":1,"age":"three","ID":"c"}}}',
      `{"errors":[${unknownColumns}]}`,
      'Unknown columns: x, ID.',
      'The table has: id(text), age(int), score(double).',
    ));

  it('a value written does not match its column’s type: all such columns are named, each with the cause', () =>
    people(
      '{"insertOne":{"document":{"age":"three","score":"NAN"}}}',
      `{"errors":[${badValues}]}`,
      'age(int) - Cause: expected a number, found a string.',
      'score(double) - Cause: "NAN" is not "NaN", "Infinity" or "-Infinity"',
    ));

  it('names the missing columns of the key last', async () => {
    await people('{"insertOne":{"document":{"age":3}}}', `{"errors":[${noKey}]}`, 'primary key: id(text).');
    await people('{"insertOne":{"document":{"id":null,"age":3}}}', `{"errors":[${noKey}]}`);
    await people('{"insertOne":{"document":{}}}', `{"errors":[${noKey}]}`);
    await at('/v1/default_keyspace/events')(
      '{"insertOne":{"document":{"day":"2024-05-06"}}}',
      `{"errors":[${noKey}]}`,
      'for columns of the primary key: place(text), at(time).',
      'The primary key is: place(text), day(date), at(time).',
    );
  });

  it('stores nothing of a row with an error', () =>
    people('{"findOne":{"filter":{"id":"c"}}}', `{"data":{"document":null},"status":{${peopleSchema}}}`));

  it('takes one object', async () => {
    const mismatch = '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}';
    const invalid = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
    await people('{"insertOne":{}}', invalid, '"command.document"', 'must not be null');
    await people('{"insertOne":{"document":null}}', invalid);
    await people('{"insertOne":{"document":[]}}', mismatch, 'command.document must be an object');
    await people('{"insertOne":{"document":"x"}}', mismatch);
    await people(
      '{"insertOne":{"document":{"id":"x"},"options":{"ordered":true}}}',
      '{"errors":[<REQUEST COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options>]}',
    );
  });

  it('needs a table and a keyspace that exist', async () => {
    await at('/v1/default_keyspace/People')(
      '{"insertOne":{"document":{"id":"x"}}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown>]}',
      'Its tables: people, events,',
    );
    await at('/v1/nowhere/people')(
      '{"insertOne":{"document":{"id":"x"}}}',
      '{"errors":[<REQUEST SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown>]}',
    );
  });
});

describe('a key', () => {
  const keys = at('/v1/default_keyspace/keys');
  const single = at('/v1/default_keyspace/single');
  const refused = `{"errors":[${badValues}]}`;
  const stored = (key: string) => `{"status":{"insertedIds":[[${key}]],"primaryKeySchema":{
    "p":{"type":"text"},"q":{"type":"blob"},"c":{"type":"text"}}}}`;

  it('empty text or blob as the only partition key column: refused', async () => {
    await single(
      '{"insertOne":{"document":{"id":"","c":{"$binary":"AA=="}}}}',
      refused,
      'id(ascii)',
      'cannot be empty',
    );
    await people(
      '{"updateOne":{"filter":{"id":""},"update":{"$set":{"age":1}}}}',
      '{"errors":[<REQUEST UPDATE INVALID_COLUMN_VALUES: Values do not fit their columns>]}',
    );
  });

  it('may be empty where it is not the only column', async () => {
    await keys('{"insertOne":{"document":{"p":"","q":{"$binary":""},"c":""}}}', stored('"","",""'));
    await keys(
      '{"find":{"filter":{"p":"","q":{"$binary":""},"c":""}}}',
      `{"data":{"documents":[{"p":"","q":{"$binary":""},"c":""}],"nextPageState":null},"status":{"projectionSchema":{
        "p":{"type":"text"},"q":{"type":"blob"},"c":{"type":"text"},"v":{"type":"int"}}}}`,
    );
  });

  it('a key over 65,535 bytes: refused; one of 65,535 bytes is stored and found', async () => {
    const longest = 'x'.repeat(65_535);
    await people(
      `{"insertOne":{"document":{"id":"${longest}"}}}`,
      `{"status":{"insertedIds":[["${longest}"]],${schema}}}`,
    );
    await people(
      `{"findOne":{"filter":{"id":"${longest}"},"projection":{"age":1}}}`,
      '{"data":{"document":{}},"status":{"projectionSchema":{"age":{"type":"int"}}}}',
    );
    await people(`{"insertOne":{"document":{"id":"${longest}x"}}}`, refused, 'more than 65535 bytes');
    await people(`{"insertOne":{"document":{"id":"${'€'.repeat(21_846)}"}}}`, refused, 'id(text)');
    await keys(
      `{"insertOne":{"document":{"p":"${'x'.repeat(65_532)}","q":{"$binary":"AAECAw=="},"c":""}}}`,
      refused,
      'the partition key has more than 65535 bytes',
    );
    await keys(
      `{"insertOne":{"document":{"p":"","q":{"$binary":""},"c":"${longest}x"}}}`,
      refused,
      'c(text) - Cause: the clustering columns have more than 65535 bytes',
    );
  });
});

describe('insertMany', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, id) => `{"id":${id}}`).join(',');
  const idSchema = '"primaryKeySchema":{"id":{"type":"int"}}';
  const invalid = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
  const bad = '{"id":2,"t":5}';
  const worse = '{"id":3,"x":5}';

  it('stores 1 to 100 rows and names their keys in the order of the command', async () => {
    await many('{"insertMany":{"documents":[{"id":7}]}}', `{"status":{"insertedIds":[[7]],${idSchema}}}`);
    const ids = Array.from({ length: 100 }, (_, id) => `[${id}]`).join(',');
    await many(
      `{"insertMany":{"documents":[${rows(100)}]}}`,
      `{"status":{"insertedIds":[${ids}],${idSchema}}}`,
    );
    await many('{"deleteMany":{}}', '{"status":{"deletedCount":-1}}');
  });

  it('refuses no rows and 101 rows', async () => {
    await many('{"insertMany":{"documents":[]}}', invalid, '"command.documents"', 'at least 1');
    await many('{"insertMany":{}}', invalid, 'must not be null');
    await many(`{"insertMany":{"documents":[${rows(101)}]}}`, invalid, '(101 vs 100)');
  });

  it('takes an array of objects', async () => {
    const mismatch = '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}';
    await many(
      '{"insertMany":{"documents":{"id":1}}}',
      mismatch,
      'command.documents must be an array of objects',
    );
    await many('{"insertMany":{"documents":[{"id":1},2]}}', mismatch, 'command.documents[1]');
  });

  it('insertMany: stores its good rows beside the errors', async () => {
    await many(
      `{"insertMany":{"documents":[{"id":1},${bad},${worse},{"id":4}]}}`,
      `{"status":{"insertedIds":[[1],[4]],${idSchema}},"errors":[${badValues},${unknownColumns}]}`,
      'In command.documents[1]: The row has values',
      'In command.documents[2]: The row has columns',
    );
    await many(
      '{"find":{"filter":{"id":{"$in":[1,2,3,4]}},"projection":{"id":1}}}',
      `{"data":{"documents":[{"id":1},{"id":4}],"nextPageState":null},
        "status":{"projectionSchema":{"id":{"type":"int"}}}}`,
    );
    await many('{"deleteMany":{}}', '{"status":{"deletedCount":-1}}');
  });

  it('stops at the first bad row when it is ordered', async () => {
    await many(
      `{"insertMany":{"documents":[{"id":1},${bad},${worse},{"id":4}],"options":{"ordered":true}}}`,
      `{"status":{"insertedIds":[[1]],${idSchema}},"errors":[${badValues}]}`,
    );
    await many(
      '{"find":{"filter":{"id":{"$in":[1,4]}},"projection":{"id":1}}}',
      '{"data":{"documents":[{"id":1}],"nextPageState":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );
  });

  it('has no status when no row was stored', async () => {
    await many(
      `{"insertMany":{"documents":[${bad},${worse}]}}`,
      `{"errors":[${badValues},${unknownColumns}]}`,
    );
    await many(
      `{"insertMany":{"documents":[${bad},{"id":9}],"options":{"ordered":true}}}`,
      `{"errors":[${badValues}]}`,
    );
  });

  it('lets the last of several rows with one key win', async () => {
    await many(
      '{"insertMany":{"documents":[{"id":8,"t":"first"},{"id":8,"t":"last"}]}}',
      `{"status":{"insertedIds":[[8],[8]],${idSchema}}}`,
    );
    await many(
      '{"findOne":{"filter":{"id":8},"projection":{"t":1}}}',
      '{"data":{"document":{"t":"last"}},"status":{"projectionSchema":{"t":{"type":"text"}}}}',
    );
  });

  it('answers for each row with returnDocumentResponses', async () => {
    await many(
      '{"insertMany":{"documents":[{"id":1},{"id":2}],"options":{"returnDocumentResponses":true}}}',
      `{"status":{"documentResponses":[{"_id":[1],"status":"OK"},{"_id":[2],"status":"OK"}],${idSchema}}}`,
    );
    await many(
      `{"insertMany":{"documents":[{"id":1},${worse},${bad},${worse},{"id":4}],
        "options":{"returnDocumentResponses":true}}}`,
      `{"status":{"documentResponses":[{"_id":[1],"status":"OK"},{"_id":[],"status":"ERROR","errorsIdx":0},
        {"_id":[],"status":"ERROR","errorsIdx":1},{"_id":[],"status":"ERROR","errorsIdx":0},
        {"_id":[4],"status":"OK"}],${idSchema}},
        "errors":[${unknownColumns},${badValues}]}`,
    );
  });

  it('says which rows an ordered command skipped, with the keys they would have had', async () => {
    await many(
      `{"insertMany":{"documents":[{"id":1},${bad},{"id":4},${worse}],
        "options":{"returnDocumentResponses":true,"ordered":true}}}`,
      `{"status":{"documentResponses":[{"_id":[1],"status":"OK"},{"_id":[],"status":"ERROR","errorsIdx":0},
        {"_id":[4],"status":"SKIPPED"},{"_id":[],"status":"SKIPPED"}],${idSchema}},"errors":[${badValues}]}`,
    );
    await many(
      `{"insertMany":{"documents":[${bad},{"id":77}],"options":{"returnDocumentResponses":true,"ordered":true}}}`,
      `{"status":{"documentResponses":[{"_id":[],"status":"ERROR","errorsIdx":0},{"_id":[77],"status":"SKIPPED"}],
        ${idSchema}},"errors":[${badValues}]}`,
    );
    await many(
      '{"findOne":{"filter":{"id":77},"projection":{"id":1}}}',
      '{"data":{"document":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );
  });

  it('has no primaryKeySchema when no row got as far as its key', () =>
    many(
      `{"insertMany":{"documents":[${bad}],"options":{"returnDocumentResponses":true}}}`,
      `{"status":{"documentResponses":[{"_id":[],"status":"ERROR","errorsIdx":0}]},"errors":[${badValues}]}`,
    ));
});
