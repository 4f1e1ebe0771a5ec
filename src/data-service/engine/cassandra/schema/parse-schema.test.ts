// Schemas made of the rows of a cluster.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../foundation/json/json-value.js';
import { labelOf } from '../../../column-types/column-type.js';
import type { Dialect } from '../../../column-types/dialect.js';
import type { Table } from '../../../schema/table.js';
import { hasUnknownIndex, isUsable, shadowed } from './engine-state.js';
import { type KnownKeyspace, schemaOf } from './known-schema.js';
import { parseKeyspaces } from './parse-schema.js';
import type { ColumnRow, IndexRow, SchemaRows } from './schema-rows.js';

const uuid = '57c9a990-e706-11f1-9da7-47634d220d4e';

function column(name: string, type: string, changes: Partial<ColumnRow> = {}): ColumnRow {
  const ofRegular = { kind: 'regular', position: -1, clusteringOrder: 'none' } as const;
  return { keyspace: 'shop', table: 'orders', name, type, ...ofRegular, ...changes };
}

function index(name: string, target: string, options: IndexRow['options'] = {}): IndexRow {
  const all = { class_name: 'StorageAttachedIndex', target, ...options };
  return { keyspace: 'shop', table: 'orders', name, kind: 'CUSTOM', options: all, madeMicros: 1 };
}

const key = column('id', 'int', { kind: 'partition_key', position: 0 });

function rowsWith(changes: Partial<SchemaRows>): SchemaRows {
  return {
    keyspaces: [
      { name: 'system_auth', replication: {} },
      {
        name: 'shop',
        replication: { class: 'org.apache.cassandra.locator.SimpleStrategy', replication_factor: '1' },
      },
    ],
    tables: [
      {
        keyspace: 'shop',
        name: 'orders',
        uuid,
        comment: '',
        extensions: {},
        flags: ['compound'],
        timeToLiveSeconds: 0,
      },
    ],
    columns: [key],
    droppedColumns: [],
    indexes: [],
    types: [],
    settings: [],
    problems: new Map(),
    ...changes,
  };
}

function parse(
  changes: Partial<SchemaRows>,
  before: readonly KnownKeyspace[] = [],
  dialect: Dialect = 'strict',
): readonly KnownKeyspace[] {
  let version = 10 * before.length;
  const known = new Map(before.map((each) => [each.name, each]));
  const nextVersion = () => {
    version += 1;
    return version;
  };
  return parseKeyspaces(rowsWith(changes), known, nextVersion, dialect);
}

function tableOf(changes: Partial<SchemaRows>): Table {
  const known = parse(changes)[0]?.tables.get('orders');
  assert.ok(known);
  return known.table;
}

const compactTables: readonly {
  readonly of: string;
  readonly flags: readonly string[];
  readonly stored: readonly ColumnRow[];
  readonly shown: readonly string[];
  readonly clustering: readonly string[];
}[] = [
  {
    of: 'without clustering columns',
    flags: [],
    stored: [
      column('column1', 'text', { kind: 'clustering', position: 0 }),
      column('n', 'int', { kind: 'static' }),
      column('value', 'blob'),
    ],
    shown: ['id int', 'n int'],
    clustering: [],
  },
  {
    of: 'with clustering columns and a value',
    flags: ['dense'],
    stored: [column('c', 'int', { kind: 'clustering', position: 0 }), column('value', 'text')],
    shown: ['id int', 'c int', 'value text'],
    clustering: ['c'],
  },
  {
    of: 'with its key alone',
    flags: ['compound', 'dense'],
    stored: [column('c', 'int', { kind: 'clustering', position: 0 }), column('value', 'empty')],
    shown: ['id int', 'c int'],
    clustering: ['c'],
  },
];

