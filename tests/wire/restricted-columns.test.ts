// Columns that commands cannot create: each restricted type in each command, and how replies show it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOnCluster, skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { useWireServer } from './wire-server.js';

const first = '13814000-1dd2-11b2-8000-000000000001';
/** Columns behind the key by name: a cluster knows no other order of columns that commands did not make. */
const statements = [
  'CREATE TABLE default_keyspace.counts (id text PRIMARY KEY, likes counter, views counter)',
  `UPDATE default_keyspace.counts SET views = views + 9007199254740993, likes = likes - 1 WHERE id = 'a'`,
  `UPDATE default_keyspace.counts SET views = views + 2 WHERE id = 'b'`,
  'CREATE TABLE default_keyspace.times (part int, at timeuuid, all_of list<timeuuid>, name varchar, other timeuuid, ' +
    'PRIMARY KEY (part, at)) WITH CLUSTERING ORDER BY (at DESC)',
  'CREATE TABLE default_keyspace.kept (id int, no int, deep list<frozen<set<int>>>, fixed int STATIC, home address, ' +
    'keyed map<int, text>, l frozen<list<int>>, m frozen<map<text, timeuuid>>, n int, s frozen<set<text>>, ' +
    't tuple<int, text>, PRIMARY KEY (id, no))',
  `INSERT INTO default_keyspace.kept (id, no, n, l, s, m) VALUES (1, 1, 5, [2, 1], {'b', 'a'}, {'k': ${first}})`,
];
const { at, cql } = useWireServer({ userTypes: ['default_keyspace.address'], statements });
const keyspace = at('/v1/default_keyspace');
const counts = at('/v1/default_keyspace/counts');
const times = at('/v1/default_keyspace/times');
const kept = at('/v1/default_keyspace/kept');

const second = '13814000-1dd2-11b2-8000-000000000002';
const third = '13814000-1dd2-11b2-8000-000000000003';
const ok = '{"status":{"ok":1}}';

const support = (flags: string, definition: string) => {
  const [createTable, insert, read, filter] = [...flags].map((flag) => flag === '+');
  const shown = JSON.stringify({ createTable, insert, read, filter, cqlDefinition: definition });
  return `"apiSupport":${shown}`;
};
const timeuuid = `{"type":"timeuuid",${support('-+++', 'timeuuid')}}`;
const timeuuids = `{"type":"list","valueType":"timeuuid",${support('-++-', 'list<timeuuid>')}}`;
const unsupported = (definition: string) => `{"type":"UNSUPPORTED",${support('----', definition)}}`;

const warning = (code: string) => `"warnings":[<REQUEST ${code}>]`;
const zeroFilter = 'WARNING ZERO_FILTER_OPERATIONS: Read without a filter';
const leftOut = 'WARNING UNSUPPORTED_COLUMN_TYPES: Columns that cannot be read are left out';
const sorted =
  'WARNING IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: Sorted in memory because of other columns';
const missingIndex = 'WARNING MISSING_INDEX: Filter without an index';
const error = (problem: string) => `{"errors":[<REQUEST ${problem}>]}`;
const notInserted = error('DOCUMENT UNSUPPORTED_COLUMN_TYPES: Columns that cannot be inserted');
const notUpdated = error('UPDATE UNSUPPORTED_COLUMN_TYPES: Columns that cannot be updated');
const notSelected = error('PROJECTION UNSUPPORTED_COLUMN_TYPES: Columns that cannot be read');
const notFiltered = error('FILTER UNSUPPORTED_COLUMN_TYPES: Columns that cannot be filtered on');
const noOperator = error('UPDATE UNSUPPORTED_UPDATE_OPERATOR: Update operator not supported by the column');
const noIndex = (problem: string) => `{"status":{"ok":0},"errors":[<REQUEST ${problem}>]}`;
const index = (column: string) => `{"createIndex":{"name":"never","definition":{"column":${column}}}}`;
const add = (columns: string) => `{"alterTable":{"operation":{"add":{"columns":${columns}}}}}`;

