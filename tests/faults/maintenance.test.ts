// Maintenance of a real data file: what it repairs, what it finds, and that writes continue at the same time.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openEmbeddedEngine } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { createEntriesStatements } from '../../src/data-service/engine/embedded/statements/entry-statements.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { MaintenanceAction, MaintenanceReport } from '../../src/data-service/engine/maintenance.js';
import type { Table } from '../../src/data-service/schema/table.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { createTable, insert, keyspace, read, readPlan, rowsOf } from '../conformance/engine-steps.js';
import { createIndex, createVectorIndex, presentTable } from '../conformance/index-steps.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';

const never = new AbortController().signal;

async function run(
  engine: Engine,
  action: MaintenanceAction,
  tables: readonly string[] = [],
  signal = never,
): Promise<MaintenanceReport> {
  assert.ok(engine.maintain !== undefined);
  return engine.maintain({ action, keyspace, tables }, signal);
}

/** Works on the file behind the engine's back. */
function withFile<Result>(directory: string, work: (database: DatabaseSyncInstance) => Result): Result {
  const database = new DatabaseSync(join(directory, 'data.db'), { defensive: false });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

async function withEngine(directory: string, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openEmbedded(directory);
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}

describe('flush', () => {
  it('moves the write-ahead log into the file', async () => {
    const directory = newDataDirectory();
    await withEngine(directory, async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', name: 'text' } });
      await insert(engine, table, '{"id":1,"name":"a"}');
      const logSize = () => statSync(join(directory, 'data.db-wal')).size;
      assert.ok(logSize() > 0);
      assert.equal((await run(engine, 'flush')).state, 'success');
      assert.equal(logSize(), 0);
      assert.equal((await rowsOf(engine, table)).length, 1);
    });
  });

  it('fails after 30 s when a reader is in its way', async () => {
    const directory = newDataDirectory();
    let nowMs = 0;
    const engine = await openEmbeddedEngine({
      dataDirectory: directory,
      clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
      pause: async (ms) => {
        nowMs += ms;
      },
      readTimeoutMs: 60_000,
      onFatal: (error) => assert.fail(error),
    });
    const reader = new DatabaseSync(join(directory, 'data.db'), { readOnly: true });
    try {
      const table = await createTable(engine, { columns: { id: 'int' } });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM tables').get();
      await insert(engine, table, '{"id":1}');
      const report = await run(engine, 'flush');
      assert.deepEqual(report, {
        state: 'error',
        detail: 'a read kept the write-ahead log in use for 30 seconds',
      });
      reader.exec('COMMIT');
      assert.equal((await run(engine, 'flush')).state, 'success');
    } finally {
      reader.close();
      await engine.close();
    }
  });
});

describe('compact', () => {
  it('gives free pages back', async () => {
    const directory = newDataDirectory();
    await withEngine(directory, async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', text: 'text' } });
      const rows = Array.from({ length: 2000 }, (_, id) => `{"id":${id},"text":"${'x'.repeat(2000)}"}`);
      await insert(engine, table, ...rows);
      await run(engine, 'flush');
      const size = () => statSync(join(directory, 'data.db')).size;
      const full = size();
      await engine.changeSchema({ kind: 'dropTable', table });
      const report = await run(engine, 'compact');
      assert.equal(report.state, 'success', report.detail);
      assert.ok(size() < full / 10, `${size()} of ${full} bytes`);
    });
  });
});

