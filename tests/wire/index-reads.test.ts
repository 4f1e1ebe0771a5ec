// Reads of tables with indexes: text options, warnings, the order of rows, and pages while indexes come and go.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isOnCluster, skippedUnlessOnCluster } from '../acceptance/server-args.js';
import { shortened, useWireServer } from './wire-server.js';

const { at, restart, send } = useWireServer();
const keyspace = at('/v1/default_keyspace');
const ok = '{"status":{"ok":1}}';
const zeroFilter = '<REQUEST WARNING ZERO_FILTER_OPERATIONS: Read without a filter>';
const missingIndex = '<REQUEST WARNING MISSING_INDEX: Filter without an index>';
const incompleteKey = '<REQUEST WARNING INCOMPLETE_PRIMARY_KEY_FILTER: Primary key incomplete in the filter>';
const unequal = '<REQUEST WARNING NOT_EQUALS_UNSUPPORTED_BY_INDEXING: Inequality not supported by the index>';
const compared =
  '<REQUEST WARNING COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING: Range not fully supported by the index>';
const excluded =
  '<REQUEST WARNING NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING: Exclusion not supported by the index>';

interface Shape {
  readonly columns: string;
  readonly key: string;
  readonly rows: readonly string[];
}

async function makeTable(name: string, { columns, key, rows }: Shape): Promise<ReturnType<typeof at>> {
  const definition = `{"columns":${columns},"primaryKey":${key}}`;
  await keyspace(`{"createTable":{"name":"${name}","definition":${definition}}}`, ok);
  const path = `/v1/default_keyspace/${name}`;
  const { text } = await send({ path, body: `{"insertMany":{"documents":[${rows.join(',')}]}}` });
  assert.ok(!text.includes('"errors"'), text);
  return at(path);
}

/** The `id` of every row that a filter finds, in the order of the reply; members are those of find. */
async function idsOf(table: string, members: string): Promise<readonly number[]> {
  const body = `{"find":{"projection":{"id":1},${members}}}`;
  const { text } = await send({ path: `/v1/default_keyspace/${table}`, body });
  assert.ok(!text.includes('"errors"'), text);
  return JSON.parse(text).data.documents.map(({ id }: { readonly id: number }) => id);
}

const create = (name: string, column: string, options = '{}') =>
  `{"createIndex":{"name":"${name}","definition":{"column":"${column}","options":${options}}}}`;

