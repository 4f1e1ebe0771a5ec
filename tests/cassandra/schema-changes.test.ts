// Changes of the schema by several servers, in parts, and while nodes build indexes: on a real node.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { planAndExecute } from '../../src/data-service/engine/plan-and-execute.js';
import type { RowChunks, RowValues } from '../../src/data-service/query/read.js';
import type { ColumnEmbeddingService } from '../../src/data-service/schema/embedding-service.js';
import type { SchemaChange } from '../../src/data-service/schema/schema-change.js';
import type { Table } from '../../src/data-service/schema/table.js';
import type {
  CqlNode,
  CqlPage,
  CqlSession,
  CqlStatement,
} from '../../src/foundation/cassandra/cql-session.js';
import { CassandraFailure } from '../../src/foundation/cassandra/session.js';
import { waitFor } from '../acceptance/ops-client.js';
import {
  createTable,
  createTableNamed,
  definitionOf,
  findTable,
  finishedRead,
  insert,
  keyspace,
  makeKeyspace,
  readPlan,
  refuses,
} from '../conformance/engine-steps.js';
import {
  createIndex,
  createVectorIndex,
  indexOf,
  presentTable,
  vectorIndexOf,
} from '../conformance/index-steps.js';
import { openEmptied, openOnCluster, openSession } from './open-cassandra-engine.js';
import { overriding } from './overriding.js';
import { cassandraSkipReason, useCassandra } from './use-cassandra.js';

const rounds = 5;
const writers = 16;
/** Whether it stores settings of a table. */
const isStore = ({ cql }: CqlStatement) => /^(INSERT INTO|UPDATE) .*colonnade_settings/.test(cql);
const service: ColumnEmbeddingService = {
  isEnabled: true,
  provider: 'openai',
  modelName: 'm',
  authentication: {},
  parameters: {},
};

