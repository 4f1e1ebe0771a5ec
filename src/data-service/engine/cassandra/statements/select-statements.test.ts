// The SELECT statements of read plans, with the bytes of their values, and what they leave undone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import { inet } from '../../../column-types/inet.js';
import { int } from '../../../column-types/integers.js';
import { text } from '../../../column-types/text.js';
import { exactText, type TextFold } from '../../../column-types/text-fold.js';
import { vectorOf } from '../../../column-types/vector.js';
import { parseFilter } from '../../../query/parse-filter.js';
import type { ReadPage, ReadPlan } from '../../../query/read.js';
import { OutdatedPosition, type RowOrder, writePosition } from '../../../query/row-order.js';
import { makeTable, type Table, withIndexes } from '../../../schema/table.js';
import { EngineError } from '../../engine-error.js';
import { lacking, shadowed } from '../schema/engine-state.js';
import { columnsToSelect, readPath } from './read-path.js';
import { searchStatement, selectStatement } from './select-statements.js';

const bare = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: [
      ...['p', 'q', 'c', 'd', 'v', 'n'].map((name) => ({ name, type: int })),
      { name: 'w', type: text },
      { name: 'x', type: text },
      { name: 'i', type: inet },
      { name: 'e', type: vectorOf(2) },
    ],
    partitionKey: ['p', 'q'],
    clustering: [
      { name: 'c', direction: 1 },
      { name: 'd', direction: -1 },
    ],
  },
);
const table = withIndexes(bare, [
  ...[indexOf('v', null), indexOf('i', null), indexOf('w', { ...exactText, caseSensitive: false })],
  indexOf('x', exactText),
  {
    kind: 'vector',
    id: 9,
    name: 'index_e',
    column: columnOf('e'),
    metric: 'cosine',
    sourceModel: 'other',
  },
]);
const unbuilt = withIndexes(
  bare,
  table.indexes.map((index) => ({ ...index, isBuilding: true })),
);
const incomplete = withIndexes(
  bare,
  table.indexes.map((index) => ({ ...index, engineState: lacking })),
);

function indexOf(name: string, fold: TextFold | null) {
  return { kind: 'regular', id: 1, name: `index_${name}`, column: columnOf(name), fold } as const;
}

function numbers(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, at) => at));
}

function columnOf(name: string) {
  const column = bare.columnsByName.get(name);
  assert.ok(column);
  return column;
}

