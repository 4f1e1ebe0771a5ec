// What nodes are asked of the members of lists, sets and maps, and what is left to the server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../../../foundation/json/json-value.js';
import { parseJson } from '../../../../foundation/json/parse-json.js';
import type { PartName } from '../../../column-types/column-type.js';
import { inDialect } from '../../../column-types/dialect.js';
import { exactText, type TextFold } from '../../../column-types/text-fold.js';
import { columnTypeOfName } from '../../../column-types/type-names.js';
import { parseFilter } from '../../../query/parse-filter.js';
import type { ReadPage, ReadPlan } from '../../../query/read.js';
import { OutdatedPosition } from '../../../query/row-order.js';
import { makeTable, type Table, withIndexes } from '../../../schema/table.js';
import { columnsToSelect, positionOn, readPath } from './read-path.js';
import { selectStatement } from './select-statements.js';

const types = {
  p: 'int',
  c: 'int',
  v: 'int',
  l: 'list<text>',
  plain: 'set<int>',
  m: 'map<int,text>',
  folded: 'list<text>',
  half: 'map<int,text>',
  d: 'list<decimal>',
  u: 'set<user{k.a.x:int}>',
  f: 'frozen<list<int>>',
};
const bare = makeTable(
  { id: 1, version: 1, keyspace: 'k' },
  {
    name: 't',
    columns: Object.entries(types).map(([name, typeName]) => {
      const type = columnTypeOfName(typeName);
      assert.ok(type);
      return { name, type: inDialect(type, 'extended') };
    }),
    partitionKey: ['p'],
    clustering: [{ name: 'c', direction: 1 }],
  },
);

function columnOf(name: string) {
  const column = bare.columnsByName.get(name);
  assert.ok(column);
  return column;
}

const on = (name: string, part: PartName, fold: TextFold | null = null) =>
  ({ kind: 'container', id: 1, name: `${name}_${part}`, column: columnOf(name), part, fold }) as const;
const table = withIndexes(bare, [
  { kind: 'regular', id: 1, name: 'v', column: columnOf('v'), fold: null },
  on('l', 'elements', exactText),
  ...[on('m', 'entries'), on('m', 'keys'), on('m', 'values')],
  on('folded', 'elements', { ...exactText, caseSensitive: false }),
  on('half', 'keys'),
  on('d', 'elements'),
  on('u', 'elements'),
]);

const anyPage: ReadPage = {
  after: null,
  limit: 10,
  kind: 'paged',
  maxBytes: Number.POSITIVE_INFINITY,
};

function planOf(filter: string, changes: Partial<ReadPlan> = {}, of: Table = table): ReadPlan {
  const json = parseJson(filter, { maxDepth: 9, maxNumberLength: 100 });
  assert.ok(isJsonObject(json));
  const columns = [columnOf('c')];
  const rest = { order: null, page: anyPage, form: 'values', search: null } as const;
  return { table: of, columns, filter: parseFilter(json, of), ...rest, ...changes };
}

function conditionsOf(plan: ReadPlan): readonly string[] {
  const path = readPath(plan);
  return (path?.sources ?? []).map((source) => {
    const { cql, values } = selectStatement(plan.table, [columnOf('c')], source, path?.direction ?? 1);
    assert.equal(cql.split('?').length - 1, values.length);
    return cql.replace(/^.*?FROM "k"."t"( WHERE )?/, '');
  });
}