describe('changes of the schema of a cluster', { skip: cassandraSkipReason() }, () => {
  const cluster = useCassandra({ nodeCount: 1 });
  const port = () => cluster().nodes[0]?.place.nativePort ?? 0;
  let engine: Engine;
  let other: Engine;
  let session: CqlSession;
  before(async () => {
    engine = await openEmptied(port());
    other = await openOnCluster(port());
    session = await openSession(port());
    await makeKeyspace(engine);
  });
  after(async () => {
    await engine.close();
    await other.close();
    await session.close();
  });

  const run = (cql: string) => session.run({ cql, values: [], isIdempotent: true });
  const presentNamed = async (name: string) => {
    const table = await findTable(engine, name);
    assert.ok(table);
    return table;
  };
  const seenBy = async (server: Engine, name: string, isSeen: (table: Table | undefined) => boolean) => {
    await waitFor(`a change of ${name}`, async () => isSeen(await findTable(server, name)));
    const table = await findTable(server, name);
    assert.ok(table);
    return table;
  };

  /**
   * A server that waits before it stores settings, or before it changes the schema, until it is released. `begun`
   * resolves when a change waits there, and rejects where the change ends without that.
   */
  const pausedServer = async (before: 'store' | 'schemaChange') => {
    const [reached, released] = [gate(), gate()];
    const wait = async () => {
      reached.open();
      await released.opened;
    };
    const server = await openOnCluster(port(), (real) =>
      overriding(real, {
        run: async (statement, page) => {
          if (before === 'store' && isStore(statement)) await wait();
          return real.run(statement, page);
        },
        changeSchema: async (cql, timeoutMs) => {
          if (before === 'schemaChange') await wait();
          await real.changeSchema(cql, timeoutMs);
        },
      }),
    );
    const begun = (change: Promise<void>) =>
      Promise.race([reached.opened, change.then(() => assert.fail('the change ended without a wait'))]);
    return { server, begun, release: released.open };
  };

  describe('by two servers at the same time', () => {
    it('makes a keyspace once, and both report success', async () => {
      for (let round = 0; round < rounds; round += 1) {
        const name = `both_${round}`;
        await Promise.all([engine, other].map((server) => makeKeyspace(server, name)));
        for (const server of [engine, other]) assert.ok((await server.readSchema()).keyspaces.has(name));
      }
    });

    it('makes a table once, and one of them reports that it exists', async () => {
      for (let round = 0; round < rounds; round += 1) {
        const name = `made_twice_${round}`;
        const columns = [
          { p: 'int', own: 'int' },
          { p: 'int', theirs: 'text' },
        ] as const;
        const made = await Promise.allSettled(
          [engine, other].map((server, at) => {
            const definition = definitionOf(name, { columns: { ...columns[at] } });
            return server.changeSchema({ kind: 'createTable', keyspace, definition });
          }),
        );
        const winner = made.findIndex(({ status }) => status === 'fulfilled');
        const [loser] = made.filter((each) => each.status === 'rejected');
        assert.ok(loser?.reason instanceof EngineError && winner >= 0);
        assert.equal(loser.reason.kind, 'schemaChanged');
        for (const server of [engine, other]) {
          const table = await findTable(server, name);
          assert.deepEqual(
            table?.columns.map((column) => column.name),
            Object.keys(columns[winner] ?? {}),
          );
        }
        const ids = await Promise.all(
          [engine, other].map(async (server) => (await findTable(server, name))?.id),
        );
        assert.equal(new Set(ids).size, 1);
      }
    });

    it('makes an index once, and one of them reports that it exists', async () => {
      const { name } = await createTable(engine, { columns: { p: 'int', v: 'int' } });
      await seenBy(other, name, (table) => table !== undefined);
      const made = await Promise.allSettled(
        [engine, other].map(async (server) => {
          const table = await findTable(server, name);
          assert.ok(table);
          await server.changeSchema({ kind: 'createIndex', table, index: indexOf(table, 'v') });
        }),
      );
      assert.deepEqual(made.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      for (const server of [engine, other])
        await seenBy(
          server,
          name,
          (table) => table?.indexes.length === 1 && table.indexes[0]?.isBuilding !== true,
        );
    });

    it('keeps the columns and services that both add', async () => {
      const { name } = await createTable(engine, { columns: { p: 'int' } });
      await seenBy(other, name, (table) => table !== undefined);
      const add = (server: Engine, column: string) =>
        planned(server, name, (table) => {
          const [added] = definitionOf(name, { columns: { [column]: 'vector<float,3>' } }).columns;
          assert.ok(added);
          return { kind: 'addColumns', table, columns: [{ ...added, service }] };
        });
      await add(engine, 'a');
      await Promise.all([add(engine, 'b'), add(other, 'c')]);
      for (const server of [engine, other]) {
        const table = await seenBy(server, name, (each) => each?.columns.length === 4);
        assert.deepEqual(table.columns.map((column) => column.name).sort(), ['a', 'b', 'c', 'p']);
      }
    });
  });

  it('settings of columns on a cluster: are kept, also those that others store while a server is paused', async () => {
    const shape = { columns: { p: 'int', a: 'vector<float,3>', b: 'vector<float,3>', c: 'vector<float,3>' } };
    const { name } = await createTable(engine, shape);
    const { server: paused, begun, release } = await pausedServer('store');
    const serve = (server: Engine, column: string) =>
      planned(server, name, (table) => withService(table, column));
    const hasServices = (columns: readonly string[]) => (table: Table | undefined) =>
      columns.every((column) => table?.columnsByName.get(column)?.service !== undefined);
    try {
      const late = serve(paused, 'b');
      await begun(late);
      await serve(engine, 'a');
      await serve(other, 'c');
      release();
      await late;
      for (const server of [engine, other, paused]) await seenBy(server, name, hasServices(['a', 'b', 'c']));
    } finally {
      release();
      await paused.close();
    }
    const restarted = await openOnCluster(port());
    await seenBy(restarted, name, hasServices(['a', 'b', 'c'])).finally(() => restarted.close());
  });

  it('keeps the service of a column where a paused server was about to add one of its name', async () => {
    const { name } = await createTable(engine, { columns: { p: 'int', first: 'int' } });
    const [column] = definitionOf('', { columns: { v: 'vector<float,3>' } }).columns;
    assert.ok(column);
    const add = (server: Engine, modelName: string) =>
      planned(server, name, (table) => {
        const columns = [{ ...column, service: { ...service, modelName } }];
        return { kind: 'addColumns', table, columns };
      });
    const { server: paused, begun, release } = await pausedServer('store');
    try {
      const late = add(paused, 'theirs');
      await begun(late);
      await add(engine, 'ours');
      release();
      await assert.rejects(late);
      for (const server of [engine, other, paused]) {
        const table = await seenBy(server, name, (each) => each?.columnsByName.has('v') === true);
        assert.equal(table.columnsByName.get('v')?.service?.modelName, 'ours');
      }
    } finally {
      release();
      await paused.close();
    }
  });

  it('takes settings that earlier versions stored behind the comment, and keeps them at the next change', async () => {
    const shape = { columns: { p: 'int', a: 'vector<float,3>', b: 'vector<float,3>' } };
    const { name } = await createTable(engine, shape);
    const services = '{"a":{"provider":"openai","modelName":"m"}}';
    const comment = `colonnade: {"columns":["b","a","p"],"services":${services}}`;
    await session.changeSchema(`ALTER TABLE "${keyspace}"."${name}" WITH comment = '${comment}'`);
    const order = (table: Table | undefined) => table?.columns.map((column) => column.name).join('');
    await seenBy(engine, name, (table) => order(table) === 'bap');
    await planned(engine, name, (table) => withService(table, 'b'));
    const table = await seenBy(other, name, (each) => each?.columnsByName.get('b')?.service !== undefined);
    assert.equal(order(table), 'bap');
    assert.equal(table.columnsByName.get('a')?.service?.modelName, 'm');
  });

  it('stores no settings where another program has a table of the name, and makes all other changes', async () => {
    const own = 'with_other_table';
    await makeKeyspace(engine, own);
    await session.changeSchema(`CREATE TABLE "${own}".colonnade_settings (id int PRIMARY KEY, note text)`);
    const tables = (server: Engine) => {
      return Promise.resolve(server.readSchema()).then((schema) => schema.keyspaces.get(own)?.tables);
    };
    await waitFor('the other table', async () => (await tables(engine))?.has('colonnade_settings') === true);
    const shape = { columns: { p: 'int', a: 'vector<float,3>' } };
    await engine.changeSchema({ kind: 'createTable', keyspace: own, definition: definitionOf('t', shape) });
    const present = async () => {
      const table = (await tables(engine))?.get('t');
      assert.ok(table);
      return table;
    };
    const [, plain, served] = definitionOf('', {
      columns: { p: 'int', b: 'text', c: 'vector<float,3>' },
    }).columns;
    assert.ok(plain && served);
    await engine.changeSchema({ kind: 'addColumns', table: await present(), columns: [plain] });
    const table = await present();
    const index = vectorIndexOf(table, 'a', 'euclidean');
    assert.ok(index.kind === 'vector');
    const stored: readonly SchemaChange[] = [
      { kind: 'addColumns', table, columns: [{ ...served, service }] },
      withService(table, 'a'),
      { kind: 'createIndex', table, index: { ...index, sourceModel: 'bert' } },
    ];
    for (const change of stored)
      await assert.rejects(engine.changeSchema(change), {
        kind: 'refused',
        message: /another table named colonnade_settings/,
      });
    assert.equal(await present(), table);
    await engine.changeSchema({ kind: 'createIndex', table, index });
    await engine.changeSchema({
      kind: 'dropColumns',
      table: await present(),
      columns: [(await present()).columnsByName.get('b') ?? assert.fail()],
    });
    await insert(engine, await present(), '{"p":1,"a":[1,2,3]}');
    await waitFor('the changes on the other server', async () => {
      const seen = (await tables(other))?.get('t');
      return seen?.columns.length === 2 && seen.indexes.length === 1;
    });
    const late = await openOnCluster(port());
    try {
      assert.equal((await late.readSchema()).keyspaces.get(own)?.problem, undefined);
      assert.deepEqual([...((await tables(late)) ?? new Map()).keys()], ['colonnade_settings', 't']);
    } finally {
      await late.close();
    }
  });

  it('keeps nothing of a table that was dropped, nor of its name', async () => {
    const shape = { columns: { p: 'int', a: 'vector<float,3>' } };
    const { name } = await createTable(engine, shape);
    await planned(engine, name, (table) => withService(table, 'a'));
    await planned(engine, name, (table) => ({ kind: 'dropTable', table }));
    const stored = await run(`SELECT name FROM "${keyspace}".colonnade_settings WHERE kind = 'table'`);
    assert.equal(
      stored.rows.some(([each]) => each === name),
      false,
    );
    const { id } = await createTableNamed(engine, name, shape);
    const table = await seenBy(other, name, (each) => each?.id === id);
    assert.equal(table.columnsByName.get('a')?.service, undefined);
  });

  describe('that was made in part', () => {
    /** An engine whose steps behind the first `count` fail: changes of the table, and writes of its settings. */
    const failing = (count: number) => {
      let left = count;
      return openOnCluster(port(), (real) => {
        const step = () => {
          if (left === 0) throw new CassandraFailure('unanswered', 'no answer');
          left -= 1;
        };
        const changeSchema: CqlSession['changeSchema'] = async (cql) => {
          if (typeof cql === 'function' || !cql.startsWith('CREATE TABLE')) step();
          await real.changeSchema(cql);
        };
        const run: CqlSession['run'] = async (statement, page) => {
          if (isStore(statement)) step();
          return real.run(statement, page);
        };
        return overriding(real, { changeSchema, run });
      });
    };
    const shape = { columns: { p: 'int', a: 'vector<float,3>' } };
    const near = (table: Table): SchemaChange => {
      const index = vectorIndexOf(table, 'a', 'euclidean');
      assert.ok(index.kind === 'vector');
      return { kind: 'createIndex', table, index: { ...index, sourceModel: 'bert' } };
    };
    const cases: readonly (readonly [
      name: string,
      change: (table: Table) => SchemaChange,
      isMade: (table: Table) => boolean,
      begin?: ((table: Table) => SchemaChange) | undefined,
      behind?: {
        readonly change: (table: Table) => SchemaChange;
        readonly isMade: (table: Table) => boolean;
      },
    ])[] = [
      [
        'addColumns',
        (table) => {
          const [, added] = definitionOf('', { columns: { p: 'int', b: 'vector<float,3>' } }).columns;
          assert.ok(added);
          return { kind: 'addColumns', table, columns: [{ ...added, service }] };
        },
        ({ columnsByName }) => columnsByName.get('b')?.service !== undefined,
      ],
      [
        'createIndex',
        near,
        ({ indexes: [index] }) => index?.kind === 'vector' && index.sourceModel === 'bert',
      ],
      [
        'dropIndex',
        (table) => {
          const [index] = table.indexes;
          assert.ok(index);
          return { kind: 'dropIndex', table, index };
        },
        ({ indexes }) => indexes.length === 0,
        near,
        {
          change: (table) => ({ kind: 'createIndex', table, index: vectorIndexOf(table, 'a', 'euclidean') }),
          isMade: ({ indexes: [index] }) => index?.kind === 'vector' && index.sourceModel === 'other',
        },
      ],
      [
        'dropColumns',
        (table) => ({ kind: 'dropColumns', table, columns: table.columns.slice(1) }),
        ({ columns }) => columns.length === 1,
        (table) => withService(table, 'a'),
        {
          change: (table) => {
            const columns = definitionOf('', shape).columns.slice(1);
            return { kind: 'addColumns', table, columns };
          },
          isMade: ({ columns: [, column] }) => column?.name === 'a' && column.service === undefined,
        },
      ],
    ];
    for (const [kind, change, isMade, begin, behind] of cases) {
      it(`can be repeated: ${kind}`, async () => {
        const { name } = await createTable(engine, shape);
        if (begin !== undefined) await planned(engine, name, begin);
        const broken = await failing(1);
        await refuses('writeTimeout', planned(broken, name, change));
        await broken.close();
        await planned(engine, name, change, isMade);
        const made = await findTable(engine, name);
        assert.ok(made !== undefined && isMade(made));
        if (behind === undefined) return;
        // What the first attempt left has no effect on what is made under the same name.
        await planned(engine, name, behind.change);
        assert.ok(behind.isMade(await presentTable(engine, made)));
      });
    }
  });

  describe('that makes an index', () => {
    /** An engine to which nodes say that they are still building every index, until it is released. */
    const holding = async () => {
      let isHeld = true;
      const answer = (page: CqlPage): CqlPage =>
        isHeld ? { ...page, rows: page.rows.map(([name]) => [name, false]) } : page;
      const held = await openOnCluster(port(), (real) => {
        const nodes = async (): Promise<readonly CqlNode[]> =>
          (await real.nodes()).map((node) => ({
            run: async (statement, page) => {
              const isAsked = statement.cql.includes('sai_column_indexes');
              return isAsked ? answer(await node.run(statement, page)) : node.run(statement, page);
            },
          }));
        return overriding(real, { nodes });
      });
      const release = () => {
        isHeld = false;
      };
      return { held, release };
    };
    const searchedTable = async () => {
      const columns = { p: 'int', c: 'int', v: 'vector<float,2>' };
      const table = await createTable(engine, { columns, clustering: { c: 1 } });
      const rows = Array.from({ length: 9 }, (_, c) => `{"p":${c % 3},"c":${c},"v":[${c},1]}`);
      await insert(engine, table, ...rows);
      return table;
    };
    const euclidean = { kind: 'vector', metric: 'euclidean' } as const;
    const search = (table: Table, filter = '{}') => {
      const column = table.columnsByName.get('v');
      assert.ok(column);
      const plan = readPlan(table, filter, { limit: 2, columns: table.keyColumns, order: null });
      return { ...plan, search: { ...euclidean, column, query: Float32Array.of(8, 1) } };
    };
    const near = (table: Table): SchemaChange => {
      return { kind: 'createIndex', table, index: vectorIndexOf(table, 'v', 'euclidean') };
    };
    const isBuilding = (table: Table | undefined) => table?.indexes[0]?.isBuilding === true;

    for (const isOwn of [true, false]) {
      const maker = isOwn ? 'this server' : 'another one';
      it(`an index that is being built on a cluster: is not searched before, made by ${maker}`, async () => {
        const { name } = await searchedTable();
        const { held, release } = await holding();
        try {
          await held.readSchema();
          const made = planned(isOwn ? held : engine, name, near);
          const table = await seenBy(held, name, isBuilding);
          await assert.rejects(finishedRead(held, search(table)), /index .* is still being built/);
          assert.equal((await finishedRead(held, search(table, '{"p":1}'))).rows.length, 2);
          // Neither the next change of the keyspace nor a repeated plan waits for it.
          await planned(held, (await createTable(held, { columns: { p: 'int' } })).name, (gone) => {
            return { kind: 'dropTable', table: gone };
          });
          await held.readSchema(true);
          assert.equal(isBuilding(await findTable(held, name)), true);
          release();
          await made;
          const built = await seenBy(held, name, (each) => !isBuilding(each));
          // An engine may give more columns than it was asked for, behind them.
          const { rows } = await finishedRead(held, search(built));
          assert.deepEqual(
            rows.map(([p, c]) => [p, c]),
            [
              [2, 8],
              [1, 7],
            ],
          );
        } finally {
          release();
          await held.close();
        }
      });
    }

    it('ends where the index is dropped meanwhile', async () => {
      const { name } = await searchedTable();
      const { held, release } = await holding();
      const dropped = assert.rejects(planned(held, name, near), /was dropped/);
      await seenBy(held, name, isBuilding);
      await planned(held, name, (table) => ({ kind: 'dropTable', table }));
      await dropped;
      release();
      await held.close();
    });

    it('an index that is being built on a cluster: is not used by filters, which miss no row', async () => {
      const table = await createTable(engine, { columns: { p: 'int', n: 'int' } });
      await insert(engine, table, ...Array.from({ length: 2_000 }, (_, p) => `{"p":${p},"n":${p % 4}}`));
      await seenBy(other, table.name, (each) => each !== undefined);
      const made = createIndex(engine, table, 'n');
      let isMade = false;
      const noting = made.finally(() => {
        isMade = true;
      });
      let count = 0;
      while (!isMade) {
        for (const server of [engine, other]) {
          assert.equal(await readThirds(server, table.name), 500);
          count += 1;
        }
      }
      assert.ok(count > 0);
      await noting;
    });
  });

  it('refuses a further page of a read that an index found while it is dropped', async () => {
    // The node still gives rows: while it drops the index it gives none, and nothing shows which of both it did.
    const { name } = await createTable(engine, { columns: { p: 'int', n: 'int' } });
    await planned(engine, name, (table) => ({ kind: 'createIndex', table, index: indexOf(table, 'n') }));
    const { server: dropper, begun, release } = await pausedServer('schemaChange');
    try {
      const table = await seenBy(
        dropper,
        name,
        (each) => each?.indexes.length === 1 && each.indexes[0]?.isBuilding !== true,
      );
      await insert(dropper, table, ...Array.from({ length: 2_500 }, (_, p) => `{"p":${p},"n":3}`));
      const { chunks } = await dropper.readRows(readPlan(table, '{"n":3}', { order: null }));
      const pages = pagesOf(chunks);
      const first = await pages.next();
      assert.ok(first.done !== true && first.value.length < 2_500);
      const [index] = table.indexes;
      assert.ok(index);
      const dropped = dropper.changeSchema({ kind: 'dropIndex', table, index });
      await begun(dropped);
      await refuses('schemaChanged', pages.next());
      await refuses('schemaChanged', dropper.readRows(readPlan(table, '{"n":3}', { order: null })));
      release();
      await dropped;
      assert.equal((await findTable(dropper, name))?.indexes.length, 0);
    } finally {
      release();
      await dropper.close();
    }
  });

  describe('vectors', () => {
    it('zero vectors on a cluster: an index refuses those that other clients stored', async () => {
      const table = await createTable(engine, {
        columns: { p: 'int', c: 'int', v: 'vector<float,2>' },
        clustering: { c: 1 },
      });
      for (const [c, vector] of [
        [1, '[0, 1]'],
        [2, '[0, 0]'],
        [3, '[2e17, 1]'],
      ] as const)
        await run(`INSERT INTO ${keyspace}.${table.name} (p, c, v) VALUES (1, ${c}, ${vector})`);
      const make = (metric: 'cosine' | 'dot_product') =>
        engine.changeSchema({ kind: 'createIndex', table, index: vectorIndexOf(table, 'v', metric) });
      await assert.rejects(make('cosine'), /zero vectors.*\[1,2\], \[1,3\]$/);
      await assert.rejects(make('dot_product'), /beyond.*\[1,3\]$/);
      await refuses('unindexable', make('dot_product'));
      await run(`DELETE FROM ${keyspace}.${table.name} WHERE p = 1 AND c = 3`);
      const indexed = await createVectorIndex(engine, await presentTable(engine, table), 'v', 'dot_product');
      assert.equal(indexed.indexes.length, 1);
    });
  });

  it('that drop a column leave rows readable that another client writes meanwhile', async () => {
    const name = 'written';
    await createTableNamed(engine, name, { columns: { p: 'int', v: 'int' } });
    const [, added] = definitionOf('', { columns: { p: 'int', n: 'int' } }).columns;
    assert.ok(added);
    const add = () => planned(engine, name, (table) => ({ kind: 'addColumns', table, columns: [added] }));
    const rows = async () => (await run(`SELECT p, v FROM ${keyspace}.${name}`)).rows;
    await add();
    let isDropped = false;
    const writing = Array.from({ length: writers }, async (_, p) => {
      while (!isDropped)
        await run(`INSERT INTO ${keyspace}.${name} (p, v, n) VALUES (${p}, 1, 1)`).catch((error: unknown) => {
          if (!(error instanceof CassandraFailure)) throw error; // the column is gone
        });
    });
    await planned(engine, name, (table) => {
      const dropped = table.columnsByName.get('n');
      assert.ok(dropped);
      return { kind: 'dropColumns', table, columns: [dropped] };
    }).finally(() => {
      isDropped = true;
    });
    await Promise.all(writing);
    assert.equal((await rows()).length, writers);
    // A column of the same name has no value of the former one, and every value that is written from now on.
    await add();
    await insert(engine, await presentNamed(name), '{"p":1,"n":7}');
    const values = await run(`SELECT p, n FROM ${keyspace}.${name}`);
    assert.deepEqual(
      values.rows.filter(([, n]) => n !== null),
      [[1, 7]],
    );
  });

  it('that add a column are refused where a client dropped one of its name as of a much later time', async () => {
    const name = 'much_later';
    await createTableNamed(engine, name, { columns: { p: 'int', v: 'int', n: 'int' } });
    const [, added] = definitionOf('', { columns: { p: 'int', n: 'int' } }).columns;
    assert.ok(added);
    const later = (Date.now() + 3_600_000) * 1_000;
    await session.changeSchema(`ALTER TABLE ${keyspace}.${name} DROP n USING TIMESTAMP ${later}`);
    await seenBy(engine, name, (table) => table?.columnsByName.has('n') === false);
    const table = await presentNamed(name);
    await assert.rejects(engine.changeSchema({ kind: 'addColumns', table, columns: [added] }), {
      kind: 'refused',
      message: /a client dropped the column n as of 20/,
    });
  });

  it('of a table is seen by another server within its next requests', async () => {
    const name = 'seen';
    await createTableNamed(engine, name, { columns: { p: 'int', a: 'int' } });
    await seenBy(other, name, (table) => table !== undefined);
    const [, added] = definitionOf('', { columns: { p: 'int', b: 'text' } }).columns;
    assert.ok(added);
    await planned(engine, name, (table) => ({ kind: 'addColumns', table, columns: [added] }));
    await seenBy(other, name, (table) => table?.columnsByName.has('b') === true);
    await planned(other, name, (table) => ({ kind: 'createIndex', table, index: indexOf(table, 'b') }));
    await seenBy(engine, name, (table) => table?.indexes[0]?.name === 'seen_b');
    await planned(engine, name, (table) => ({ kind: 'dropTable', table }));
    await waitFor('the drop', async () => (await findTable(other, name)) === undefined);
  });
});

/**
 * Makes a change as commands do, again where the schema has changed; not where it is made, as far as the server knows:
 * one that does not know it yet learns it from the refusal of its first attempt.
 */
async function planned(
  server: Engine,
  name: string,
  change: (table: Table) => SchemaChange,
  isMade: (table: Table) => boolean = () => false,
): Promise<void> {
  await planAndExecute(
    server,
    await server.readSchema(),
    (schema) => {
      const table = schema.keyspaces.get(keyspace)?.tables.get(name);
      assert.ok(table);
      return isMade(table) ? undefined : change(table);
    },
    {
      execute: async (plan, on) => {
        if (plan !== undefined) await on.changeSchema(plan);
      },
      respond: () => undefined,
    },
  );
}

/** The change that gives a vector column the embedding service. */
function withService(table: Table, name: string): SchemaChange {
  const column = table.columnsByName.get(name);
  assert.ok(column);
  return {
    kind: 'changeEmbeddingServices',
    table,
    services: new Map([[column, service]]),
    withoutVectors: [],
  };
}

/** The pages of a read, one after another. */
async function* pagesOf(chunks: RowChunks): AsyncGenerator<readonly RowValues[], void> {
  yield* chunks;
}

/** A promise that is resolved from outside. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** How many rows of a table have the number 3, by a read that is planned again as those of commands are. */
async function readThirds(server: Engine, name: string): Promise<number> {
  return planAndExecute(
    server,
    await server.readSchema(),
    (schema) => {
      const present = schema.keyspaces.get(keyspace)?.tables.get(name);
      assert.ok(present);
      return readPlan(present, '{"n":3}', { order: null });
    },
    { execute: (plan, on) => finishedRead(on, plan), respond: ({ rows }) => rows.length },
  );
}