describe('listTables', () => {
  it('shows with explain what commands do with each column', () =>
    keyspace(
      '{"listTables":{"options":{"explain":true}}}',
      `{"status":{"tables":[
        {"name":"counts","definition":{"columns":{"id":{"type":"text"},
          "likes":{"type":"counter",${support('--++', 'counter')}},
          "views":{"type":"counter",${support('--++', 'counter')}}},
          "primaryKey":{"partitionBy":["id"],"partitionSort":{}}}},
        {"name":"times","definition":{"columns":{"part":{"type":"int"},"at":${timeuuid},"all_of":${timeuuids},
          "name":{"type":"text"},"other":${timeuuid}},
          "primaryKey":{"partitionBy":["part"],"partitionSort":{"at":-1}}}},
        {"name":"kept","definition":{"columns":{"id":{"type":"int"},"no":{"type":"int"},
          "deep":${unsupported('list<frozen<set<int>>>')},"fixed":${unsupported('static int')},
          "home":${unsupported('address')},"keyed":${unsupported('map<int, text>')},
          "l":{"type":"list","valueType":"int",${support('----', 'frozen<list<int>>')}},
          "m":{"type":"map","keyType":"text","valueType":"timeuuid",${support('----', 'frozen<map<text, timeuuid>>')}},
          "n":{"type":"int"},"s":{"type":"set","valueType":"text",${support('----', 'frozen<set<text>>')}},
          "t":${unsupported('frozen<tuple<int, text>>')}},
          "primaryKey":{"partitionBy":["id"],"partitionSort":{"no":1}}}}]}}`,
    ));
});

describe('columns that native queries made', () => {
  const made = '{"type":"text"},"b":{"type":"int"},"a":{"type":"int"}';

  it('have the order of the statement (embedded)', async () => {
    await cql('CREATE TABLE default_keyspace.made (id text PRIMARY KEY, b int, a int)');
    await at('/v1/default_keyspace/made')(
      '{"findOne":{"filter":{"id":"a"}}}',
      `{"data":{"document":null},"status":{"projectionSchema":{"id":${made}}}}`,
    );
  });

  it('columns that native queries made on a cluster: come by name', {
    skip: skippedUnlessOnCluster(),
  }, async () => {
    await cql('CREATE TABLE default_keyspace.by_name (id text PRIMARY KEY, b int, a int)');
    await at('/v1/default_keyspace/by_name')(
      '{"findOne":{"filter":{"id":"a"}}}',
      `{"data":{"document":null},"status":{"projectionSchema":{"id":{"type":"text"},"a":{"type":"int"},
        "b":{"type":"int"}}}}`,
    );
  });
});