describe('the schema of a cluster', () => {
  for (const { of, flags, stored, shown, clustering } of compactTables)
    it(`has the columns that statements can use of a table with compact storage ${of}`, () => {
      const place = {
        keyspace: 'shop',
        name: 'orders',
        uuid,
        comment: '',
        extensions: {},
        flags,
        timeToLiveSeconds: 0,
      };
      const table = tableOf({ tables: [place], columns: [key, ...stored] });
      assert.deepEqual(
        table.columns.map(({ name, type }) => `${name} ${type.name}`),
        shown,
      );
      assert.deepEqual(
        table.clustering.map(({ column: { name } }) => name),
        clustering,
      );
    });

  it('marks the indexes that may lack rows', () => {
    const indexes = [{ ...index('by_v', 'v'), isLacking: true }, index('by_w', 'w')];
    const columns = [key, column('v', 'int'), column('w', 'int')];
    assert.deepEqual(tableOf({ columns, indexes }).indexes.map(isUsable), [false, true]);
  });

  it('marks the columns whose values an index of an unknown kind compares', () => {
    const options = { class_name: 'org.apache.cassandra.index.sasi.SASIIndex', target: 't' };
    const indexes: readonly IndexRow[] = [
      { keyspace: 'shop', table: 'orders', name: 'by_t', kind: 'CUSTOM', options, madeMicros: 1 },
      {
        keyspace: 'shop',
        table: 'orders',
        name: 'by_u',
        kind: 'COMPOSITES',
        options: { target: 'u' },
        madeMicros: 2,
      },
      index('by_v', 'v'),
    ];
    const { columns } = tableOf({
      columns: [key, ...['t', 'u', 'v'].map((name) => column(name, 'text'))],
      indexes,
    });
    assert.deepEqual(columns.map(hasUnknownIndex), [false, true, false, false]);
  });

  it('hides the keyspaces of the cluster itself and shows the replication of others', () => {
    const keyspaces = parse({});
    assert.deepEqual(
      keyspaces.map(({ name }) => name),
      ['shop'],
    );
    assert.equal(
      stringifyJson(keyspaces[0]?.replication ?? null),
      '{"class":"SimpleStrategy","replication_factor":1}',
    );
  });

  it('has the key of a table with its directions, and other columns by name', () => {
    const table = tableOf({
      columns: [
        column('z', 'text'),
        column('a', 'map<text, int>'),
        column('day', 'date', { kind: 'clustering', position: 0, clusteringOrder: 'desc' }),
        column('n', 'int', { kind: 'clustering', position: 1, clusteringOrder: 'asc' }),
        column('q', 'uuid', { kind: 'partition_key', position: 1 }),
        column('p', 'int', { kind: 'partition_key', position: 0 }),
      ],
    });
    assert.deepEqual(
      table.columns.map(({ name, type }) => `${name} ${type.name}`),
      ['p int', 'q uuid', 'day date', 'n int', 'a map<text,int>', 'z text'],
    );
    assert.deepEqual(
      table.keyOrder.map((each) => [each.column.name, each.direction]),
      [
        ['p', 1],
        ['q', 1],
        ['day', -1],
        ['n', 1],
      ],
    );
  });

  it('lists types that hold no values here', () => {
    const types = [
      'frozen<list<int>>',
      'list<frozen<list<int>>>',
      'map<int, text>',
      'frozen<tuple<int, text>>',
      'address',
      'vector<int, 3>',
      'counter',
    ];
    const names = types.map((type) => tableOf({ columns: [key, column('c', type)] }).columns[1]?.type.name);
    assert.deepEqual(names, [
      'frozen<list<int>>',
      'unsupported list<frozen<list<int>>>',
      'map<int,text>',
      'unsupported frozen<tuple<int, text>>',
      'unsupported address',
      'unsupported vector<int, 3>',
      'counter',
    ]);
    const ofStatic = tableOf({ columns: [key, column('s', 'map<text, int>', { kind: 'static' })] });
    assert.equal(ofStatic.columns[1]?.type.name, 'unsupported static map<text, int>');
  });

  it('takes the bytes of key columns that commands cannot read, and lists them as before', () => {
    const ofKey = (type: string, kind: 'partition_key' | 'clustering') => column('c', type, { kind });
    const types = ['frozen<list<int>>', 'frozen<tuple<int, text>>', 'frozen<address>', 'int'];
    const found = types.flatMap((type) =>
      (['partition_key', 'clustering'] as const).map((kind) => {
        const parsed = tableOf({ columns: [key, ofKey(type, kind)] }).columnsByName.get('c')?.type;
        return [parsed?.name, parsed?.cql.selectedAs, parsed?.apiSupport?.read];
      }),
    );
    const names = ['frozen<list<int>>', ...types.slice(1, 3).map((type) => `unsupported ${type}`)];
    const unread = names.map((name) => [name, 'blob', false]);
    const all = [...unread, ['int', undefined, undefined]];
    assert.deepEqual(
      found,
      all.flatMap((each) => [each, each]),
    );
  });

  it('has the indexes that filters and searches can use, one for each column', () => {
    const table = tableOf({
      columns: [key, column('name', 'text'), column('A "b"', 'int'), column('v', 'vector<float, 3>')],
      indexes: [
        index('by_name', 'name', { case_sensitive: 'false', ascii: 'true' }),
        index('by_name_again', 'name'),
        index('quoted', '"A ""b"""'),
        index('near', 'v', { similarity_function: 'DOT_PRODUCT' }),
        index('values_of', 'values(name)'),
        { ...index('legacy', 'name'), kind: 'COMPOSITES', options: { target: 'name' } },
      ],
    });
    assert.deepEqual(
      table.indexes.map(({ id: _, column: { name: target }, ...rest }) => ({ ...rest, target })),
      [
        {
          kind: 'regular',
          name: 'by_name',
          fold: { ascii: true, caseSensitive: false, normalize: false },
          servedFolds: 'none',
          // Cassandra may use the legacy index instead, which compares texts as they are.
          engineState: shadowed,
          target: 'name',
        },
        { kind: 'vector', name: 'near', metric: 'dot_product', sourceModel: 'other', target: 'v' },
        { kind: 'regular', name: 'quoted', fold: null, target: 'A "b"' },
      ],
    );
  });

  it('has indexes on members, several on one map, which the strict dialect does not support', () => {
    const changes = {
      columns: [
        key,
        column('m', 'map<text, text>'),
        column('l', 'list<text>'),
        column('n', 'map<int, text>'),
        column('u', 'list<frozen<tuple<int, text>>>'),
      ],
      indexes: [
        index('e', 'entries(m)'),
        index('k', 'keys(m)', { ascii: 'true' }),
        index('l', 'values(l)'),
        index('n', 'keys(n)'),
        index('u', 'values(u)'),
        index('v', 'values(m)'),
      ],
    };
    const shown = (dialect: Dialect) => {
      const table = parse(changes, [], dialect)[0]?.tables.get('orders')?.table;
      return table?.indexes.map((each) =>
        [each.name, each.kind === 'container' && each.part, each.isUnsupported ?? false].join(' '),
      );
    };
    assert.deepEqual(shown('extended'), [
      'e entries false',
      'k keys false',
      'l elements false',
      'n keys false',
      'v values false',
    ]);
    assert.deepEqual(shown('strict'), [
      'e entries true',
      'k keys true',
      'l values true',
      'n keys true',
      'u values true',
      'v values true',
    ]);
  });

  it('has the text indexes that settings name, one for each text column', () => {
    const textIndexes = {
      w: { column: 'body', analyzer: '"english"' },
      v: { column: 'body', analyzer: '"standard"' },
      n: { column: 'n', analyzer: '"standard"' },
      gone: { column: 'gone', analyzer: '"standard"' },
      later: { column: 'other', analyzer: '"of a later build"' },
    };
    const settings = JSON.stringify({ textIndexes });
    const changes = {
      columns: [key, column('body', 'text'), column('n', 'int'), column('other', 'text')],
      indexes: [index('x', 'body')],
      settings: [{ keyspace: 'shop', name: 'orders', made: uuid, version: 1, settings }],
    };
    const shown = (dialect: Dialect) => {
      const table = parse(changes, [], dialect)[0]?.tables.get('orders')?.table;
      return table?.indexes.map((each) =>
        [each.name, each.kind === 'text' && each.analyzer.definition, each.isUnsupported ?? false].join(' '),
      );
    };
    assert.deepEqual(shown('extended'), ['later "standard" true', 'w "english" false', 'x false false']);
    assert.deepEqual(shown('strict'), ['later "standard" true', 'w "english" true', 'x false false']);
  });

  it('marks an index that is being built; built, it gives the table another version', () => {
    const columns = [key, column('n', 'int')];
    const building = parse({ columns, indexes: [{ ...index('by_n', 'n'), isBuilding: true }] });
    const built = parse({ columns, indexes: [index('by_n', 'n')] }, building);
    const [before, after] = [building, built].map(([known]) => known?.tables.get('orders')?.table);
    assert.deepEqual(
      [before, after].map((table) => table?.indexes[0]?.isBuilding),
      [true, undefined],
    );
    assert.ok(before && after && after.version > before.version);
  });

  it('limits the vectors of every column, with an index or without', () => {
    const { columns } = tableOf({ columns: [key, column('v', 'vector<float, 3>')] });
    assert.deepEqual(
      columns.map(({ vectorLimits }) => vectorLimits?.mostMagnitude),
      [undefined, Math.fround(1e17)],
    );
  });

  it('knows the columns that Cassandra does not drop: those of user-defined types that are not frozen', () => {
    const types: readonly (readonly [type: string, isPermanent: boolean])[] = [
      ['place', true],
      ['"A ""place"""', true],
      ['frozen<place>', false],
      ['list<frozen<place>>', false],
      ['frozen<tuple<int, text>>', false],
      ["'org.apache.cassandra.db.marshal.LongType'", false],
      ['varchar', false],
      ['timeuuid', false],
      ['counter', false],
      ['duration', false],
    ];
    const { columns } = tableOf({ columns: [key, ...types.map(([type], at) => column(`c${at}`, type))] });
    const found = new Map(columns.map(({ name, isPermanent }) => [name, isPermanent ?? false]));
    for (const [at, [type, isPermanent]] of types.entries())
      assert.equal(found.get(`c${at}`), isPermanent, type);
  });

  it('remembers dropped columns, except those that are there again', () => {
    const dropped = ['gone', 'id'].map((name) => {
      return { keyspace: 'shop', table: 'orders', name, type: 'text', kind: 'regular' };
    });
    const { droppedColumns } = tableOf({ droppedColumns: dropped });
    assert.deepEqual(
      droppedColumns.map(({ name, type }) => [name, type.name]),
      [['gone', 'text']],
    );
  });

  it('lists tables in the order of their creation', () => {
    const uuids = ['57c9a990-e707-11f1-9da7-47634d220d4e', '57c9a991-e706-11f1-9da7-47634d220d4e', uuid];
    const tables = uuids.map((each, at) => {
      return {
        keyspace: 'shop',
        name: `t${at}`,
        uuid: each,
        comment: '',
        extensions: {},
        flags: ['compound'],
        timeToLiveSeconds: 0,
      };
    });
    const columns = tables.map(({ name }) => ({ ...key, table: name }));
    assert.deepEqual([...(parse({ tables, columns })[0]?.tables.keys() ?? [])], ['t2', 't1', 't0']);
  });

  it('keeps what has not changed, and gives what has another version', () => {
    const before = parse({});
    assert.equal(parse({}, before)[0], before[0]);
    const after = parse({ columns: [key, column('n', 'int')] }, before)[0]?.tables.get('orders')?.table;
    const former = before[0]?.tables.get('orders')?.table;
    assert.ok(after && former);
    assert.equal(after.id, former.id);
    assert.ok(after.version > former.version);
    assert.equal(after.columns[0]?.id, former.columns[0]?.id);
  });

  it('reserves the name of the table of settings before it exists, unless another program has such a table', () => {
    const name = 'colonnade_settings';
    const shownWith = (...columns: readonly ColumnRow[]) => {
      const tables = rowsWith({}).tables.flatMap((table) => [table, { ...table, name }]);
      const changes = columns.length === 0 ? {} : { tables, columns: [key, ...columns] };
      const keyspace = schemaOf(parse(changes)).keyspaces.get('shop');
      return [[...(keyspace?.tables.keys() ?? [])], [...(keyspace?.reserved ?? [])]];
    };
    const keyOf = (each: string, position = 0) => {
      const kind = each === 'kind' ? 'partition_key' : 'clustering';
      return column(each, 'text', { table: name, kind, position });
    };
    const ofSettings = [
      ...[keyOf('kind'), keyOf('name'), keyOf('made', 1)],
      ...[column('version', 'int', { table: name }), column('settings', 'text', { table: name })],
    ];
    const reserved = [['orders'], [[name, 'settings']]];
    assert.deepEqual(shownWith(), reserved);
    assert.deepEqual(shownWith(...ofSettings), reserved);
    assert.deepEqual(shownWith({ ...key, table: name }), [[name, 'orders'], []]);
  });

  it('leaves a table out whose rows were read in part', () => {
    assert.deepEqual([...(parse({ columns: [column('n', 'int')] })[0]?.tables.keys() ?? [])], []);
  });
});