describe('cleanup', () => {
  it('removes values of dropped columns, leftover tables and stray lines, and nothing else', async () => {
    const directory = newDataDirectory();
    await withEngine(directory, async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', old: 'text', kept: 'text' } });
      const rows = Array.from({ length: 1200 }, (_, id) => `{"id":${id},"old":"o","kept":"k"}`);
      await insert(engine, table, ...rows);
      const old = table.columnsByName.get('old');
      assert.ok(old !== undefined);
      await engine.changeSchema({ kind: 'dropColumns', table, columns: [old] });
      const columnOfOld = `c${old.id}`;
      const held = () =>
        withFile(directory, (database) =>
          Number(database.prepare(`SELECT count(${columnOfOld}) AS n FROM t${table.id}`).get()?.['n']),
        );
      assert.equal(held(), 1200);
      withFile(directory, (database) => {
        database.exec(
          'CREATE TABLE t9999 (row_id INTEGER PRIMARY KEY, c1 TEXT); CREATE TABLE tin (a); CREATE TABLE v9999_1 (a)',
        );
        for (const { sql } of createEntriesStatements({ id: 9999 })) database.exec(sql);
        database.exec(
          'INSERT INTO d9999 VALUES (1, 1, 1, 1), (2, 1, 1, 1); INSERT INTO e9999 VALUES (0, 1, 0)',
        );
        database.exec(
          'INSERT INTO t9999 (c1) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) SELECT i FROM n',
        );
        database.exec(
          "INSERT INTO columns (table_id, id, position, name, type) VALUES (9999, 1, 1, '\"x\"', 'int')",
        );
      });
      const report = await run(engine, 'cleanup');
      assert.deepEqual(report, {
        state: 'success',
        detail:
          '5 leftover tables and 1 stray lines removed; values of dropped columns removed from 1200 rows',
      });
      assert.equal(held(), 0);
      withFile(directory, (database) => {
        const names = database
          .prepare("SELECT name FROM sqlite_schema WHERE name GLOB '*9999*' OR name = 'tin'")
          .all();
        assert.deepEqual(
          names.map((row) => row['name']),
          ['tin'],
        );
      });
      const present = await presentTable(engine, table);
      assert.equal((await rowsOf(engine, present)).length, 1200);
    });
  });

  it('lets writes through between its steps, and stops between two of them', async () => {
    const directory = newDataDirectory();
    await withEngine(directory, async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', old: 'text' } });
      const rows = Array.from({ length: 20_000 }, (_, id) => `{"id":${id},"old":"o"}`);
      await insert(engine, table, ...rows);
      const old = table.columnsByName.get('old');
      assert.ok(old !== undefined);
      await engine.changeSchema({ kind: 'dropColumns', table, columns: [old] });
      const present = await presentTable(engine, table);
      const stop = new AbortController();
      let isDone = false;
      const cleaning = run(engine, 'cleanup', [], stop.signal).finally(() => {
        isDone = true;
      });
      for (let id = 100_000; id < 100_005; id += 1) {
        await insert(engine, present, `{"id":${id}}`);
        assert.equal(isDone, false, 'a write need not wait for the end');
      }
      stop.abort();
      assert.equal((await cleaning).state, 'cancelled');
    });
  });
});

describe('repair', () => {
  it('finds nothing wrong in a sound table', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      const table = await createTable(engine, {
        columns: { id: 'int', name: 'text', big: 'bigint', tags: 'set<text>' },
      });
      const present = await createIndex(engine, table, 'name');
      await insert(
        engine,
        present,
        '{"id":1,"name":"ä","big":9223372036854775807,"tags":["a","b"]}',
        '{"id":2}',
      );
      const report = await run(engine, 'repair', [table.name]);
      assert.deepEqual(report, { state: 'success', detail: '1 tables with 2 rows checked' });
    });
  });

  it('rebuilds vector indexes, and searches find the same during the rebuild and after it', async () => {
    const directory = newDataDirectory();
    const ways: string[] = [];
    const engine = await openEmbeddedEngine({
      dataDirectory: directory,
      clock: systemClock,
      readTimeoutMs: 60_000,
      onFatal: (error) => assert.fail(error),
      onVectorSearch: (way) => ways.push(way),
    });
    try {
      const made = await createTable(engine, { columns: { id: 'int', v: 'vector<float,2>' } });
      const table = await createVectorIndex(engine, made, 'v', 'cosine');
      await insert(
        engine,
        table,
        '{"id":1,"v":[1,0]}',
        '{"id":2,"v":[0,1]}',
        '{"id":3,"v":[1,1]}',
        '{"id":4}',
      );
      const column = table.columnsByName.get('v');
      assert.ok(column !== undefined);
      const search = {
        kind: 'vector',
        column,
        query: Float32Array.from([1, 0.1]),
        metric: 'cosine',
      } as const;
      const nearest = async () => {
        const plan = { ...readPlan(table, '{}', { columns: table.keyColumns, limit: 2 }), search };
        return (await read(engine, plan)).rows.map(([id]) => id);
      };
      const expected = await nearest();
      const report = await run(engine, 'repair', [table.name]);
      const name = `the vector index ${table.indexes[0]?.name} of ${keyspace}.${table.name}`;
      const built = `rebuilt: ${name} (searches compare all rows until it is loaded)`;
      assert.deepEqual(report, { state: 'success', detail: `1 tables with 4 rows checked; ${built}` });
      ways.length = 0;
      while (!ways.includes('index')) assert.deepEqual(await nearest(), expected);
    } finally {
      await engine.close();
    }
  });

  it('rebuilds damaged indexes and reports damaged rows by their keys', async () => {
    const directory = newDataDirectory();
    let id = 0;
    let name = '';
    await withEngine(directory, async (engine) => {
      const table = await createTable(engine, { columns: { id: 'int', age: 'int' } });
      ({ id, name } = table);
      await insert(engine, table, '{"id":1,"age":10}', '{"id":2,"age":20}');
    });
    damage(directory, id);
    await withEngine(directory, async (engine) => {
      const report = await run(engine, 'repair');
      const [summary, ...problems] = report.detail.split('\n');
      assert.equal(report.state, 'error');
      assert.equal(
        summary,
        `1 tables with 3 rows checked; rebuilt: the key index of ${keyspace}.${name}; 1 problems remain`,
      );
      assert.deepEqual(problems, [
        `${keyspace}.${name}: row 2 with the key (2): age is stored as another type`,
      ]);
    });
    withFile(directory, (database) => {
      assert.deepEqual(
        database
          .prepare(`PRAGMA integrity_check('t${id}')`)
          .all()
          .map((row) => row['integrity_check']),
        ['ok'],
      );
    });
  });
});

