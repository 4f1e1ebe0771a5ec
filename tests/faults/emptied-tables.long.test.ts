// Dropping or emptying a large table or collection: other writes continue beside the removal of its rows, which also
// continues after a restart, and nothing of them is found.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { EmbeddedEngineOptions } from '../../src/data-service/engine/embedded/embedded-engine.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { createTable, deleteRows, insert, rowsOf, update } from '../conformance/engine-steps.js';
import { createMemberIndex, presentTable } from '../conformance/index-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { type InProcessServer, serveEngine } from './in-process-server.js';

const keyspace = '/default_keyspace';
const rows = 600;

/** Removes so few rows in a step that there are hundreds of steps. */
const smallSteps = { mostRowsOfStep: 10 } as const;
/** Steps without an end, one after another: none removes a row. */
const endlessSteps = { mostRowsOfStep: 0 } as const;

async function withServer(
  directory: string,
  options: Pick<EmbeddedEngineOptions, 'mostRowsOfStep' | 'dialect'>,
  work: (server: InProcessServer) => Promise<void>,
): Promise<void> {
  const server = await serveEngine(checkedEngine(await openEmbedded(directory, options)));
  await work(server).finally(() => server.close());
}

/** Reads the file beside the engine. */
function inFile(directory: string, sql: string): readonly unknown[] {
  const database = new DatabaseSync(join(directory, 'data.db'), { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    database.close();
  }
}

/** The tables in the file that are not in the schema. */
function leftovers(directory: string): readonly unknown[] {
  return inFile(
    directory,
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB '[a-z][0-9]*'
      AND CAST(substr(name, 2) AS INTEGER) NOT IN (SELECT id FROM tables)`,
  );
}

async function untilRemoved(directory: string): Promise<void> {
  while (leftovers(directory).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function checkFile({ engine }: InProcessServer): Promise<void> {
  assert.ok(engine.maintain !== undefined);
  const task = { action: 'repair', keyspace: '', tables: [] } as const;
  const { state, detail } = await engine.maintain(task, new AbortController().signal);
  assert.equal(state, 'success', detail);
  assert.doesNotMatch(detail, /rebuilt: (?!the vector)|, the index/);
}

interface Kind {
  readonly title: string;
  readonly create: object;
  readonly drop: object;
  readonly row: (id: number) => object;
  readonly key: (id: number) => object;
}

const collection: Kind = {
  title: 'a collection',
  create: {
    createCollection: {
      name: 'large',
      options: {
        vector: { dimension: 2, metric: 'cosine' },
        lexical: { enabled: true, analyzer: 'standard' },
      },
    },
  },
  drop: { deleteCollection: { name: 'large' } },
  row: (id) => ({ _id: id, n: id, $vector: [1, id], $lexical: `word w${id % 7}` }),
  key: (id) => ({ _id: id }),
};

const table: Kind = {
  title: 'a table',
  create: {
    createTable: {
      name: 'large',
      definition: { columns: { id: 'int', n: 'int', v: { type: 'vector', dimension: 2 } }, primaryKey: 'id' },
    },
  },
  drop: { dropTable: { name: 'large' } },
  row: (id) => ({ id, n: id, v: [1, id] }),
  key: (id) => ({ id }),
};

async function fill({ client }: InProcessServer, { row }: Kind, first = 0): Promise<void> {
  const insertFrom = (at: number) => {
    const documents = Array.from({ length: 100 }, (_, more) => row(first + at + more));
    return client.mustSend(`${keyspace}/large`, { insertMany: { documents } });
  };
  await Promise.all(Array.from({ length: rows / 100 }, (_, at) => insertFrom(at * 100)));
}

async function create(server: InProcessServer, kind: Kind): Promise<void> {
  await server.client.mustSend(keyspace, kind.create);
  await server.client.mustSend(keyspace, { createCollection: { name: 'other' } });
  if (kind !== table) return;
  const index = (name: string, column: string) => ({ name, definition: { column } });
  await server.client.mustSend(`${keyspace}/large`, { createIndex: index('by_n', 'n') });
  await server.client.mustSend(`${keyspace}/large`, { createVectorIndex: index('by_v', 'v') });
}

async function found({ client }: InProcessServer, body: object): Promise<number> {
  const { body: reply } = await client.send(`${keyspace}/large`, JSON.stringify(body));
  assert.equal(reply.errors, undefined, JSON.stringify(reply));
  return reply.data?.documents?.length ?? -1;
}

async function findsNothing(server: InProcessServer, kind: Kind): Promise<void> {
  const vector = kind === table ? 'v' : '$vector';
  for (const find of [
    {},
    { filter: kind.key(3) },
    { filter: { n: 3 } },
    { filter: { n: { $gt: 3 } } },
    { sort: { [vector]: [1, 1] } },
    ...(kind === table ? [] : [{ sort: { $lexical: 'word' } }]),
  ])
    assert.equal(await found(server, { find }), 0, JSON.stringify(find));
}

/** Each of these writes waits for a step or two, and not for the end of the removal. */
async function writesBeside({ client }: InProcessServer, directory: string): Promise<void> {
  for (let write = 0; write < 5; write += 1) {
    await client.mustSend(`${keyspace}/other`, { insertOne: { document: { write } } });
    assert.notDeepEqual(leftovers(directory), [], 'a write need not wait for the end');
  }
}

for (const kind of [collection, table]) {
  const empty = { deleteMany: { filter: {} } };

  describe(`deleteMany of all rows of ${kind.title}`, () => {
    it('removes them in steps, between which others write', async () => {
      const directory = newDataDirectory();
      await withServer(directory, endlessSteps, async (server) => {
        await create(server, kind);
        await fill(server, kind);
        await server.client.mustSend(`${keyspace}/large`, empty);
        await findsNothing(server, kind);
        await server.client.mustSend(`${keyspace}/large`, { insertOne: { document: kind.row(3) } });
        await writesBeside(server, directory);
        assert.equal(await found(server, { find: { filter: { n: 3 } } }), 1);
        assert.equal(await found(server, { find: {} }), 1);
      });
      await withServer(directory, smallSteps, async (server) => {
        await server.client.mustSend(`${keyspace}/other`, { insertOne: { document: { write: 5 } } });
      });
      await withServer(directory, smallSteps, async (server) => {
        await untilRemoved(directory);
        assert.equal(await found(server, { find: {} }), 1);
        await checkFile(server);
      });
    });

    it('continues after a kill, and then uses the space again', async () => {
      const directory = newDataDirectory();
      const killed = newDataDirectory();
      await withServer(killed, endlessSteps, async (server) => {
        await create(server, kind);
        await fill(server, kind);
        await server.client.mustSend(`${keyspace}/large`, empty);
        // The files as a killed process would leave them.
        cpSync(killed, directory, { recursive: true });
      });
      assert.notDeepEqual(leftovers(directory), []);
      await withServer(directory, {}, async (server) => {
        await untilRemoved(directory);
        await findsNothing(server, kind);
        const [before] = inFile(directory, 'PRAGMA page_count');
        await fill(server, kind);
        const [after] = inFile(directory, 'PRAGMA page_count');
        assert.ok(Number(after) <= Number(before) * 1.1, `${after} pages after ${before}`);
        await checkFile(server);
      });
    });

    it('keeps the order of tables and the positions of pages', async () => {
      const directory = newDataDirectory();
      let next: unknown;
      const page = () => ({ find: { options: { pageState: next } } });
      await withServer(directory, {}, async (server) => {
        await create(server, kind);
        await fill(server, kind);
        const { body } = await server.client.send(`${keyspace}/large`, '{"find":{}}');
        next = body.data?.nextPageState;
        assert.equal(typeof next, 'string');
        await server.client.mustSend(`${keyspace}/large`, empty);
        assert.equal(await found(server, page()), 0);
        await fill(server, kind, 1_000_000);
        assert.ok((await found(server, page())) > 0);
      });
      await withServer(directory, {}, async (server) => {
        assert.ok((await found(server, page())) > 0);
        const names = inFile(directory, 'SELECT name FROM tables ORDER BY coalesce(first_id, id)');
        assert.deepEqual(names, ['large', 'other']);
      });
    });

    it('takes part in races with inserts: what is acknowledged later stays', async () => {
      await withServer(newDataDirectory(), smallSteps, async (server) => {
        await create(server, kind);
        await fill(server, kind);
        const { client } = server;
        const inserts = Array.from({ length: 40 }, (_, id) =>
          client.mustSend(`${keyspace}/large`, { insertOne: { document: kind.row(10_000 + id) } }),
        );
        await Promise.all([client.mustSend(`${keyspace}/large`, empty), ...inserts]);
        await fill(server, kind, 20_000);
        assert.equal(await found(server, { find: { filter: kind.key(20_003) } }), 1);
        assert.equal(await found(server, { find: { filter: kind.key(3) } }), 0);
        await checkFile(server);
      });
    });
  });

  describe(`dropping ${kind.title}`, () => {
    it('removes its rows in steps, and one of the same name is empty', async () => {
      const directory = newDataDirectory();
      await withServer(directory, endlessSteps, async (server) => {
        await create(server, kind);
        await fill(server, kind);
        await server.client.mustSend(keyspace, kind.drop);
        await create(server, kind);
        await findsNothing(server, kind);
        await writesBeside(server, directory);
      });
      assert.notDeepEqual(leftovers(directory), []);
      await withServer(directory, {}, async (server) => {
        await untilRemoved(directory);
        await findsNothing(server, kind);
        await checkFile(server);
      });
    });
  });
}

describe('a table with all else that a file has of it', () => {
  it('has an index on members, static columns and free slots after it was emptied and opened again', async () => {
    const directory = newDataDirectory();
    const dialect = 'extended';
    const columns = { p: 'int', id: 'int', s: 'static<text>', tags: 'set<text>', old: 'int' };
    const row = (id: number, s: string) =>
      JSON.stringify({ p: id % 3, id, s, tags: [`t${id % 5}`], old: id });
    const change = async (work: (engine: Engine) => Promise<Table>): Promise<Table> => {
      const engine = await openEmbedded(directory, { dialect });
      return work(engine).finally(() => engine.close());
    };
    const checked = async (engine: Engine, table: Table, expected: readonly string[]) => {
      assert.deepEqual(await rowsOf(engine, table), expected);
      assert.equal((await rowsOf(engine, table, '{"tags":{"$in":["t1"]}}')).length, expected.length);
      return table;
    };
    const before = await change(async (engine) => {
      const shape = { dialect, columns, clustering: { id: 1 } } as const;
      const made = await createTable(engine, shape);
      const table = await createMemberIndex(engine, made, 'tags', 'elements');
      await insert(engine, table, ...Array.from({ length: rows }, (_, id) => row(id, 'before')));
      const old = table.columns.filter(({ name }) => name === 'old');
      await engine.changeSchema({ kind: 'dropColumns', table, columns: old });
      const present = await presentTable(engine, table);
      await deleteRows(engine, present, '{}');
      return checked(engine, await presentTable(engine, present), []);
    });
    await change(async (engine) => {
      const table = await presentTable(engine, before);
      const type = columnTypeNamed('int');
      assert.ok(type !== undefined);
      await engine.changeSchema({ kind: 'addColumns', table, columns: [{ name: 'more', type }] });
      const present = await presentTable(engine, table);
      await insert(engine, present, '{"p":1,"id":1,"tags":["t1"],"more":5}');
      await checked(engine, present, ['{"p":1,"id":1,"tags":["t1"],"more":5}']);
      await untilRemoved(directory);
      await update(engine, present, '{"p":1,"id":1}', '{"$set":{"s":"after"}}');
      return checked(engine, present, ['{"p":1,"id":1,"s":"after","tags":["t1"],"more":5}']);
    });
  });
});