describe('user-defined types of a cluster', () => {
  const place = {
    keyspace: 'shop',
    name: 'place',
    fieldNames: ['street', 'zip'],
    fieldTypes: ['text', 'int'],
  };
  const odd = { keyspace: 'shop', name: 'Odd', fieldNames: ['a'], fieldTypes: ['frozen<list<int>>'] };
  const quoted = { ...place, name: 'A "Place"' };
  const columns = [
    key,
    column('a', 'place'),
    column('b', 'list<frozen<place>>'),
    column('c', 'frozen<map<int, place>>'),
    column('d', 'frozen<"A ""Place""">'),
    column('e', '"Odd"'),
    column('f', 'list<frozen<"Odd">>'),
    column('g', 'place', { kind: 'static' }),
  ];
  const types = [place, odd, quoted];
  const labels = (dialect: Dialect) =>
    parse({ columns, types }, [], dialect)[0]
      ?.tables.get('orders')
      ?.table.columns.map(({ type }) => labelOf(type));

  it('are those of columns in the extended dialect, if their fields are scalars', () => {
    assert.deepEqual(labels('extended'), [
      'int',
      'place',
      'list<place>',
      'frozen<map<int,place>>',
      'frozen<A "Place">',
      'unsupported "Odd"',
      'unsupported list<frozen<"Odd">>',
      'static place',
    ]);
  });

  it('are listed by their texts in the strict dialect', () => {
    assert.deepEqual(labels('strict'), [
      'int',
      ...columns.slice(1).map(({ type, kind }) => `unsupported ${kind === 'static' ? 'static ' : ''}${type}`),
    ]);
  });

  it('make another version of the tables that use them, and of no others', () => {
    const [first] = parse({ columns, types }, [], 'extended');
    assert.ok(first);
    assert.equal(parse({ columns, types }, [first], 'extended')[0], first);
    const wider = { ...place, fieldNames: ['street', 'zip', 'x'], fieldTypes: ['text', 'int', 'date'] };
    const [second] = parse({ columns, types: [wider, odd, quoted] }, [first], 'extended');
    assert.notEqual(second?.tables.get('orders'), first.tables.get('orders'));
    assert.deepEqual([...(second?.userTypes.get('place')?.fields ?? [])].length, 3);
    const [alone] = parse({ types: [place] }, [], 'extended');
    assert.ok(alone);
    const [after] = parse({ types: [wider] }, [alone], 'extended');
    assert.notEqual(after, alone);
    assert.equal(after?.tables.get('orders'), alone.tables.get('orders'));
  });
});