describe('text options of an index', () => {
  const words = ['cafe', 'Cafe', 'café', 'CAFÉ', 'cafe\u0301', 'tea', 'Tea', 'ﬁ', 'fi', '😀'];
  const others = (...ids: readonly number[]) => words.map((_, at) => at).filter((id) => !ids.includes(id));

  /** Options → the ids that equal "cafe", "CAFÉ" and "ﬁ". */
  const cases: readonly (readonly [
    options: string,
    cafe: readonly number[],
    accented: readonly number[],
    ligature: readonly number[],
  ])[] = [
    ['{}', [0], [3], [7]],
    ['{"caseSensitive":true,"ascii":false,"normalize":false}', [0], [3], [7]],
    ['{"caseSensitive":false}', [0, 1], [2, 3], [7]],
    ['{"ascii":true}', [0, 2], [], [7, 8]],
    ['{"normalize":true}', [0], [3], [7]],
    ['{"caseSensitive":false,"normalize":true}', [0, 1], [2, 3, 4], [7]],
    ['{"caseSensitive":false,"ascii":true}', [0, 1, 2, 3], [0, 1, 2, 3], [7, 8]],
    ['{"caseSensitive":false,"ascii":true,"normalize":true}', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4], [7, 8]],
  ];
  for (const [at, [options, cafe, accented, ligature]] of cases.entries()) {
    it(`index options: ${options} act on $eq, $ne, $in and $nin, never on ranges or sorts`, async () => {
      const name = `words_${at}`;
      const rows = words.map((word, id) => `{"id":${id},"word":${JSON.stringify(word)}}`);
      const columns = '{"id":"int","word":"text"}';
      const table = await makeTable(name, { columns, key: '"id"', rows: [...rows, '{"id":90}'] });
      const range = '"filter":{"word":{"$gt":"Cafe","$lte":"cafe"}}';
      const sort = '"sort":{"word":1}';
      const before = [await idsOf(name, range), await idsOf(name, sort)];
      assert.deepEqual(await idsOf(name, '"filter":{"word":"cafe"}'), [0]);
      await table(create(name, 'word', options), ok);
      if (at === 0) await restart();
      // CAFÉ alone has accented capitals: folded to ASCII it is CAFE, which no other word is.
      const shouted = options === '{"ascii":true}' ? [3] : accented;
      const same = (filter: string) =>
        idsOf(name, `"filter":{"word":${filter}}`).then((ids) => ids.toSorted());
      assert.deepEqual(await same('"cafe"'), cafe);
      assert.deepEqual(await same('{"$eq":"CAFÉ"}'), shouted);
      assert.deepEqual(await same('"ﬁ"'), ligature);
      assert.deepEqual(await same('{"$in":["ﬁ"]}'), ligature);
      assert.deepEqual(await same('{"$in":["CAFÉ","ﬁ","none"]}'), [...shouted, ...ligature].toSorted());
      assert.deepEqual(await same('{"$ne":"cafe"}'), others(...cafe));
      assert.deepEqual(await same('{"$nin":["cafe","ﬁ"]}'), others(...cafe, ...ligature));
      assert.deepEqual(await same('{"$nin":[]}'), others());
      const negated = '"filter":{"$not":{"word":{"$in":["cafe","ﬁ"]}}}';
      assert.deepEqual((await idsOf(name, negated)).toSorted(), others(...cafe, ...ligature));
      assert.deepEqual((await idsOf(name, range)).toSorted(), before[0]?.toSorted());
      assert.deepEqual(await idsOf(name, sort), before[1]);
      await keyspace(`{"dropIndex":{"name":"${name}"}}`, ok);
      assert.deepEqual(await same('"cafe"'), [0]);
    });
  }

  it('index options on key columns (embedded): act where the filter leaves the partition open', async () => {
    const keys = ['a', 'A'].flatMap((p) => ['x', 'X', 'y'].map((c) => [p, c] as const));
    const rows = keys.map(([p, c], id) => `{"p":"${p}","q":1,"c":"${c}","id":${id}}`);
    const columns = '{"p":"ascii","q":"int","c":"text","id":"int"}';
    const key = '{"partitionBy":["p","q"],"partitionSort":{"c":-1}}';
    const table = await makeTable('keyed', { columns, key, rows });
    await table(create('keyed_p', 'p', '{"caseSensitive":false}'), ok);
    await table(create('keyed_c', 'c', '{"caseSensitive":false}'), ok);
    const ids = (filter: string) => idsOf('keyed', `"filter":${filter}`);
    assert.deepEqual(await ids('{"c":"X"}'), [3, 4, 0, 1]);
    assert.deepEqual(await ids('{"p":"a","c":{"$ne":"x"}}'), [5, 2]);
    assert.deepEqual(await ids('{"p":"a","q":1,"c":"X"}'), [1]);
    assert.deepEqual(await ids('{"p":"a","q":1,"c":{"$in":["X","y"]}}'), [2, 1]);
    assert.deepEqual(await ids('{"c":{"$gt":"X"}}'), [5, 3, 2, 0]);
    // Writes name one row: nothing is alike there.
    await table('{"deleteOne":{"filter":{"p":"a","q":1,"c":"X"}}}', '{"status":{"deletedCount":-1}}');
    assert.deepEqual(await ids('{"c":"X"}'), [3, 4, 0]);
    // Pages of two rows that are alike in all but their case.
    const first = await send({
      path: '/v1/default_keyspace/keyed',
      body: '{"findOne":{"filter":{"c":"x"},"projection":{"id":1}}}',
    });
    assert.equal(
      shortened(first.text),
      `{"data":{"document":{"id":3}},"status":{"projectionSchema":{"id":{"type":"int"}},"warnings":[${incompleteKey}]}}`,
    );
  });
});