describe('readPath', () => {
  const inPartition = '"p" = 1 AND "q" = 2';
  const filters: readonly (readonly [filter: string, where: readonly string[], left?: 'left'])[] = [
    ['{}', ['']],
    ['{"p":1,"q":2}', [inPartition]],
    ['{"p":1,"q":2,"c":3,"d":4}', [`${inPartition} AND "c" = 3 AND "d" = 4`]],
    ['{"p":1,"q":2,"c":{"$gt":3,"$lte":5}}', [`${inPartition} AND "c" > 3 AND "c" <= 5`]],
    ['{"p":1,"q":2,"c":{"$in":[5,3,5]}}', [`${inPartition} AND "c" IN [3,5]`]],
    ['{"p":1,"q":2,"d":3}', [`${inPartition} AND "d" = 3 ALLOW FILTERING`]],
    ['{"p":1,"q":2,"c":{"$lt":2},"d":3}', [`${inPartition} AND "c" < 2 AND "d" = 3 ALLOW FILTERING`]],
    ['{"p":{"$in":[3,1]},"q":2}', [inPartition, '"p" = 3 AND "q" = 2']],
    ['{"p":{"$in":[3,1],"$gt":1},"q":2}', ['"p" = 3 AND "q" = 2']],
    ['{"p":1,"q":2,"v":5}', [`${inPartition} AND "v" = 5`]],
    ['{"p":1,"q":2,"v":{"$in":[5,6]}}', [`${inPartition} AND "v" IN [5,6] ALLOW FILTERING`]],
    ['{"p":1,"q":2,"n":5}', [`${inPartition} AND "n" = 5 ALLOW FILTERING`]],
    ['{"p":1}', ['"p" = 1 ALLOW FILTERING']],
    ['{"p":{"$gt":1}}', ['"p" > 1 ALLOW FILTERING']],
    ['{"p":{"$in":[1,2]}}', [''], 'left'],
    ['{"c":3}', ['"c" = 3 ALLOW FILTERING']],
    ['{"v":5}', ['"v" = 5']],
    ['{"v":{"$gte":5,"$lt":7}}', ['"v" >= 5 AND "v" < 7']],
    ['{"v":{"$in":[6,5]}}', ['"v" = 5', '"v" = 6']],
    ['{"v":5,"n":6}', ['"v" = 5 AND "n" = 6 ALLOW FILTERING']],
    ['{"n":{"$in":[6,5]}}', ['"n" IN [5,6] ALLOW FILTERING']],
    ['{"n":{"$gt":5}}', ['"n" > 5 ALLOW FILTERING']],
    ['{"n":{"$ne":5}}', [''], 'left'],
    ['{"n":{"$nin":[5]},"v":5}', ['"v" = 5'], 'left'],
    ['{"$or":[{"v":5},{"n":6}]}', [''], 'left'],
    ['{"v":5,"$or":[{"c":5},{"n":6}]}', ['"v" = 5'], 'left'],
    ['{"$or":[{"v":5}]}', ['"v" = 5']],
    ['{"$and":[{"v":5},{"v":{"$gt":4}}]}', ['"v" = 5']],
    ['{"$and":[{"n":{"$gt":5}},{"n":{"$gte":5}},{"n":{"$lt":9}}]}', ['"n" > 5 AND "n" < 9 ALLOW FILTERING']],
    // The values of clustering columns multiply in a node.
    [
      `{"p":1,"q":2,"c":{"$in":${numbers(100)}},"d":{"$in":[1,2]}}`,
      [`${inPartition} AND "c" IN ${numbers(100)} AND "d" IN [1,2]`],
    ],
    [
      `{"p":1,"q":2,"c":{"$in":${numbers(100)}},"d":{"$in":${numbers(11)}}}`,
      [`${inPartition} AND "c" IN ${numbers(100)}`],
      'left',
    ],
    [
      `{"c":{"$in":${numbers(100)}},"d":{"$in":${numbers(11)}},"v":5}`,
      [`"c" IN ${numbers(100)} AND "v" = 5 ALLOW FILTERING`],
      'left',
    ],
    // An index that folds finds more texts than those that are equal after the fold.
    ['{"w":"A"}', [`"w" = 'a'`], 'left'],
    ['{"w":{"$in":["B","a","b"]}}', [`"w" = 'a'`, `"w" = 'b'`], 'left'],
    ['{"w":{"$in":["B","ɤ"]}}', [''], 'left'],
    ['{"v":5,"w":{"$in":["B","a"]}}', ['"v" = 5'], 'left'],
    ['{"v":{"$in":[5,6]},"w":{"$in":["B","a"]}}', ['"v" = 5', '"v" = 6'], 'left'],
    ['{"p":1,"q":2,"w":{"$in":["B","a"]}}', [inPartition], 'left'],
    [
      '{"n":5,"w":{"$in":["B","a"]}}',
      ['"n" = 5 AND "w" = \'a\' ALLOW FILTERING', '"n" = 5 AND "w" = \'b\' ALLOW FILTERING'],
      'left',
    ],
    ['{"w":"Ä"}', [`"w" = 'ä'`], 'left'],
    ['{"w":"ɤ"}', [''], 'left'],
    ['{"w":{"$gt":"a"}}', [''], 'left'],
    ['{"i":{"$gt":"1.2.3.4"}}', [''], 'left'],
    // No row matches.
    ['{"$and":[{"v":5},{"v":6}]}', []],
    ['{"n":{"$gt":5,"$lte":5}}', []],
    ['{"n":{"$in":[]}}', []],
    ['{"$not":{}}', []],
    ['{"p":1,"$not":{"$and":[{}]}}', []],
  ];
  it('asks no index for texts that it lacks: those of more than 8 KiB', () => {
    const whereOf = (filter: string) =>
      statementsOf(planOf(filter)).map((each) => /"[wxv]" = .*$/.exec(each)?.[0].slice(0, 12));
    const [indexed, longer] = ['a'.repeat(8_192), 'a'.repeat(8_193)];
    assert.deepEqual(whereOf(`{"w":"${indexed}"}`), ['"w" = 616161']);
    assert.deepEqual(whereOf(`{"w":"${longer}"}`), [undefined]);
    assert.deepEqual(whereOf(`{"x":"${indexed}"}`), ['"x" = 616161']);
    assert.deepEqual(whereOf(`{"x":"${longer}","v":5}`), ['"v" = 5 ALLO']);
    assert.deepEqual(whereOf(`{"x":{"$in":["a","${'ä'.repeat(4_097)}"]}}`), [undefined]);
  });

  it('lets nodes compare rows where an index lacks a text: a longer one, or an empty one of a reversed key', () => {
    const askedBy = (filter: string, of: Table) =>
      statementsOf(planOf(filter, {}, of)).map((each) => / WHERE "." (=|IN) /.exec(each)?.[1]);
    assert.deepEqual(askedBy(`{"x":"${'a'.repeat(8_193)}"}`, table), ['IN']);
    for (const [direction, ofEmpty] of [
      [1, [['='], ['=', '=']]],
      [-1, [['IN'], ['IN']]],
    ] as const) {
      const columns = ['p', 'c'].map((name) => ({ name, type: text }));
      const clustering = [{ name: 'c', direction }];
      const place = { id: 1, version: 1, keyspace: 'k' };
      const sorted = makeTable(place, { name: 't', columns, partitionKey: ['p'], clustering });
      const column = sorted.columnsByName.get('c');
      assert.ok(column);
      const indexed = withIndexes(sorted, [{ ...indexOf('x', exactText), column }]);
      assert.deepEqual(askedBy('{"c":"a"}', indexed), ['=']);
      assert.deepEqual([askedBy('{"c":""}', indexed), askedBy('{"c":{"$in":["","a"]}}', indexed)], ofEmpty);
    }
  });

  it('asks no index of folded texts beside an index of another kind', () => {
    const beside = withIndexes(
      bare,
      table.indexes.map((index) => ({ ...index, engineState: shadowed })),
    );
    assert.doesNotMatch(String(statementsOf(planOf('{"w":"A"}', {}, beside))), /WHERE/);
  });

  for (const [filter, where, left] of filters) {
    it(`asks for ${filter}`, () => {
      const plan = planOf(filter);
      assert.deepEqual(
        statementsOf(plan).map((each) => each.replace(/^.*FROM "k"\."t"( WHERE )?/, '')),
        where,
      );
      assert.equal(readPath(plan)?.isFiltered ?? true, left === undefined);
    });
  }

  const unindexed: readonly (readonly [filter: string, where: readonly string[], left?: 'left'])[] = [
    ['{"v":5}', ['"v" IN [5] ALLOW FILTERING']],
    ['{"v":{"$in":[5,6]}}', ['"v" IN [5,6] ALLOW FILTERING']],
    ['{"v":{"$gt":5}}', [''], 'left'],
    ['{"v":5,"n":6}', ['"v" IN [5] AND "n" = 6 ALLOW FILTERING']],
    ['{"w":"A"}', [''], 'left'],
    ['{"p":1,"q":2,"v":5,"w":"A"}', [`${inPartition} AND "v" IN [5] ALLOW FILTERING`], 'left'],
    ['{"p":1,"q":2,"c":3}', [`${inPartition} AND "c" = 3`]],
  ];
  for (const [filter, where, left] of unindexed) {
    for (const [state, of] of [
      ['while indexes are built', unbuilt],
      ['where indexes may lack rows', incomplete],
    ] as const)
      it(`asks for ${filter} ${state}`, () => {
        const plan = planOf(filter, {}, of);
        assert.deepEqual(
          statementsOf(plan).map((each) => each.replace(/^.*FROM "k"\."t"( WHERE )?/, '')),
          where,
        );
        assert.equal(readPath(plan)?.isFiltered, left === undefined);
      });
  }

  it('searches a table only by an index that is built, and partitions without it', () => {
    const search = {
      kind: 'vector',
      column: columnOf('e'),
      query: Float32Array.of(1, 2),
      metric: 'cosine',
    } as const;
    assert.equal(readPath(planOf('{}', { search }))?.isSearched, true);
    const isBuilding = (error: unknown) =>
      error instanceof EngineError && error.kind === 'unavailable' && error.message.includes('index_e');
    assert.throws(() => readPath(planOf('{}', { search }, unbuilt)), isBuilding);
    assert.equal(readPath(planOf('{"p":1,"q":2}', { search }, unbuilt))?.isSearched, false);
  });

  it('selects what is wanted, and what is needed to name positions and to finish the filter', () => {
    const columns = [columnOf('n')];
    const selected = (filter: string, changes: Partial<ReadPlan>) =>
      statementsOf(planOf(filter, { columns, ...changes })).map((each) => each.replace(/ FROM.*$/, ''));
    assert.deepEqual(selected('{"v":1}', {}), ['SELECT "n"']);
    assert.deepEqual(selected('{"v":1}', { page: anyPage }), ['SELECT "n", "p", "q", "c", "d"']);
    assert.deepEqual(selected('{"p":1,"q":1,"c":1,"d":1}', { page: anyPage }), ['SELECT "n"']);
    assert.deepEqual(selected('{"v":{"$ne":1}}', {}), ['SELECT "n", "v"']);
    assert.deepEqual(selected('{"v":1}', { order: table.keyOrder }), ['SELECT "n", "p", "q", "c", "d"']);
    assert.deepEqual(selected('{"p":1,"q":1}', { order: table.keyOrder }), ['SELECT "n"']);
    assert.deepEqual(selected('{}', { columns: [] }), ['SELECT "p"']);
  });

  it('selects columns under other names where rows of the driver have members of their names', () => {
    const columns = ['id', '__proto__', '__columns'].map((name) => ({ name, type: text }));
    const hostile = makeTable(
      { id: 1, version: 1, keyspace: 'k' },
      { name: 't', columns, partitionKey: ['id'], clustering: [] },
    );
    const plan = { ...planOf('{}'), table: hostile, columns: hostile.columns };
    assert.deepEqual(statementsOf(plan), [
      'SELECT "id", "__proto__" AS "__proto__ of the table", "__columns" AS "__columns of the table" FROM "k"."t"',
    ]);
  });

  it('reads a partition against its order', () => {
    const reversed = (filter: string) =>
      statementsOf(planOf(filter, { order: turned(table.keyOrder) })).map((each) =>
        each.replace(/^.*AND "q" = 2/, ''),
      );
    const order = ' ORDER BY "c" DESC, "d" ASC';
    assert.deepEqual(reversed('{"p":1,"q":2}'), [order]);
    assert.deepEqual(reversed('{"p":1,"q":2,"c":{"$gt":1}}'), [` AND "c" > 1${order}`]);
    // An order is refused together with an index.
    assert.deepEqual(reversed('{"p":1,"q":2,"c":{"$gt":1},"d":2,"v":3}'), [` AND "c" > 1${order}`]);
    assert.equal(
      readPath(planOf('{"p":1,"q":2,"v":3}', { order: turned(table.keyOrder) }))?.isFiltered,
      false,
    );
    assert.equal(readPath(planOf('{"v":3}', { order: turned(table.keyOrder) }))?.positions, null);
  });

  it('continues behind a row', () => {
    const behind = (
      filter: string,
      order: RowOrder,
      values: readonly unknown[],
      wanted: RowOrder | null = null,
    ) =>
      statementsOf(
        planOf(filter, { page: { ...anyPage, after: writePosition(order, values) }, order: wanted }),
      ).map((each) => each.replace(/^.*WHERE /, ''));
    assert.deepEqual(behind('{"p":1,"q":2}', table.keyOrder, [1, 2, 3, 4]), [
      '"p" = 1 AND "q" = 2 AND "c" = 3 AND "d" < 4',
      '"p" = 1 AND "q" = 2 AND "c" > 3',
    ]);
    assert.deepEqual(behind('{"p":1,"q":2}', turned(table.keyOrder), [1, 2, 3, 4], turned(table.keyOrder)), [
      '"p" = 1 AND "q" = 2 AND "c" = 3 AND "d" > 4 ORDER BY "c" DESC, "d" ASC',
      '"p" = 1 AND "q" = 2 AND "c" < 3 ORDER BY "c" DESC, "d" ASC',
    ]);
    assert.deepEqual(behind('{"p":{"$in":[1,5]},"q":2,"c":{"$in":[3,4]}}', table.keyOrder, [1, 2, 3, 4]), [
      '"p" = 1 AND "q" = 2 AND "c" = 3 AND "d" < 4',
      '"p" = 1 AND "q" = 2 AND "c" = 4',
      '"p" = 5 AND "q" = 2 AND "c" IN [3,4]',
    ]);
    assert.deepEqual(behind('{"p":1,"q":2,"c":3,"d":{"$gt":4}}', table.keyOrder, [1, 2, 3, 6]), [
      '"p" = 1 AND "q" = 2 AND "c" = 3 AND "d" > 4 AND "d" < 6',
    ]);
    assert.deepEqual(behind('{"p":1,"q":2,"c":3,"d":4}', table.keyOrder, [1, 2, 3, 4]), []);
    assert.deepEqual(behind('{"v":6}', table.keyOrder, [1, 2, 3, 4]), [
      '"p" = 1 AND "q" = 2 AND "v" = 6 AND "c" = 3 AND "d" < 4',
      '"p" = 1 AND "q" = 2 AND "v" = 6 AND "c" > 3',
      'token("p", "q") > token(1, 2) AND "v" = 6',
    ]);
    const looked = [{ column: columnOf('v'), direction: 1 as const }, ...table.keyOrder];
    assert.deepEqual(behind('{"v":{"$in":[5,6,7]}}', looked, [6, 1, 2, 3, 4]).slice(1), [
      '"p" = 1 AND "q" = 2 AND "v" = 6 AND "c" > 3',
      'token("p", "q") > token(1, 2) AND "v" = 6',
      '"v" = 7',
    ]);
    const folded = [{ column: columnOf('w'), direction: 1 as const }, ...table.keyOrder];
    assert.deepEqual(behind('{"w":{"$in":["A","B","c"]}}', folded, ['B', 1, 2, 3, 4]).slice(1), [
      `"p" = 1 AND "q" = 2 AND "w" = 'b' AND "c" > 3`,
      `token("p", "q") > token(1, 2) AND "w" = 'b'`,
      `"w" = 'c'`,
    ]);
    assert.throws(() => behind('{"v":6}', looked, [6, 1, 2, 3, 4]), OutdatedPosition);
    assert.throws(() => behind('{"v":{"$in":[5,6]}}', looked, [9, 1, 2, 3, 4]), OutdatedPosition);
  });

  it('searches by the index where the key and indexes find the rows, and else compares all', () => {
    const search = {
      kind: 'vector',
      column: columnOf('e'),
      query: Float32Array.of(1, 0),
      metric: 'cosine',
    } as const;
    const isSearched = (filter: string) => readPath(planOf(filter, { search }))?.isSearched;
    for (const filter of ['{}', '{"v":5}', '{"v":{"$gt":5}}', '{"v":{"$in":[5,6]}}'])
      assert.equal(isSearched(filter), true, filter);
    for (const filter of ['{"n":5}', '{"v":{"$ne":5}}', '{"p":1}', '{"w":"a"}', '{"p":1,"q":2}'])
      assert.equal(isSearched(filter), false, filter);
    const [source] = readPath(planOf('{"v":5}', { search }))?.sources ?? [];
    assert.ok(source);
    const statement = searchStatement(table, [columnOf('e')], source, search, 10);
    assert.equal(
      withBytes(statement),
      'SELECT "e" FROM "k"."t" WHERE "v" = 5 ORDER BY "e" ANN OF 3f80000000000000 LIMIT 10',
    );
    assert.equal(statement.consistency, 'LOCAL_ONE');
    assert.equal(statement.pageRows, 10);
  });

  it('asks for no key that Cassandra refuses', () => {
    const texts = makeTable(
      { id: 1, version: 1, keyspace: 'k' },
      { name: 't', columns: [{ name: 'id', type: text }], partitionKey: ['id'], clustering: [] },
    );
    const read = (id: string) =>
      readPath({ ...planOf('{}'), table: texts, filter: parsedFilter(`{"id":"${id}"}`, texts) });
    assert.equal(read(''), undefined);
    assert.equal(read('x'.repeat(65_536)), undefined);
    assert.ok(read('x'.repeat(65_535)));
  });
});