describe('a counter column', () => {
  const schema =
    '"projectionSchema":{"id":{"type":"text"},"likes":{"type":"counter"},"views":{"type":"counter"}}';
  const a = '{"id":"a","likes":-1,"views":9007199254740993}';
  const b = '{"id":"b","views":2}';

  it('is read with all its digits, which clients keep where they find its type alone', async () => {
    await counts(
      '{"find":{}}',
      `{"data":{"documents":[${a},${b}],"nextPageState":null},"status":{${schema},${warning(zeroFilter)}}}`,
    );
    await counts(
      '{"findOne":{"filter":{"id":"a"},"projection":{"views":1}}}',
      '{"data":{"document":{"views":9007199254740993}},"status":{"projectionSchema":{"views":{"type":"counter"}}}}',
    );
  });

  it('counter: readable and filterable', async () => {
    const find = (filter: string, ...rows: readonly string[]) =>
      counts(
        `{"find":{"filter":{"views":${filter}}}}`,
        `{"data":{"documents":[${rows.join(',')}],"nextPageState":null},"status":{${schema},${warning(missingIndex)}}}`,
      );
    await find('9007199254740993', a);
    await find('{"$eq":9007199254740992}');
    await find('{"$ne":2}', a);
    await find('{"$gt":2}', a);
    await find('{"$gte":2,"$lt":9007199254740993}', b);
    await find('{"$in":[1,2]}', b);
    await find('{"$nin":[1,2]}', a);
    await counts(
      '{"find":{"filter":{"views":"2"}}}',
      error('FILTER INVALID_FILTER_COLUMN_VALUES: Filter value does not fit the column'),
    );
    await counts(
      '{"find":{"sort":{"views":1},"projection":{"id":1}}}',
      `{"data":{"documents":[{"id":"b"},{"id":"a"}],"nextPageState":null},
        "status":{"projectionSchema":{"id":{"type":"text"}},"sortedRowCount":2,
        "warnings":[<REQUEST ${zeroFilter}>,<REQUEST ${sorted}>]}}`,
    );
  });

  it('a row inserted into a counter table: refused, with and without a counter', async () => {
    await counts('{"insertOne":{"document":{"id":"c","views":1}}}', notInserted, 'views(counter)');
    await counts('{"insertOne":{"document":{"id":"c"}}}', notInserted, 'likes(counter), views(counter)');
    await counts('{"insertOne":{"document":{"id":"c","views":null}}}', notInserted);
    await counts('{"insertMany":{"documents":[{"id":"c"}]}}', notInserted);
    await counts(
      '{"insertOne":{"document":{"id":7,"views":"x","nope":1}}}',
      error('DOCUMENT UNKNOWN_TABLE_COLUMNS: Columns unknown in the table'),
    );
  });

  it('takes no operator of updateOne', async () => {
    const updates = [
      '{"$set":{"views":1}}',
      '{"$set":{"views":null}}',
      '{"$unset":{"views":1}}',
      '{"$push":{"views":1}}',
      '{"$pullAll":{"views":[1]}}',
    ];
    for (const update of updates) {
      const body = `{"updateOne":{"filter":{"id":"a"},"update":${update}}}`;
      await counts(body, noOperator, 'views(counter)', 'Operators for them: none.');
    }
  });

  it('goes with its row in deleteOne and deleteMany', async () => {
    await cql(`UPDATE default_keyspace.counts SET views = views + 1 WHERE id = 'gone'`);
    await counts('{"deleteOne":{"filter":{"id":"gone"}}}', '{"status":{"deletedCount":-1}}');
    await counts('{"deleteMany":{"filter":{"id":{"$in":["gone"]}}}}', '{"status":{"deletedCount":-1}}');
    await counts('{"findOne":{"filter":{"id":"gone"}}}', `{"data":{"document":null},"status":{${schema}}}`);
  });

  it('index in a counter table: refused, as are other columns; a counter may be dropped', async () => {
    const notAdded = noIndex(
      'SCHEMA CANNOT_ADD_UNSUPPORTED_DATA_TYPE_COLUMNS: Column types not supported in alterTable',
    );
    await counts(add('{"x":"int"}'), notAdded, 'x(int)', 'Types for new columns: none.');
    await counts(add('{"x":"counter"}'), notAdded, 'x(counter)');
    const refusal = noIndex('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index');
    await counts(index('"views"'), refusal, 'its table has counters');
    await cql('CREATE TABLE default_keyspace.to_shrink (id int PRIMARY KEY, a counter, b counter)');
    await cql('UPDATE default_keyspace.to_shrink SET a = a + 1, b = b + 2 WHERE id = 1');
    const table = at('/v1/default_keyspace/to_shrink');
    await table('{"alterTable":{"operation":{"drop":{"columns":["a"]}}}}', ok);
    await table(
      '{"findOne":{"filter":{"id":1}}}',
      '{"data":{"document":{"id":1,"b":2}},"status":{"projectionSchema":{"id":{"type":"int"},"b":{"type":"counter"}}}}',
    );
    await keyspace('{"dropTable":{"name":"to_shrink"}}', ok);
  });
});