describe('warnings of filters on indexed columns', () => {
  const columns = '{"id":"int","no":"int","n":"int","t":"text","u":"uuid","b":"boolean","free":"int"}';
  const uuid = '"00000000-0000-4000-8000-000000000000"';
  const warned = async (filter: string) => {
    const { text } = await send({
      path: '/v1/default_keyspace/warned',
      body: `{"find":{"filter":${filter}}}`,
    });
    const warnings: readonly { readonly errorCode: string; readonly message: string }[] =
      JSON.parse(text).status.warnings ?? [];
    return warnings.map(({ errorCode, message }) => `${errorCode} ${message.replace(/^.*: /s, '')}`);
  };

  it('name each kind once with the columns it is about', async () => {
    const key = '{"partitionBy":["id"],"partitionSort":{"no":1}}';
    const rows = [`{"id":1,"no":1,"n":1,"t":"a","u":${uuid},"b":true,"free":1}`];
    const table = await makeTable('warned', { columns, key, rows });
    for (const column of ['n', 't', 'u', 'b', 'no']) await table(create(`warned_${column}`, column), ok);
    const cases: readonly (readonly [filter: string, warnings: readonly string[]])[] = [
      ['{"n":1}', []],
      ['{"n":{"$gt":1}}', []],
      ['{"n":{"$ne":1,"$nin":[2]}}', []],
      ['{"n":1,"t":"a","u":{"$in":[]},"b":true}', []],
      ['{"t":{"$ne":"a"}}', ['NOT_EQUALS_UNSUPPORTED_BY_INDEXING t(text).']],
      [
        `{"b":{"$ne":true},"t":{"$ne":"a","$gt":"a"},"u":{"$gte":${uuid},"$nin":[]},"n":{"$lt":1}}`,
        [
          'NOT_EQUALS_UNSUPPORTED_BY_INDEXING b(boolean), t(text).',
          'COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING t(text), u(uuid).',
          'NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING u(uuid).',
        ],
      ],
      ['{"$not":{"t":"a"}}', ['NOT_EQUALS_UNSUPPORTED_BY_INDEXING t(text).']],
      ['{"$not":{"t":{"$in":["a","b"]}}}', ['NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING t(text).']],
      ['{"t":{"$nin":["a"]}}', ['NOT_IN_FILTER_UNSUPPORTED_BY_INDEXING t(text).']],
      ['{"$or":[{"n":1},{"t":{"$lt":"b"}}]}', ['COMPARISON_FILTER_UNSUPPORTED_BY_INDEXING t(text).']],
      ['{"free":1}', ['MISSING_INDEX free(int).']],
      ['{"free":1,"t":{"$ne":"a"}}', ['MISSING_INDEX free(int).']],
      // Key columns count like others as soon as another column is there.
      ['{"id":1,"no":1,"n":1}', ['MISSING_INDEX id(int).']],
      ['{"no":1,"n":1}', []],
      // The key alone is judged as a key, indexed or not.
      ['{"no":1}', ['INCOMPLETE_PRIMARY_KEY_FILTER id(int).']],
      ['{"id":1}', []],
      ['{"id":1,"no":{"$ne":1}}', []],
    ];
    for (const [filter, warnings] of cases) assert.deepEqual(await warned(filter), warnings, filter);
  });

  it('stand beside the rows, and beside the reason of a sort in memory', async () => {
    const table = at('/v1/default_keyspace/warned');
    const reply = (warnings: string) =>
      `{"data":{"documents":[{"n":1}],"nextPageState":null},
        "status":{"projectionSchema":{"n":{"type":"int"}},"warnings":[${warnings}]}}`;
    const find = (filter: string) => `{"find":{"filter":${filter},"projection":{"n":1}}}`;
    await table(find('{"t":{"$ne":"b"}}'), reply(unequal), 'do not support $ne', 't(text)');
    await table(find('{"t":{"$gte":"a"}}'), reply(compared), 'do not support ranges', 't(text)');
    await table(find('{"b":{"$nin":[false]}}'), reply(excluded), 'do not support $nin', 'b(boolean)');
    await table(find('{"free":{"$gte":0}}'), reply(missingIndex), 'free(int)');
    const memory =
      '<REQUEST WARNING IN_MEMORY_SORTING_DUE_TO_NON_PARTITION_SORTING: Sorted in memory because of other columns>';
    await table(
      '{"find":{"filter":{"t":{"$ne":"b"}},"sort":{"n":1},"projection":{"n":1}}}',
      `{"data":{"documents":[{"n":1}],"nextPageState":null},
        "status":{"projectionSchema":{"n":{"type":"int"}},"sortedRowCount":1,"warnings":[${unequal},${memory}]}}`,
    );
    await table('{"find":{"projection":{"n":1}}}', reply(zeroFilter));
  });
});