const anyPage: ReadPage = {
  after: null,
  limit: 10,
  kind: 'paged',
  maxBytes: Number.POSITIVE_INFINITY,
};

function planOf(filter: string, changes: Partial<ReadPlan> = {}, of: Table = table): ReadPlan {
  return {
    table: of,
    columns: [columnOf('n')],
    filter: parsedFilter(filter, of),
    order: null,
    page: { ...anyPage, kind: 'single' },
    form: 'values',
    search: null,
    ...changes,
  };
}

function parsedFilter(json: string, of: Table) {
  const parsed = parseJson(json, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(parsed));
  return parseFilter(parsed, of);
}

function statementsOf(plan: ReadPlan): readonly string[] {
  const path = readPath(plan);
  if (path === undefined) return [];
  const columns = columnsToSelect(plan, path);
  return path.sources.map((source) =>
    withBytes(selectStatement(plan.table, columns, source, path.direction)),
  );
}

function turned(order: RowOrder): RowOrder {
  return order.map(({ column, direction }) => ({ column, direction: direction === 1 ? -1 : 1 }));
}

/** The text with its values: integers, lists of them, texts; else bytes. */
function withBytes({ cql, values }: ReturnType<typeof selectStatement>): string {
  const parts = cql.split('?');
  assert.equal(parts.length - 1, values.length, `${cql} has one ? for each value`);
  return parts.map((part, at) => (at === 0 ? part : shown(values[at - 1] ?? null) + part)).join('');
}

function shown(value: Buffer | null): string {
  assert.ok(value);
  if (value.length === 4) return String(value.readInt32BE());
  if (value.length < 4) return `'${value}'`;
  const isList = value.length === 4 + 8 * value.readInt32BE();
  if (!isList) return value.toString('hex');
  return `[${Array.from({ length: value.readInt32BE() }, (_, at) => value.readInt32BE(8 + 8 * at))}]`;
}