describe('repair of the entries of a container index', () => {
  for (const [what, change] of [
    ['that are missing', (name: string) => `DELETE FROM ${name} WHERE member = 'b'`],
    ['of no row', (name: string) => `UPDATE ${name} SET member = 'z' WHERE member = 'a'`],
  ] as const) {
    it(`builds entries ${what} again`, async () => {
      const directory = newDataDirectory();
      let table: Table | undefined;
      const index = { kind: 'container', name: 'by_tag', part: 'elements', fold: null } as const;
      await withEngine(directory, async (engine) => {
        table = await createTable(engine, { columns: { id: 'int', tags: 'set<text>' } });
        await insert(engine, table, '{"id":1,"tags":["a","b"]}', '{"id":2,"tags":["b"]}', '{"id":3}');
        const column = table.columnsByName.get('tags');
        assert.ok(column !== undefined);
        await engine.changeSchema({ kind: 'createIndex', table, index: { ...index, column } });
        table = await presentTable(engine, table);
      });
      const damaged = `m${table?.id}_${table?.indexes[0]?.id}`;
      withFile(directory, (database) => database.exec(change(damaged)));
      await withEngine(directory, async (engine) => {
        const rebuilt = `rebuilt: the index by_tag of ${keyspace}.${table?.name}`;
        const checked = '1 tables with 3 rows checked';
        assert.deepEqual(await run(engine, 'repair'), { state: 'success', detail: `${checked}; ${rebuilt}` });
        assert.deepEqual(await run(engine, 'repair'), { state: 'success', detail: checked });
      });
      withFile(directory, (database) => {
        // The index has another table now, and the damaged one is gone.
        const names = database
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'm[0-9]*'")
          .all()
          .map(({ name }) => String(name));
        assert.equal(names.length, 1);
        assert.notEqual(names[0], damaged);
        assert.equal(database.prepare(`SELECT count(*) AS count FROM ${names[0]}`).get()?.['count'], 3);
      });
    });
  }
});

describe('maintenance', () => {
  it('says what it is about that is not there', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      await createTable(engine, { columns: { id: 'int' } });
      const { maintain } = engine;
      assert.ok(maintain !== undefined);
      const report = await maintain.call(
        engine,
        { action: 'repair', keyspace: 'nowhere', tables: [] },
        never,
      );
      assert.deepEqual(report, { state: 'error', detail: 'there is no keyspace nowhere' });
      assert.match((await run(engine, 'flush', ['gone'])).detail, /has no table gone$/);
    });
  });

  it('does not keep the engine from closing', async () => {
    const engine = await openEmbedded(newDataDirectory());
    const table = await createTable(engine, { columns: { id: 'int', old: 'text' } });
    await insert(engine, table, ...Array.from({ length: 5000 }, (_, id) => `{"id":${id},"old":"o"}`));
    const repairing = run(engine, 'repair');
    await engine.close();
    assert.equal((await repairing).state, 'cancelled');
    await assert.rejects(run(engine, 'flush'), { kind: 'closed' });
  });
});

/** A row that the key index does not know, and a text in a column of numbers. */
function damage(directory: string, table: number): void {
  const schemaLine = withFile(directory, (database) => {
    const line = database.prepare('SELECT * FROM sqlite_schema WHERE name = ?').get(`k${table}`);
    database.exec('PRAGMA writable_schema = ON');
    database.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(`k${table}`);
    return line;
  });
  withFile(directory, (database) => {
    const columns = database
      .prepare(`PRAGMA table_info(t${table})`)
      .all()
      .map((row) => String(row['name']));
    const [, , key, age] = columns;
    database.exec(`INSERT INTO t${table} (inserted, ${key}, ${age}) VALUES (1, 3, 30)`);
    database.exec(`UPDATE t${table} SET ${age} = 'twenty' WHERE ${key} = 2`);
    database.exec('PRAGMA writable_schema = ON');
    database
      .prepare('INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)')
      .run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((name) => schemaLine?.[name] ?? null));
  });
}
