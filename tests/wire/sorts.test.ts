// Sorts of find and findOne: by the clustering order, by its reverse, or in memory with the reason.
import { describe, it } from 'node:test';
import { useWireServer } from './wire-server.js';

const { at, restart, send } = useWireServer({
  prepare: [
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"readings","definition":{
        "columns":{"place":"text","at":"int","no":"int","value":"double","note":"text","wait":"duration","_id":"int"},
        "primaryKey":{"partitionBy":["place"],"partitionSort":{"at":1,"no":-1}}}}}`,
    ],
    [
      '/v1/default_keyspace/readings',
      `{"insertMany":{"documents":[
        {"place":"a","at":1,"no":2,"note":"y","wait":"1h","_id":1},
        {"place":"a","at":1,"no":1,"value":0.5,"note":"x","_id":2},
        {"place":"a","at":2,"no":2,"value":-0.0,"note":"x","_id":3},
        {"place":"a","at":2,"no":1,"value":"NaN","_id":4},
        {"place":"b","at":1,"no":1,"value":0.5,"_id":5},
        {"place":"b","at":3,"no":1,"value":0,"note":"x","_id":6}]}}`,
    ],
    [
      '/v1/default_keyspace',
      `{"createTable":{"name":"pairs","definition":{"columns":{"p":"int","q":"int","c":"int","d":"int"},
        "primaryKey":{"partitionBy":["p","q"],"partitionSort":{"c":-1,"d":1}}}}}`,
    ],
    [
      '/v1/default_keyspace/pairs',
      `{"insertMany":{"documents":[{"p":1,"q":1,"c":1,"d":1},{"p":1,"q":1,"c":1,"d":2},
        {"p":1,"q":1,"c":2,"d":1},{"p":1,"q":2,"c":3,"d":1}]}}`,
    ],
  ],
});
const table = at('/v1/default_keyspace/readings');
const pairs = at('/v1/default_keyspace/pairs');

const warnings = {
  skip: 'WARNING IN_MEMORY_SORTING_DUE_SKIP_OPTIONS: Sorted in memory because of "skip"',
  columns:
    'WARNING IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: Sorted in memory because of other columns',
  order:
    'WARNING IN_MEMORY_SORTING_DUE_TO_OUT_OF_ORDER_PARTITION_SORTING: Sorted in memory because of the order of columns',
  partition:
    'WARNING IN_MEMORY_SORTING_DUE_TO_PARTITION_KEY_NOT_RESTRICTED: Sorted in memory because no partition is selected',
  zero: 'WARNING ZERO_FILTER_OPERATIONS: Read without a filter',
  index: 'WARNING MISSING_INDEX: Filter without an index',
  key: 'WARNING INCOMPLETE_PRIMARY_KEY_FILTER: Primary key incomplete in the filter',
} as const;
type Warning = keyof typeof warnings;

/** The status of a read of one int column; `count` is null where the engine sorts. */
function status(column: string, count: number | null, names: readonly Warning[]): string {
  const shown = names.map((name) => `<REQUEST ${warnings[name].replace(/"/g, '\\"')}>`).join(',');
  return (
    `"status":{"projectionSchema":{"${column}":{"type":"int"}}` +
    `${count === null ? '' : `,"sortedRowCount":${count}`}${shown === '' ? '' : `,"warnings":[${shown}]`}}`
  );
}

/** A find of `_id` alone, so that what is sorted by is not in the rows, and a findOne unless there are options. */
async function sorts(
  filter: string,
  sort: string,
  ids: readonly number[],
  count: number | null,
  names: readonly Warning[],
  options = '',
): Promise<void> {
  const clauses = `"filter":${filter},"sort":${sort},"projection":{"_id":1}`;
  const documents = ids.map((id) => `{"_id":${id}}`);
  const reply = status('_id', count, names);
  await table(
    `{"find":{${clauses}${options === '' ? '' : `,"options":{${options}}`}}}`,
    `{"data":{"documents":[${documents.join(',')}],"nextPageState":null},${reply}}`,
  );
  if (options !== '') return;
  await table(`{"findOne":{${clauses}}}`, `{"data":{"document":${documents[0] ?? null}},${reply}}`);
}

describe('a sort inside one partition', () => {
  const cases: readonly (readonly [filter: string, sort: string, ids: readonly number[]])[] = [
    ['{"place":"a"}', '{"at":1}', [1, 2, 3, 4]],
    ['{"place":"a"}', '{"at":1,"no":-1}', [1, 2, 3, 4]],
    ['{"place":"a"}', '{"at":-1}', [4, 3, 2, 1]],
    ['{"place":"a"}', '{"at":-1,"no":1}', [4, 3, 2, 1]],
    ['{"place":{"$eq":"a"},"at":1}', '{"at":-1,"no":1}', [2, 1]],
    ['{"place":"a","at":{"$gte":1,"$lt":3}}', '{"at":-1}', [4, 3, 2, 1]],
    ['{"place":"a","at":2,"no":2}', '{"at":-1}', [3]],
    ['{"$and":[{"place":"a"},{"at":{"$gt":1}}]}', '{"at":-1,"no":1}', [4, 3]],
    ['{"$or":[{"place":"a"}]}', '{"at":1,"no":-1}', [1, 2, 3, 4]],
    ['{"$not":{"place":{"$ne":"a"}}}', '{"at":-1}', [4, 3, 2, 1]],
    ['{"place":"z"}', '{"at":-1}', []],
    ['{"place":"a","$or":[{"at":2},{"no":2}]}', '{"at":-1}', [4, 3, 1]],
    ['{"$and":[{"place":"a"},{"$not":{"at":2,"no":2}}]}', '{"at":-1,"no":1}', [4, 2, 1]],
  ];
  for (const [filter, sort, ids] of cases) {
    it(`is served by the order of storage or its reverse, without a warning: ${filter} ${sort}`, () =>
      sorts(filter, sort, ids, null, []));
  }

  it('takes a choice of a single value as naming the partition', async () => {
    await sorts('{"place":{"$in":["a"]}}', '{"at":-1}', [4, 3, 2, 1], null, []);
    await sorts('{"place":{"$in":["a","z"]}}', '{"at":-1}', [3, 4, 1, 2], 4, ['partition']);
  });

  it('walks a choice of clustering values backwards, too', () =>
    sorts('{"place":"a","at":{"$in":[1,7,2,1]}}', '{"at":-1,"no":1}', [4, 3, 2, 1], null, []));

  it('adds the warnings of the filter', () =>
    sorts('{"place":"a","note":"x"}', '{"at":-1,"no":1}', [3, 2], null, ['index']));

  it('needs every partition column and follows a descending clustering column', async () => {
    const find = (filter: string, sort: string) =>
      `{"find":{"filter":${filter},"sort":${sort},"projection":{"c":1}}}`;
    const rows = (...values: readonly number[]) => values.map((c) => `{"c":${c}}`).join(',');
    for (const [sort, values] of [
      ['{"c":-1,"d":1}', [2, 1, 1]],
      ['{"c":1}', [1, 1, 2]],
    ] as const) {
      await pairs(
        find('{"p":1,"q":{"$in":[1]}}', sort),
        `{"data":{"documents":[${rows(...values)}],"nextPageState":null},${status('c', null, [])}}`,
      );
      await pairs(
        find('{"p":1}', sort),
        `{"data":{"documents":[${values[0] === 2 ? rows(3, ...values) : rows(...values, 3)}],
          "nextPageState":null},${status('c', 4, ['key', 'partition'])}}`,
        'does not select one partition (p(int), q(int))',
      );
    }
  });
});

describe('a sort in memory', () => {
  const cases: readonly (readonly [
    filter: string,
    sort: string,
    ids: readonly number[],
    count: number,
    names: readonly Warning[],
  ])[] = [
    ['{}', '{"at":1}', [1, 2, 5, 3, 4, 6], 6, ['zero', 'partition']],
    ['{}', '{"at":-1,"no":1}', [6, 4, 3, 2, 5, 1], 6, ['zero', 'partition']],
    ['{"place":"a"}', '{"no":1}', [2, 4, 1, 3], 4, ['order']],
    ['{"place":"a"}', '{"no":-1,"at":1}', [1, 3, 2, 4], 4, ['order']],
    ['{"place":"a"}', '{"_id":-1}', [4, 3, 2, 1], 4, ['columns']],
    ['{"place":"a"}', '{"place":1}', [1, 2, 3, 4], 4, ['columns']],
    ['{"place":"a"}', '{"at":-1,"value":1}', [3, 4, 1, 2], 4, ['columns']],
    ['{"place":"a"}', '{"at":-1,"wait":-1}', [3, 4, 1, 2], 4, ['columns']],
    ['{}', '{"place":-1,"at":1}', [5, 6, 1, 2, 3, 4], 6, ['zero', 'columns']],
    ['{"note":"x"}', '{"_id":-1}', [6, 3, 2], 3, ['index', 'columns']],
    ['{"at":1}', '{"at":1,"no":-1}', [1, 2, 5], 3, ['key', 'partition']],
    ['{"$or":[{"place":"a"},{"place":"b"}]}', '{"at":-1}', [6, 3, 4, 1, 2, 5], 6, ['partition']],
    ['{"place":{"$gte":"a"},"at":1}', '{"at":-1}', [1, 2, 5], 3, ['partition']],
    ['{"place":"z"}', '{"_id":1}', [], 0, ['columns']],
  ];
  for (const [filter, sort, ids, count, names] of cases) {
    it(`gives the rows, their number and one reason: ${filter} ${sort}`, () =>
      sorts(filter, sort, ids, count, names));
  }

  for (const [sort, ids] of [
    ['{"at":1,"no":1}', [2, 1, 4, 3]],
    ['{"at":-1,"no":-1}', [3, 4, 1, 2]],
  ] as const) {
    it(`mixed sort directions: neither the clustering order nor its reverse is ${sort}`, () =>
      sorts('{"place":"a"}', sort, ids, 4, ['order']));
  }

  it('null: sorts first ascending, last descending', async () => {
    await sorts('{}', '{"value":1}', [1, 3, 6, 2, 5, 4], 6, ['zero', 'columns']);
    await sorts('{}', '{"value":-1}', [4, 2, 5, 6, 3, 1], 6, ['zero', 'columns']);
    await sorts('{}', '{"note":1,"_id":-1}', [5, 4, 6, 3, 2, 1], 6, ['zero', 'columns']);
    await sorts('{}', '{"note":-1,"_id":-1}', [1, 6, 3, 2, 5, 4], 6, ['zero', 'columns']);
  });

  it('leaves equal rows in the order of their keys, in both directions', async () => {
    await sorts('{}', '{"note":1}', [4, 5, 2, 3, 6, 1], 6, ['zero', 'columns']);
    await sorts('{}', '{"note":-1}', [1, 2, 3, 6, 4, 5], 6, ['zero', 'columns']);
  });

  it('names the first reason that holds, and only that', async () => {
    const skip = '"skip":1';
    await sorts('{}', '{"no":1,"value":1}', [2, 5, 4, 1, 3], 6, ['zero', 'skip'], skip);
    await sorts('{"place":"a"}', '{"at":1}', [2, 3, 4], 4, ['skip'], skip);
    await sorts('{}', '{"no":1,"_id":1}', [2, 4, 5, 6, 1, 3], 6, ['zero', 'columns']);
    await sorts('{}', '{"no":1}', [2, 4, 5, 6, 1, 3], 6, ['zero', 'order']);
  });

  it('names columns in its reason', async () => {
    const find = (filter: string, sort: string, skip = '') =>
      `{"find":{"filter":${filter},"sort":${sort},"projection":{"_id":1},"options":{"limit":1${skip}}}}`;
    const reply = (id: number, count: number, name: Warning) =>
      `{"data":{"documents":[{"_id":${id}}],"nextPageState":null},${status('_id', count, [name])}}`;
    const clustering = 'The clustering columns are: at(int), no(int).';
    await table(
      find('{"place":"a"}', '{"note":-1,"at":1}'),
      reply(1, 4, 'columns'),
      'by note(text), at(int)',
    );
    await table(find('{"place":"a"}', '{"no":1}'), reply(2, 4, 'order'), 'by no(int)', clustering);
    await table(find('{"place":"a"}', '{"at":1}', ',"skip":1'), reply(2, 4, 'skip'), 'skipped', clustering);
  });

  it('skips and limits, and counts all the same', async () => {
    const by = '{"_id":-1}';
    await sorts('{}', by, [6, 5], 6, ['zero', 'columns'], '"limit":2');
    await sorts('{}', by, [4, 3], 6, ['zero', 'skip'], '"skip":2,"limit":2');
    await sorts('{}', by, [2, 1], 6, ['zero', 'skip'], '"skip":4,"limit":50');
    await sorts('{}', by, [], 6, ['zero', 'skip'], '"skip":6');
    await sorts('{}', by, [], 6, ['zero', 'skip'], '"skip":2147483647,"limit":2147483647');
    await sorts('{"place":"z"}', by, [], 0, ['skip'], '"skip":1');
  });

  it('a page state together with an in-memory sort: refused, an empty one is none', async () => {
    const { text } = await send({
      path: '/v1/default_keyspace/pairs',
      body: '{"find":{"filter":{"p":1,"q":1},"sort":{"c":1},"options":{"limit":50}}}',
    });
    const refused =
      '{"errors":[<REQUEST SORT UNSUPPORTED_PAGINATION_WITH_IN_MEMORY_SORTING: Rows sorted in memory have no pages>]}';
    const states = [JSON.parse(text).data.nextPageState ?? 'AAAA', 'nonsense'];
    for (const state of states) {
      for (const name of ['pageState', 'pagingState']) {
        await table(
          `{"find":{"sort":{"_id":1},"options":{"${name}":"${state}"}}}`,
          refused,
          '"skip" and "limit"',
        );
      }
    }
    for (const none of ['""', 'null']) {
      await sorts('{}', '{"_id":-1}', [6], 6, ['zero', 'columns'], `"limit":1,"pageState":${none}`);
    }
  });

  it('sorts rows by what the projection leaves out, and shows what it names', () =>
    table(
      '{"find":{"filter":{"place":"a"},"sort":{"value":-1},"projection":{"note":1,"at":1}}}',
      `{"data":{"documents":[{"at":2},{"at":1,"note":"x"},{"at":2,"note":"x"},{"at":1,"note":"y"}],
        "nextPageState":null},"status":{"projectionSchema":{"at":{"type":"int"},"note":{"type":"text"}},
        "sortedRowCount":4,"warnings":[<REQUEST ${warnings.columns}>]}}`,
    ));

  it('gives the same after a restart', async () => {
    await restart();
    await sorts('{}', '{"value":-1}', [4, 2, 5, 6, 3, 1], 6, ['zero', 'columns']);
    await sorts('{"place":"a"}', '{"at":-1}', [4, 3, 2, 1], null, []);
  });
});

describe('a sort that is refused', () => {
  const unknown = 'SORT CANNOT_SORT_UNKNOWN_COLUMNS: Sort columns unknown in the table';
  const direction = 'SORT INVALID_REGULAR_SORT_EXPRESSION: Sort direction not valid';
  const combined = 'SORT CANNOT_SORT_ON_SPECIAL_WITH_OTHERS: Search cannot be combined with a sort';
  const vector = 'SORT CANNOT_VECTOR_SORT_NON_VECTOR_COLUMNS: Vector search needs a vector column';
  const vectorize =
    'SORT CANNOT_VECTORIZE_SORT_NON_VECTOR_COLUMN: Search by text needs a vector or text column';
  const lexical = 'SORT CANNOT_LEXICAL_SORT_NON_INDEXED_COLUMNS: Text search needs a text index';
  const cases: readonly (readonly [sort: string, problem: string, fact: string])[] = [
    [
      '{"x":1,"at":1,"y":"z"}',
      unknown,
      'columns that the table readings does not have.\nUnknown columns: x, y.',
    ],
    ['{"":1}', unknown, 'Unknown columns: "".'],
    ['{"$vector":[1]}', unknown, 'Unknown columns: $vector.'],
    ['{"x":1,"at":[1],"no":42}', unknown, 'The table has: place(text), at(int)'],
    ['{"at":42}', direction, 'at(int) must be 1 (ascending) or -1 (descending), but is the number 42'],
    ['{"at":0}', direction, 'the number 0'],
    ['{"at":1.0}', direction, 'the number 1.0'],
    ['{"at":null}', direction, 'is null'],
    ['{"note":true}', direction, 'note(text)'],
    ['{"at":{}}', direction, 'an object of 0 members'],
    ['{"at":{"x":1}}', direction, 'an object of 1 member'],
    ['{"no":1,"at":{"x":1}}', direction, 'at(int)'],
    ['{"no":1,"at":2}', direction, 'at(int)'],
    ['{"at":[0.1,0.2]}', vector, 'at(int)'],
    ['{"note":[]}', vector, 'note(text)'],
    ['{"value":{"$binary":"PczMzQ=="}}', vector, 'value(double)'],
    ['{"at":"asc"}', vectorize, 'at(int)'],
    ['{"value":""}', vectorize, 'value(double)'],
    ['{"note":"words"}', lexical, 'note(text)'],
    ['{"at":1,"note":"words"}', combined, 'Searched by vector: none.\nSearched by text: note.\nSorted: at.'],
    ['{"at":[1],"no":null}', combined, 'Searched by vector: at.\nSearched by text: none.\nSorted: no.'],
    ['{"at":"x","note":"y"}', combined, 'Searched by text: at, note.\nSorted: none.'],
    [
      '{"at":{"$binary":"PczMzQ=="},"no":1}',
      combined,
      'Searched by vector: at.\nSearched by text: none.\nSorted: no.',
    ],
  ];
  for (const [sort, problem, fact] of cases) {
    it(`says why: ${sort}`, async () => {
      for (const command of ['find', 'findOne']) {
        await table(`{"${command}":{"sort":${sort}}}`, `{"errors":[<REQUEST ${problem}>]}`, fact);
      }
    });
  }

  it('is an object', async () => {
    for (const sort of ['"at"', '1', '[{"at":1}]', 'true']) {
      await table(
        `{"find":{"sort":${sort}}}`,
        '{"errors":[<REQUEST REQUEST_STRUCTURE_MISMATCH: Request structure mismatch>]}',
        'command.sort',
      );
    }
  });

  it('comes behind the filter and the projection, before the page state', async () => {
    const state = '"options":{"pageState":"nonsense"}';
    await table(
      `{"find":{"filter":{"x":1},"sort":{"x":1},${state}}}`,
      '{"errors":[<REQUEST FILTER UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
    );
    await table(
      `{"find":{"projection":{"x":1},"sort":{"x":1},${state}}}`,
      '{"errors":[<REQUEST PROJECTION UNKNOWN_TABLE_COLUMNS: Columns unknown in the table>]}',
    );
    await table(`{"find":{"sort":{"x":1},${state}}}`, `{"errors":[<REQUEST ${unknown}>]}`);
  });
});