describe('reads by an index', () => {
  const columns = '{"p":"int","c":"int","v":"int","id":"int"}';
  const key = '{"partitionBy":["p"],"partitionSort":{"c":-1}}';
  /** v falls while the key rises; ids count the rows by (v, key). */
  const keys = [0, 1, 2].flatMap((v) =>
    [1, 2].flatMap((p) => Array.from({ length: 20 }, (_, c) => [v, p, c] as const)),
  );
  const rows = keys.map(([v, p, c]) => {
    const place = v * 40 + (p - 1) * 20 + (19 - c);
    return `{"p":${p},"c":${(2 - v) * 100 + c},"v":${v},"id":${place}}`;
  });
  const path = (name: string) => `/v1/default_keyspace/${name}`;
  const page = async (name: string, filter: string, options: string) => {
    const body = `{"find":{"filter":${filter},"projection":{"id":1},"options":{${options}}}}`;
    const { text } = await send({ path: path(name), body });
    assert.ok(!text.includes('"errors"'), text);
    const { documents, nextPageState } = JSON.parse(text).data;
    const ids: readonly number[] = documents.map(({ id }: { readonly id: number }) => id);
    const next: string | null = nextPageState;
    return { ids, next };
  };
  const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

  before(async () => {
    const table = await makeTable('ordered', { columns, key, rows: rows.slice(0, 100) });
    await send({
      path: path('ordered'),
      body: `{"insertMany":{"documents":[${rows.slice(100).join(',')}]}}`,
    });
    await table(create('ordered_v', 'v'), ok);
    await makeTable('changing', { columns, key, rows: rows.slice(0, 100) });
  });

  it('unsorted reads (embedded): come by the indexed value, then by the key', async () => {
    const first = await page('ordered', '{"v":{"$gte":0}}', '');
    const second = await page('ordered', '{"v":{"$gte":0}}', `"pageState":"${first.next}"`);
    await restart();
    const third = await page('ordered', '{"v":{"$gte":0}}', `"pageState":"${second.next}"`);
    assert.deepEqual([...first.ids, ...second.ids, ...third.ids], from(0, 120));
    assert.equal(third.next, null);
    // The values of $in come in their order, not in that of the list.
    const chosen = await page('ordered', '{"v":{"$in":[2,0]}}', '');
    const rest = await page('ordered', '{"v":{"$in":[2,0]}}', `"pageState":"${chosen.next}"`);
    assert.deepEqual([...chosen.ids, ...rest.ids], [...from(0, 40), ...from(80, 40)]);
    // So they do beside a choice.
    const choice = await page('ordered', '{"v":{"$gte":1},"$or":[{"p":1},{"p":2}]}', '"limit":30');
    assert.deepEqual(choice.ids, from(40, 30));
    // Inside a partition the key orders.
    const partition = await page('ordered', '{"p":1,"v":{"$gte":0}}', '"limit":2');
    assert.deepEqual(partition.ids, [0, 1]);
    assert.deepEqual((await limited()).ids, from(40, 60));
  });

  /** At most 60 of the 80 rows with a `v` of 1 or 2, in two pages. */
  const limited = async () => {
    const filter = '{"v":{"$gte":1}}';
    const first = await page('ordered', filter, '"limit":60');
    const second = await page('ordered', filter, `"limit":60,"pageState":"${first.next}"`);
    return { ids: [...first.ids, ...second.ids], next: second.next };
  };

  it('count a limit over their pages', async () => {
    const { ids, next } = await limited();
    assert.equal(new Set(ids).size, 60);
    assert.ok(
      ids.every((id) => id >= 40 && id < 120),
      ids.join(),
    );
    assert.equal(next, null);
  });

  const refused = '{"errors":[<REQUEST COMMAND_FIELD_VALUE_INVALID: Command field value invalid>]}';
  const goOn = async (name: string, filter: string, state: string | null) => {
    const body = `{"find":{"filter":${filter},"projection":{"id":1},"options":{"pageState":"${state}"}}}`;
    return shortened((await send({ path: path(name), body })).text);
  };

  it('a bad, foreign or outdated page state (embedded): refused is one from before an index came', async () => {
    const table = at(path('changing'));
    const filter = '{"v":{"$gte":0}}';
    const before = await page('changing', filter, '');
    await table(create('changing_v', 'v'), ok);
    assert.equal(await goOn('changing', filter, before.next), refused);
    const indexed = await page('changing', filter, '');
    await keyspace('{"dropIndex":{"name":"changing_v"}}', ok);
    assert.equal(await goOn('changing', filter, indexed.next), refused);
    // The access path has not changed: both continue at their positions.
    assert.notEqual(await goOn('changing', filter, before.next), refused);
    await table(create('changing_again', 'v'), ok);
    const rest = await page('changing', filter, `"pageState":"${indexed.next}"`);
    const whole = [...indexed.ids, ...rest.ids];
    assert.equal(new Set(whole).size, 100);
    assert.deepEqual(
      whole.toSorted((one, other) => one - other),
      whole,
    );
  });

  it('page state on a cluster: continues when an index comes', {
    skip: skippedUnlessOnCluster(),
  }, async () => {
    const table = await makeTable('continued', { columns, key, rows: rows.slice(0, 100) });
    const filter = '{"v":{"$gte":0}}';
    const first = await page('continued', filter, '');
    await table(create('continued_v', 'v'), ok);
    const second = await page('continued', filter, `"pageState":"${first.next}"`);
    assert.equal(new Set([...first.ids, ...second.ids]).size, 100);
  });

  it('page state: continues when an index of another column is created and dropped', async () => {
    const table = at(path('changing'));
    const filter = '{"v":{"$gte":0}}';
    const first = await page('changing', filter, '');
    await table(create('changing_c', 'c'), ok);
    const second = await page('changing', filter, `"pageState":"${first.next}"`);
    await keyspace('{"dropIndex":{"name":"changing_c"}}', ok);
    assert.equal(new Set([...first.ids, ...second.ids]).size, 100);
    assert.equal(await goOn('changing', '{"v":{"$gte":1}}', first.next), refused);
  });

  it('DDL under way: reads and writes continue while indexes are created and dropped, without loss', async () => {
    const table = await makeTable('busy', { columns, key, rows: rows.slice(0, 100) });
    let isIndexing = true;
    const indexing = (async () => {
      for (let round = 0; round < (isOnCluster() ? 3 : 10); round += 1) {
        await table(create('busy_v', 'v'), ok);
        await keyspace('{"dropIndex":{"name":"busy_v"}}', ok);
      }
      await table(create('busy_v', 'v'), ok);
    })().finally(() => {
      isIndexing = false;
    });
    let storedCount = 0;
    const find = async () => {
      const least = Math.min(50, storedCount);
      const body = '{"find":{"filter":{"v":7},"projection":{"id":1},"options":{"limit":50}}}';
      const { text } = await send({ path: path('busy'), body });
      // For a moment after the build: see the known faults in docs/differences.md.
      if (isOnCluster() && text.includes('FAILED_READ_REQUEST')) return;
      const count = JSON.parse(text).data.documents.length;
      assert.ok(count >= least, `${count} of ${least} rows`);
    };
    const writing = Array.from({ length: 60 }, async (_, n) => {
      const document = `{"p":${n},"c":1000,"v":7,"id":${n}}`;
      const stored = await send({ path: path('busy'), body: `{"insertOne":{"document":${document}}}` });
      assert.ok(!stored.text.includes('"errors"'), stored.text);
      storedCount += 1;
      await find();
    });
    // The writes may end before the first index is dropped.
    const finding = Array.from({ length: 4 }, async () => {
      while (isIndexing) await find();
    });
    await Promise.all([indexing, ...writing, ...finding]);
    const first = await page('busy', '{"v":7}', '');
    const second = await page('busy', '{"v":7}', `"pageState":"${first.next}"`);
    const ids = [...first.ids, ...second.ids];
    assert.deepEqual(
      ids.toSorted((one, other) => one - other),
      from(0, 60),
    );
  });
});