describe('members that nodes are asked for', () => {
  const cases: readonly (readonly [filter: string, ...conditions: readonly string[]])[] = [
    ['{"l":{"$in":["a"]}}', '"l" CONTAINS ?'],
    ['{"l":{"$in":["a","a"]}}', '"l" CONTAINS ?'],
    ['{"l":{"$all":["a","b"]}}', '"l" CONTAINS ? AND "l" CONTAINS ?'],
    ['{"m":{"$keys":{"$all":[1]},"$values":{"$in":["x"]}}}', '"m" CONTAINS KEY ? AND "m" CONTAINS ?'],
    ['{"m":{"$in":[[1,"x"]]}}', '"m"[?] = ?'],
    ['{"p":1,"m":{"$in":[[1,"x"]]}}', '"p" = ? AND "m"[?] = ?'],
    ['{"p":1,"c":{"$in":[1,2]},"l":{"$in":["a"]}}', '"p" = ? AND "c" IN ?'],
    ['{"v":1,"l":{"$in":["a"]}}', '"v" = ? AND "l" CONTAINS ?'],
    ['{"v":1,"l":{"$in":["a","b"]}}', '"v" = ?'],
    // Without an index on the column nodes compare all rows.
    ['{"plain":{"$all":[1,2]}}', '"plain" CONTAINS ? AND "plain" CONTAINS ? ALLOW FILTERING'],
    ['{"plain":{"$in":[1,2]}}', ''],
    // Several members are looked up one after another.
    ['{"l":{"$in":["a","b","a"]}}', '"l" CONTAINS ?', '"l" CONTAINS ?'],
    [
      '{"l":{"$in":["a","b"]},"plain":{"$in":[1]}}',
      '"plain" CONTAINS ? AND "l" CONTAINS ? ALLOW FILTERING',
      '"plain" CONTAINS ? AND "l" CONTAINS ? ALLOW FILTERING',
    ],
    // Others would be missed by nodes, or need every row.
    ['{"l":{"$nin":["a"]}}', ''],
    ['{"$not":{"l":{"$all":["a"]}}}', ''],
    ['{"$or":[{"l":{"$in":["a"]}},{"v":1}]}', ''],
    ['{"folded":{"$in":["a"]}}', ''],
    ['{"half":{"$values":{"$in":["a"]}}}', ''],
    ['{"half":{"$keys":{"$in":[1]}}}', '"half" CONTAINS KEY ?'],
    ['{"d":{"$in":[1]}}', ''],
    ['{"u":{"$in":[{"x":1}]}}', ''],
    ['{"f":{"$in":[1]}}', ''],
    [`{"l":{"$in":["${'x'.repeat(1_025)}"]}}`, ''],
  ];
  for (const [filter, ...conditions] of cases) {
    it(`asks for ${filter.slice(0, 60)}`, () => {
      const plan = planOf(filter);
      assert.deepEqual(conditionsOf(plan), conditions);
      assert.equal(readPath(plan)?.isFiltered, false);
    });
  }

  it('uses no index that is still being built', () => {
    const indexes = table.indexes.map((index) => ({ ...index, isBuilding: true }));
    const unbuilt = withIndexes(bare, indexes);
    assert.deepEqual(conditionsOf(planOf('{"l":{"$in":["a"]}}', {}, unbuilt)), ['']);
    assert.deepEqual(conditionsOf(planOf('{"l":{"$in":["a","b"]}}', {}, unbuilt)), ['']);
  });

  it('asks against the order of a partition for no members', () => {
    const order = table.keyOrder.map(({ column }) => ({ column, direction: -1 as const }));
    const plan = planOf('{"p":1,"l":{"$in":["a"]}}', { order });
    assert.deepEqual(conditionsOf(plan), ['"p" = ? ORDER BY "c" DESC']);
  });

  it('continues behind a row in the look-up that gave it, without the rows of those before it', () => {
    const filter = '{"l":{"$in":["a","b","z"]}}';
    const plan = planOf(filter);
    const path = readPath(plan);
    assert.ok(path?.positions);
    assert.deepEqual(
      path.sources.map(({ without }) => without?.operands ?? []),
      [[], ['a'], ['a', 'b']],
    );
    assert.ok(columnsToSelect(plan, path).includes(columnOf('l')));
    const row = new Map<unknown, unknown>([
      [columnOf('p'), 7],
      [columnOf('c'), 8],
      [columnOf('l'), ['z', 'b']],
    ]);
    const after = positionOn(path, path.positions, (column) => row.get(column));
    assert.deepEqual(conditionsOf(planOf(filter, { page: { ...anyPage, after } })), [
      '"p" = ? AND "c" > ? AND "l" CONTAINS ?',
      'token("p") > token(?) AND "l" CONTAINS ?',
      '"l" CONTAINS ?',
    ]);
    const rest = readPath(planOf(filter, { page: { ...anyPage, after } }))?.sources.map(
      ({ without }) => without?.operands,
    );
    assert.deepEqual(rest, [['a'], ['a'], ['a', 'b']]);
    for (const bad of [after.replace(/^\d+\//, ''), after.replace(/^\d+/, '9')])
      assert.throws(() => readPath(planOf(filter, { page: { ...anyPage, after: bad } })), OutdatedPosition);
  });
});