describe('timeuuid and varchar columns', () => {
  const schema =
    `"projectionSchema":{"part":{"type":"int"},"at":${timeuuid},"all_of":${timeuuids},` +
    `"name":{"type":"text"},"other":${timeuuid}}`;
  const row = (at_: string, rest: string) => `{"part":1,"at":"${at_}"${rest}}`;

  it('are written, read, changed and deleted', async () => {
    await times(
      `{"insertMany":{"documents":[${row(first, ',"name":"é"')},{"part":1,"at":"${second.toUpperCase()}"}]}}`,
      `{"status":{"insertedIds":[[1,"${first}"],[1,"${second}"]],
        "primaryKeySchema":{"part":{"type":"int"},"at":${timeuuid}}}}`,
    );
    await times(
      `{"updateOne":{"filter":{"part":1,"at":"${second}"},
        "update":{"$set":{"other":"${third}","name":"x"},"$push":{"all_of":"${first}"}}}}`,
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await times(
      '{"find":{"filter":{"part":1}}}',
      `{"data":{"documents":[${row(second, `,"all_of":["${first}"],"name":"x","other":"${third}"`)},
        ${row(first, ',"name":"é"')}],"nextPageState":null},"status":{${schema}}}`,
    );
    await times(
      `{"find":{"filter":{"part":1,"at":{"$gte":"${second}"}},"projection":{"name":1}}}`,
      `{"data":{"documents":[{"name":"x"}],"nextPageState":null},
        "status":{"projectionSchema":{"name":{"type":"text"}}}}`,
    );
    await times(
      `{"updateOne":{"filter":{"part":1,"at":"${second}"},"update":{"$unset":{"name":1,"other":1,"all_of":1}}}}`,
      '{"status":{"matchedCount":1,"modifiedCount":1}}',
    );
    await times(`{"deleteOne":{"filter":{"part":1,"at":"${first}"}}}`, '{"status":{"deletedCount":-1}}');
    await times(
      '{"find":{"filter":{"part":1}}}',
      `{"data":{"documents":[${row(second, '')}],"nextPageState":null},"status":{${schema}}}`,
    );
    await times('{"deleteMany":{"filter":{"part":1}}}', '{"status":{"deletedCount":-1}}');
  });

  it('take values of their type only', async () => {
    const uuid = '123e4567-e89b-42d3-a456-426614174000';
    await times(
      `{"insertOne":{"document":{"part":1,"at":"${first}","other":"${uuid}","name":7}}}`,
      error('DOCUMENT INVALID_COLUMN_VALUES: Values do not fit their columns'),
      `other(timeuuid) - Cause: "${uuid}" is not a UUID of version 1.`,
      'name(text) - Cause:',
    );
  });

  it('can be indexed; the index of a timeuuid serves every operator, that of a varchar equality', async () => {
    await times('{"createIndex":{"name":"by_other","definition":{"column":"other"}}}', ok);
    await times(
      '{"createIndex":{"name":"by_name","definition":{"column":"name","options":{"caseSensitive":false}}}}',
      ok,
    );
    await times(
      `{"insertOne":{"document":{"part":2,"at":"${first}","other":"${second}","name":"Ab"}}}`,
      `{"status":{"insertedIds":[[2,"${first}"]],"primaryKeySchema":{"part":{"type":"int"},"at":${timeuuid}}}}`,
    );
    const found = (filter: string, warnings = '') =>
      times(
        `{"find":{"filter":${filter},"projection":{"part":1}}}`,
        `{"data":{"documents":[{"part":2}],"nextPageState":null},
          "status":{"projectionSchema":{"part":{"type":"int"}}${warnings}}}`,
      );
    await found(`{"other":"${second}"}`);
    await found(`{"other":{"$gt":"${first}"}}`);
    await found(`{"other":{"$ne":"${first}"}}`);
    await found(`{"other":{"$nin":["${first}"]}}`);
    await found('{"name":"aB"}');
    await found(
      '{"name":{"$gt":"A"}}',
      `,${warning('WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range not fully supported by the index')}`,
    );
  });

  it('timeuuid: neither it nor varchar is created or added by commands', async () => {
    for (const type of ['timeuuid', 'varchar']) {
      await keyspace(
        `{"createTable":{"name":"never","definition":{"columns":{"id":"int","x":"${type}"},"primaryKey":"id"}}}`,
        noIndex('SCHEMA UNSUPPORTED_DATA_TYPE_TABLE_CREATION: Column types not supported in createTable'),
        `x(${type})`,
      );
      const notAdded = noIndex(
        'SCHEMA CANNOT_ADD_UNSUPPORTED_DATA_TYPE_COLUMNS: Column types not supported in alterTable',
      );
      await times(add(`{"x":"${type}"}`), notAdded, `x(${type})`);
    }
    await cql('ALTER TABLE default_keyspace.times ADD (late timeuuid, named varchar)');
    await times('{"alterTable":{"operation":{"drop":{"columns":["late","named"]}}}}', ok);
    await times(add('{"named":"text"}'), ok);
    await times('{"alterTable":{"operation":{"drop":{"columns":["named"]}}}}', ok);
  });
});

describe('frozen, static, tuple and user-defined columns', () => {
  const readable = '"projectionSchema":{"id":{"type":"int"},"no":{"type":"int"},"n":{"type":"int"}}';
  const inaccessible = ['deep', 'fixed', 'home', 'keyed', 'l', 'm', 's', 't'];
  const all =
    'deep(unsupported list<frozen<set<int>>>), fixed(unsupported static int), home(unsupported address), ' +
    'keyed(unsupported map<int, text>), l(frozen<list<int>>), m(frozen<map<text,timeuuid>>), ' +
    's(frozen<set<text>>), t(unsupported frozen<tuple<int, text>>)';
  const document = '{"id":1,"no":1,"n":5}';

  it('frozen collections: a read of all columns gives the others with one warning', async () => {
    await kept(
      '{"find":{"filter":{"id":1}}}',
      `{"data":{"documents":[${document}],"nextPageState":null},"status":{${readable},${warning(leftOut)}}}`,
      all,
    );
    for (const projection of ['{}', '{"*":1}', 'null'])
      await kept(
        `{"findOne":{"filter":{"id":1,"no":1},"projection":${projection}}}`,
        `{"data":{"document":${document}},"status":{${readable},${warning(leftOut)}}}`,
        all,
      );
    await kept(
      '{"find":{"projection":{"n":0,"l":0,"t":0}}}',
      `{"data":{"documents":[{"id":1,"no":1}],"nextPageState":null},
        "status":{"projectionSchema":{"id":{"type":"int"},"no":{"type":"int"}},
        "warnings":[<REQUEST ${zeroFilter}>,<REQUEST ${leftOut}>]}}`,
      'm(frozen<map<text,timeuuid>>), s(',
    );
    const excluded = inaccessible.map((name) => `"${name}":0`).join(',');
    await kept(
      `{"findOne":{"filter":{"id":1,"no":1},"projection":{${excluded}}}}`,
      `{"data":{"document":${document}},"status":{${readable}}}`,
    );
  });

  it('static columns, tuples: none is selected by its name', async () => {
    for (const name of inaccessible) {
      await kept(`{"find":{"projection":{"${name}":1}}}`, notSelected, `${name}(`);
      await kept(`{"findOne":{"projection":{"id":1,"${name}":true}}}`, notSelected, `${name}(`);
    }
    await kept('{"find":{"projection":{"id":1,"l":1,"t":1}}}', notSelected, 'l(frozen<list<int>>), t(');
  });

  it('`UNSUPPORTED_COLUMN_TYPES` in a filter has scope FILTER: none is filtered on', async () => {
    for (const name of inaccessible) {
      for (const operand of ['1', '[1]', '{"$in":[[1]]}', '{"$gt":null}', 'null']) {
        await kept(`{"find":{"filter":{"${name}":${operand}}}}`, notFiltered, `${name}(`);
      }
      await kept(`{"findOne":{"filter":{"$or":[{"n":1},{"$not":{"${name}":1}}]}}}`, notFiltered, `${name}(`);
      const notOfKey =
        'FILTER UNSUPPORTED_NON_PRIMARY_KEY_FILTER_FOR_UPDATE_DELETE: Filter on other columns than the primary key';
      await kept(`{"deleteMany":{"filter":{"${name}":1}}}`, error(notOfKey));
      await kept(`{"deleteOne":{"filter":{"id":1,"no":1,"${name}":1}}}`, error(notOfKey));
    }
    await kept(
      '{"find":{"filter":{"l":1,"nope":1}}}',
      error('FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table'),
    );
  });

  it('none gives rows an order', async () => {
    for (const name of inaccessible) {
      await kept(
        `{"find":{"sort":{"${name}":1}}}`,
        error('SORT INVALID_REGULAR_SORT_EXPRESSION: Sort direction not valid'),
      );
    }
  });

  it('none is inserted, not even as null', async () => {
    for (const name of inaccessible) {
      for (const value of ['1', '[1]', 'null']) {
        const row = `{"id":2,"no":1,"${name}":${value}}`;
        await kept(`{"insertOne":{"document":${row}}}`, notInserted, `${name}(`);
      }
    }
    await kept(
      '{"insertMany":{"documents":[{"id":2,"no":1,"n":"x","t":1},{"id":3,"no":1}]}}',
      `{"status":{"insertedIds":[[3,1]],"primaryKeySchema":{"id":{"type":"int"},"no":{"type":"int"}}},
        "errors":[<REQUEST DOCUMENT UNSUPPORTED_COLUMN_TYPES: Columns that cannot be inserted>]}`,
    );
    await kept('{"deleteOne":{"filter":{"id":3,"no":1}}}', '{"status":{"deletedCount":-1}}');
  });

  it('none is updated', async () => {
    const update = (clause: string) => `{"updateOne":{"filter":{"id":1,"no":1},"update":${clause}}}`;
    for (const name of inaccessible) {
      await kept(update(`{"$set":{"${name}":[1]}}`), notUpdated, `${name}(`);
      await kept(update(`{"$set":{"${name}":null}}`), notUpdated, `${name}(`);
      await kept(update(`{"$unset":{"${name}":1}}`), notUpdated, `${name}(`);
      await kept(update(`{"$push":{"${name}":1}}`), noOperator, `${name}(`);
      await kept(update(`{"$pullAll":{"${name}":[1]}}`), noOperator, `${name}(`);
    }
    await kept(update('{"$set":{"n":"x","l":[1]}}'), notUpdated, 'l(frozen<list<int>>)');
  });

  it('none is indexed', async () => {
    const frozen = noIndex(
      'SCHEMA UNSUPPORTED_INDEXING_FOR_FROZEN_COLUMN: Frozen column cannot have an index',
    );
    for (const name of ['l', 's', 'm']) {
      await kept(index(`"${name}"`), frozen, `${name}(frozen<`);
      await kept(index(`{"${name}":"$values"}`), frozen);
    }
    const other = noIndex('SCHEMA UNSUPPORTED_INDEXING_FOR_DATA_TYPES: Column cannot have an index');
    for (const name of ['t', 'home', 'deep', 'fixed', 'keyed'])
      await kept(index(`"${name}"`), other, `${name}(`);
  });

  it('user-defined columns on a cluster: are dropped only if frozen', {
    skip: skippedUnlessOnCluster(),
  }, async () => {
    const drop = '{"alterTable":{"operation":{"drop":{"columns":["t","home"]}}}}';
    const problem =
      '<REQUEST SCHEMA CANNOT_DROP_PERMANENT_COLUMNS: Columns of user-defined types cannot be dropped>';
    await kept(drop, `{"status":{"ok":0},"errors":[${problem}]}`, ': home(');
  });

  it('leave the rest of the table as it is, and their values where they are', async () => {
    await kept(
      '{"insertOne":{"document":{"id":1,"no":1,"n":6}}}',
      '{"status":{"insertedIds":[[1,1]],"primaryKeySchema":{"id":{"type":"int"},"no":{"type":"int"}}}}',
    );
    await kept('{"createIndex":{"name":"by_n","definition":{"column":"n"}}}', ok);
    await kept(
      '{"find":{"filter":{"n":6},"projection":{"id":1}}}',
      '{"data":{"documents":[{"id":1}],"nextPageState":null},"status":{"projectionSchema":{"id":{"type":"int"}}}}',
    );
    const gone = isOnCluster() ? '["t"]' : '["t","home"]';
    await kept(`{"alterTable":{"operation":{"drop":{"columns":${gone}}}}}`, ok);
    const shown = await cql('SELECT n, l, s, m, fixed FROM default_keyspace.kept WHERE id = 1 AND no = 1');
    assert.equal(shown.slice(shown.indexOf('"rows"')), `"rows":[[6,[2,1],["a","b"],{"k":"${first}"},null]]}`);
  });
});
