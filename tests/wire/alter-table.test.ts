// alterTable: columns added and dropped, what becomes of the rows, and every refusal in its order.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, restart, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const failed = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;

const columns = '{"id":"int","no":"int","n":"int","note":"text"}';
const key = '{"partitionBy":["id"],"partitionSort":{"no":-1}}';

/** A new table with these columns, unless others are given. */
async function makeTable(name: string, ownColumns = columns, ownKey = key): Promise<ReturnType<typeof at>> {
  const definition = `{"columns":${ownColumns},"primaryKey":${ownKey}}`;
  await keyspace(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
  return at(`/v1/default_keyspace/${name}`);
}

const add = (added: string) => `{"alterTable":{"operation":{"add":{"columns":${added}}}}}`;
const drop = (...names: readonly string[]) =>
  `{"alterTable":{"operation":{"drop":{"columns":${JSON.stringify(names)}}}}}`;

/** The columns as listTables and projectionSchema show them. */
const described = (shown: Readonly<Record<string, string>>) =>
  `{${Object.entries(shown)
    .map(([name, type]) => `"${name}":{"type":"${type}"}`)
    .join(',')}}`;

const filterWarning = '<REQUEST WARNING MISSING_INDEX: Filter without an index>';
const sortWarning =
  '<REQUEST WARNING IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: Sorted in memory because of other columns>';
const zeroFilter = '"warnings":[<REQUEST WARNING ZERO_FILTER_OPERATIONS: Read without a filter>]';

/** Reads all rows. */
function holds(
  table: ReturnType<typeof at>,
  shown: Readonly<Record<string, string>>,
  ...rows: readonly string[]
): Promise<void> {
  return table(
    '{"find":{}}',
    `{"data":{"documents":[${rows.join(',')}],"nextPageState":null},
      "status":{"projectionSchema":${described(shown)},${zeroFilter}}}`,
  );
}

async function store(name: string, ...documents: readonly string[]): Promise<void> {
  const body = `{"insertMany":{"documents":[${documents.join(',')}]}}`;
  const { text } = await send({ path: `/v1/default_keyspace/${name}`, body });
  assert.ok(!text.includes('"errors"'), text);
}

describe('alterTable', () => {
  const base = { id: 'int', no: 'int', n: 'int', note: 'text' };

  it('adds columns behind the others, empty in the rows there are', async () => {
    const table = await makeTable('grown');
    await store('grown', '{"id":1,"no":1,"n":5}', '{"id":1,"no":2,"note":"x"}');
    await table(add('{"flag":"boolean","at":{"type":"timestamp"},"A-1":"decimal"}'), ok);
    const shown = { ...base, flag: 'boolean', at: 'timestamp', 'A-1': 'decimal' };
    await holds(table, shown, '{"id":1,"no":2,"note":"x"}', '{"id":1,"no":1,"n":5}');
    await store('grown', '{"id":1,"no":1,"flag":true,"A-1":1.50}', '{"id":2,"no":1,"at":{"$date":0}}');
    await holds(
      table,
      shown,
      '{"id":1,"no":2,"note":"x"}',
      '{"id":1,"no":1,"n":5,"flag":true,"A-1":1.5}',
      '{"id":2,"no":1,"at":"1970-01-01T00:00:00.000Z"}',
    );
    await table(
      '{"findOne":{"filter":{"A-1":{"$gt":1}},"sort":{"no":-1,"flag":-1},"projection":{"no":1}}}',
      `{"data":{"document":{"no":1}},"status":{"projectionSchema":{"no":{"type":"int"}},"sortedRowCount":1,
        "warnings":[${filterWarning},${sortWarning}]}}`,
    );
  });

  it('adds every type that can be created', async () => {
    const types = [
      ...['ascii', 'bigint', 'blob', 'boolean', 'date', 'decimal', 'double', 'duration', 'float', 'inet'],
      ...['int', 'smallint', 'text', 'time', 'timestamp', 'tinyint', 'uuid', 'varint'],
    ];
    const table = await makeTable('every', '{"id":"int"}', '"id"');
    await table(add(`{${types.map((type) => `"a ${type}":"${type}"`).join(',')}}`), ok);
    await store('every', '{"id":1,"a varint":123456789012345678901234567890,"a inet":"::1","a text":""}');
    await table(
      '{"findOne":{"filter":{"id":1},"projection":{"a varint":1,"a inet":1,"a text":1}}}',
      `{"data":{"document":{"a inet":"0:0:0:0:0:0:0:1","a text":"","a varint":123456789012345678901234567890}},
        "status":{"projectionSchema":${described({ 'a inet': 'inet', 'a text': 'text', 'a varint': 'varint' })}}}`,
    );
  });

  it('drops columns with their values', async () => {
    const table = await makeTable('shrunk');
    await store('shrunk', '{"id":1,"no":1,"n":5,"note":"x"}', '{"id":1,"no":2,"note":"y"}');
    await table(drop('n', 'n'), ok);
    const shown = { id: 'int', no: 'int', note: 'text' };
    await holds(table, shown, '{"id":1,"no":2,"note":"y"}', '{"id":1,"no":1,"note":"x"}');
    const unknown = 'UNKNOWN_TABLE_COLUMNS: Columns unknown in the table';
    await table('{"find":{"filter":{"n":5}}}', `{"errors":[<REQUEST FILTER ${unknown}>]}`);
    await table('{"find":{"projection":{"n":1}}}', `{"errors":[<REQUEST PROJECTION ${unknown}>]}`);
    await table(
      '{"insertOne":{"document":{"id":1,"no":1,"n":1}}}',
      `{"errors":[<REQUEST DOCUMENT ${unknown}>]}`,
    );
    await table(
      '{"find":{"sort":{"n":1}}}',
      '{"errors":[<REQUEST SORT CANNOT_SORT_UNKNOWN_COLUMNS: Sort columns unknown in the table>]}',
    );
    await table(drop('note'), ok);
    await holds(table, { id: 'int', no: 'int' }, '{"id":1,"no":2}', '{"id":1,"no":1}');
  });

  it('gives a dropped column that is added again no old values', async () => {
    const table = await makeTable('again');
    await store('again', '{"id":1,"no":1,"n":5,"note":"x"}');
    for (const value of [6, 7, 8]) {
      await table(drop('n'), ok);
      await table(add('{"n":{"type":"int"}}'), ok);
      const shown = { id: 'int', no: 'int', note: 'text', n: 'int' };
      await holds(table, shown, '{"id":1,"no":1,"note":"x"}');
      await store('again', `{"id":1,"no":1,"n":${value}}`);
      await holds(table, shown, `{"id":1,"no":1,"note":"x","n":${value}}`);
    }
  });

  it('a dropped column added again with another type: refused, also after a restart', async () => {
    const table = await makeTable('retyped');
    await table(drop('n'), ok);
    const refused = failed(
      'SCHEMA CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: Column was dropped with another type',
    );
    const fact = 'The column n(bigint) was dropped; its type was int.';
    await table(add('{"n":"bigint"}'), refused, fact);
    await table(add('{"fresh":"int","n":"bigint"}'), refused, fact);
    await restart();
    await table(add('{"n":"bigint"}'), refused, fact);
    await table(add('{"n":"int"}'), ok);
    await table(drop('n'), ok);
    await table(add('{"n":"text"}'), refused, 'The column n(text) was dropped; its type was int.');
    // Another table may have such a column, also one of the same name.
    await keyspace('{"dropTable":{"name":"retyped"}}', ok);
    const renewed = await makeTable('retyped', '{"id":"int"}', '"id"');
    await renewed(add('{"n":"bigint"}'), ok);
  });

  it('upsert and row liveness: rows that only an update of a dropped column made are gone', async () => {
    const table = await makeTable('lively');
    const set = async (no: number, assignment: string) =>
      table(
        `{"updateOne":{"filter":{"id":1,"no":${no}},"update":{"$set":${assignment}}}}`,
        '{"status":{"matchedCount":1,"modifiedCount":1}}',
      );
    await set(1, '{"n":1}');
    await set(2, '{"note":"kept"}');
    await set(3, '{"n":3,"note":"kept"}');
    await store('lively', '{"id":1,"no":4,"n":4}');
    await set(4, '{"n":5}');
    await table(drop('n'), ok);
    const rows = ['{"id":1,"no":4}', '{"id":1,"no":3,"note":"kept"}', '{"id":1,"no":2,"note":"kept"}'];
    await holds(table, { id: 'int', no: 'int', note: 'text' }, ...rows);
    // Nor do they come back with the column.
    await table(add('{"n":"int"}'), ok);
    await holds(table, { id: 'int', no: 'int', note: 'text', n: 'int' }, ...rows);
  });

  it('lasts: the columns, their order and their rows are the same after a restart', async () => {
    const table = await makeTable('lasting');
    await store('lasting', '{"id":1,"no":1,"n":5,"note":"x"}');
    await table(add('{"a":"int","b":"text"}'), ok);
    await table(drop('note', 'a'), ok);
    await table(add('{"c":"varint","a":"int"}'), ok);
    await store('lasting', '{"id":1,"no":2,"a":1,"c":12345678901234567890}');
    const shown = { id: 'int', no: 'int', n: 'int', b: 'text', c: 'varint', a: 'int' };
    const rows = ['{"id":1,"no":2,"c":12345678901234567890,"a":1}', '{"id":1,"no":1,"n":5}'];
    await holds(table, shown, ...rows);
    await restart();
    await holds(table, shown, ...rows);
    const { text } = await send({
      path: '/v1/default_keyspace',
      body: '{"listTables":{"options":{"explain":true}}}',
    });
    const listed =
      `{"name":"lasting","definition":{"columns":${described(shown)},` +
      '"primaryKey":{"partitionBy":["id"],"partitionSort":{"no":-1}}}}';
    assert.ok(text.includes(listed), text);
    // Ids of columns are not used again: the new column does not get the values of another.
    await table(add('{"d":"int"}'), ok);
    await store('lasting', '{"id":1,"no":1,"d":9}');
    await holds(table, { ...shown, d: 'int' }, rows[0] ?? '', '{"id":1,"no":1,"n":5,"d":9}');
  });

  it('keeps page states that stand in other columns, and the order of the key', async () => {
    const table = await makeTable('paged');
    await store(
      'paged',
      ...Array.from({ length: 60 }, (_, no) => `{"id":1,"no":${no},"n":${no},"note":"x"}`),
    );
    const path = '/v1/default_keyspace/paged';
    const first = await send({ path, body: '{"find":{"filter":{"id":1}}}' });
    const { nextPageState } = JSON.parse(first.text).data;
    await table(drop('n', 'note'), ok);
    await table(add('{"x":"text"}'), ok);
    const rows = Array.from({ length: 10 }, (_, at) => `{"id":1,"no":${9 - at}}`);
    await table(
      `{"find":{"filter":{"id":1},"options":{"pageState":"${nextPageState}"}}}`,
      `{"data":{"documents":[${rows.join(',')}],"nextPageState":null},
        "status":{"projectionSchema":${described({ id: 'int', no: 'int', x: 'text' })}}}`,
    );
  });

  it('drops no column that has an index, until the index is gone', async () => {
    const table = await makeTable('indexed');
    await table('{"createIndex":{"name":"by_note","definition":{"column":"note"}}}', ok);
    const refused = failed('SCHEMA CANNOT_DROP_INDEXED_COLUMNS: Indexed columns cannot be dropped');
    await table(drop('n', 'note'), refused, 'note(text)', 'by_note');
    const unknown = 'SCHEMA CANNOT_DROP_UNKNOWN_COLUMNS: Columns to drop do not exist';
    await table(drop('note', 'x'), failed(unknown), 'columns: x.');
    await table(drop('n'), ok);
    await restart();
    await table(drop('note'), refused);
    await keyspace('{"dropIndex":{"name":"by_note"}}', ok);
    await table(drop('note'), ok);
    await holds(table, { id: 'int', no: 'int' });
  });

  it('takes no options, but empty ones', async () => {
    const table = await makeTable('optionless');
    const withOptions = (name: string, value: string) =>
      `{"alterTable":{"operation":{"add":{"columns":{"${name}":"int"}}},"options":${value}}}`;
    await table(withOptions('a', '{}'), ok);
    await table(withOptions('b', 'null'), ok);
    await table(
      withOptions('c', '{"ifNotExists":true}'),
      failed('COMMAND_ACCEPTS_NO_OPTIONS: Command accepts no options'),
    );
  });
});

describe('alterTable refuses', () => {
  const mismatch = 'REQUEST_STRUCTURE_MISMATCH: Request structure mismatch';
  const unknownField = 'COMMAND_FIELD_UNKNOWN: Command field unknown';
  const badValue = 'COMMAND_FIELD_VALUE_INVALID: Command field value invalid';
  const missing = 'SCHEMA MISSING_ALTER_TABLE_OPERATIONS: Nothing to alter';
  const existing = 'SCHEMA CANNOT_ADD_EXISTING_COLUMNS: Columns exist';
  const unsupported =
    'SCHEMA CANNOT_ADD_UNSUPPORTED_DATA_TYPE_COLUMNS: Column types not supported in alterTable';
  const dropped = 'SCHEMA CANNOT_ADD_PREVIOUSLY_DROPPED_COLUMN: Column was dropped with another type';
  const ofKey = 'SCHEMA CANNOT_DROP_PRIMARY_KEY_COLUMNS: Primary key columns cannot be dropped';
  const unknown = 'SCHEMA CANNOT_DROP_UNKNOWN_COLUMNS: Columns to drop do not exist';
  const unknownType = 'SCHEMA UNKNOWN_PRIMITIVE_DATA_TYPE: Column type unknown';
  const operation = (json: string) => `{"alterTable":{"operation":${json}}}`;

  const cases: readonly (readonly [body: string, problem: string, fact: string])[] = [
    ['{"alterTable":{}}', badValue, '"command.operation"'],
    [operation('null'), badValue, '"command.operation"'],
    ['{"alterTable":{"add":{"columns":{"x":"int"}}}}', unknownField, 'operation'],
    [operation('"add"'), mismatch, 'command.operation'],
    [operation('[]'), mismatch, 'command.operation'],
    [
      operation('{}'),
      missing,
      'Use one of these operations with at least one column: add, drop, addVectorize, dropVectorize.',
    ],
    [
      operation('{"rename":{"columns":{}}}'),
      unknownField,
      'Known fields: add, addVectorize, drop, dropVectorize.',
    ],
    [operation('{"add":{"columns":{"x":"int"}},"drop":{"columns":["n"]}}'), mismatch, 'one operation'],
    [operation('{"add":null}'), mismatch, 'command.operation.add'],
    [operation('{"add":["x"]}'), mismatch, 'command.operation.add'],
    [operation('{"add":{"columns":{"x":"int"},"more":1}}'), unknownField, 'command.operation.add'],
    [operation('{"add":{"x":"int"}}'), unknownField, 'Known fields: columns.'],
    [operation('{"add":{}}'), mismatch, 'command.operation.add.columns'],
    [add('null'), mismatch, 'command.operation.add.columns'],
    [add('["x"]'), mismatch, 'command.operation.add.columns'],
    [add('{}'), missing, 'at least one column: add.'],
    [add('{"":"int"}'), badValue, 'a column needs a name'],
    [add('{"x":null}'), mismatch, 'command.operation.add.columns.x'],
    [add('{"x":{}}'), mismatch, 'command.operation.add.columns.x.type'],
    [add('{"x":{"type":"int","size":2}}'), unknownField, 'command.operation.add.columns.x'],
    [add('{"x":"nonsense"}'), unknownType, 'x has the unknown type "nonsense"'],
    [add('{"x":{"type":"nonsense"}}'), 'SCHEMA UNKNOWN_DATA_TYPE: Column type unknown', 'x has'],
    [add('{"n":"int"}'), existing, 'The table already has these columns: n(int).'],
    [
      add('{"id":"text","x":"int","note":"text"}'),
      existing,
      'already has these columns: id(int), note(text).',
    ],
    [add('{"x":"timeuuid","y":"int","z":"counter"}'), unsupported, 'x(timeuuid), z(counter).'],
    [add('{"gone":"text"}'), dropped, 'gone(text) was dropped; its type was int'],
    [operation('{"drop":null}'), mismatch, 'command.operation.drop'],
    [operation('{"drop":["n"]}'), mismatch, 'command.operation.drop'],
    [operation('{"drop":{}}'), mismatch, 'command.operation.drop.columns'],
    [operation('{"drop":{"columns":"n"}}'), mismatch, 'an array of column names'],
    [operation('{"drop":{"columns":{"n":"int"}}}'), mismatch, 'an array of column names'],
    [operation('{"drop":{"columns":[1]}}'), mismatch, 'an array of column names'],
    [operation('{"drop":{"columns":["n",null]}}'), mismatch, 'an array of column names'],
    [drop(), missing, 'at least one column: drop.'],
    [drop('id'), ofKey, 'cannot be dropped: id(int).\nThe primary key is: id(int), no(int).'],
    [drop('n', 'no', 'id'), ofKey, 'no(int), id(int)'],
    [drop('x'), unknown, 'does not have these columns: x.'],
    [drop('n', 'x', 'gone', ''), unknown, 'these columns: x, gone, "".'],
    // What is looked at first: shapes and types, the columns there are, what can be created, what was dropped.
    [add('{"n":"int","x":"nonsense"}'), unknownType, '"nonsense"'],
    [add('{"x":"counter","n":"int"}'), existing, 'n(int)'],
    [add('{"gone":"text","x":"counter"}'), unsupported, 'x(counter)'],
    [add('{"gone":"text","n":"text"}'), existing, 'n(int)'],
    [drop('x', 'id'), ofKey, 'id(int)'],
  ];

  before(async () => {
    const table = await makeTable('refusing');
    await table(add('{"gone":"int"}'), ok);
    await table(drop('gone'), ok);
    await store('refusing', '{"id":1,"no":1,"n":1,"note":"x"}');
  });

  for (const [body, problem, fact] of cases) {
    it(`${body.slice('{"alterTable":'.length, -1)} and changes nothing`, async () => {
      const table = at('/v1/default_keyspace/refusing');
      await table(body, failed(problem), fact);
      const shown = { id: 'int', no: 'int', n: 'int', note: 'text' };
      await holds(table, shown, '{"id":1,"no":1,"n":1,"note":"x"}');
    });
  }

  it('`varchar` in createTable or added: refused is what is added', async () => {
    const table = at('/v1/default_keyspace/refusing');
    await table(add('{"x":"varchar"}'), failed(unsupported), 'x(varchar)');
  });

  it('user-defined types: not offered is one that is added', async () => {
    const table = at('/v1/default_keyspace/refusing');
    await table(add('{"x":{"type":"userDefined"}}'), failed(unsupported), 'x(userDefined)');
  });

  it('a table or keyspace that does not exist', async () => {
    await at('/v1/default_keyspace/nothing')(
      add('{"x":"int"}'),
      failed('SCHEMA UNKNOWN_COLLECTION_OR_TABLE: Table or collection unknown'),
    );
    await at('/v1/nowhere/nothing')(drop('x'), failed('SCHEMA UNKNOWN_KEYSPACE: Keyspace unknown'));
  });

  it('to be sent to a keyspace', () =>
    keyspace(drop('x'), '{"errors":[<REQUEST COMMAND_UNKNOWN: Command unknown>]}', 'Keyspace Command'));
});
