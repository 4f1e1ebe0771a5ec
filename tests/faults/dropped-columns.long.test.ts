// Dropped columns in a real data file: their values go, their slots are given again, and nobody reads or loses others.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { columnTypeNamed } from '../../src/data-service/column-types/registry.js';
import { filledColumns } from '../../src/data-service/engine/embedded/file/column-slots.js';
import { slotOf } from '../../src/data-service/engine/embedded/file/engine-state.js';
import { maintenanceSteps } from '../../src/data-service/engine/embedded/writes/maintenance-steps.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import type { ReadOutcome } from '../../src/data-service/query/read.js';
import { droppedInTheWay, type Table } from '../../src/data-service/schema/table.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import {
  change,
  createTable,
  insert,
  keyspace,
  readPlan,
  refuses,
  rowsOf,
} from '../conformance/engine-steps.js';
import { presentTable } from '../conformance/index-steps.js';
import { newDataDirectory, openEmbedded, smallSlices } from '../conformance/open-embedded.js';

const never = new AbortController().signal;
const columns = { id: 'int', old: 'int', kept: 'int' };

function int() {
  const type = columnTypeNamed('int');
  assert.ok(type);
  return type;
}

async function withEngine(directory: string, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openEmbedded(directory, { slices: smallSlices });
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}

async function drop(engine: Engine, before: Table, name: string): Promise<Table> {
  const table = await presentTable(engine, before);
  const dropped = table.columns.filter((column) => column.name === name);
  await engine.changeSchema({ kind: 'dropColumns', table, columns: dropped });
  return presentTable(engine, table);
}

async function add(engine: Engine, before: Table, name: string): Promise<Table> {
  const table = await presentTable(engine, before);
  await engine.changeSchema({ kind: 'addColumns', table, columns: [{ name, type: int() }] });
  return presentTable(engine, table);
}

/** Plans again, which commands do, too: emptying columns changes what is known of the table, and outdates a plan. */
async function plannedAgain<Result>(change: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'schemaChanged') throw error;
    }
  }
}

async function cleanUp(engine: Engine, { name }: Table): Promise<void> {
  const report = await engine.maintain?.({ action: 'cleanup', keyspace, tables: [name] }, never);
  assert.equal(report?.state, 'success');
}

/** Works on the file while no engine has it. */
function withFile(directory: string, work: (database: ReturnType<typeof openDatabase>) => void): void {
  const database = openDatabase({ path: join(directory, 'data.db'), busyTimeoutMs: 0 });
  try {
    work(database);
  } finally {
    database.close();
  }
}

const numbered = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'int']));

const slotIn = (table: Table, name: string) => {
  const column = table.columnsByName.get(name);
  return column && slotOf(column);
};

describe('a dropped column', () => {
  it('leaves its slot to a new one when cleanup has removed its values, also over a restart', async () => {
    const directory = newDataDirectory();
    let table: Table | undefined;
    await withEngine(directory, async (engine) => {
      const before = await createTable(engine, { columns });
      await insert(engine, before, '{"id":1,"old":2,"kept":3}');
      await drop(engine, before, 'old');
      table = await add(engine, before, 'early');
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"kept":3}']);
      assert.notEqual(slotIn(table, 'early'), slotIn(before, 'old'));
      await cleanUp(engine, table);
      table = await add(engine, table, 'fresh');
      assert.equal(slotIn(table, 'fresh'), slotIn(before, 'old'));
      await change(engine, table, '{"id":1}', '{"fresh":4}');
    });
    await withEngine(directory, async (engine) => {
      assert.ok(table);
      table = await presentTable(engine, table);
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"kept":3,"fresh":4}']);
      const text = columnTypeNamed('text');
      assert.ok(text);
      assert.equal(droppedInTheWay(table, { name: 'old', type: text })?.name, 'old');
      assert.equal(droppedInTheWay(table, { name: 'fresh', type: text }), undefined);
      // What is left of it empties nothing of the new one.
      await cleanUp(engine, table);
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"kept":3,"fresh":4}']);
    });
  });

  it('is emptied without being asked for once there are many', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      let table = await createTable(engine, { columns });
      for (let round = 0; round < 300; round += 1) {
        await insert(engine, table, `{"id":${round},"old":${round}}`);
        const before = table;
        const dropped = await plannedAgain(() => drop(engine, before, 'old'));
        table = await plannedAgain(() => add(engine, dropped, 'old'));
      }
      const slots = table.columns.length + table.droppedColumns.length;
      assert.ok(slots < 200, `${slots} slots after 300 drops`);
      assert.equal((await rowsOf(engine, table, '{"old":{"$gte":0}}')).length, 0);
    });
  });

  it('is not read as another that has its slot now: the read is refused and planned again', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      const before = await createTable(engine, { columns });
      await insert(
        engine,
        before,
        ...Array.from({ length: 50 }, (_, id) => `{"id":${id},"old":1,"kept":${id}}`),
      );
      const outcome: ReadOutcome = await engine.readRows(readPlan(before, '{"kept":{"$gte":0}}'));
      const chunks = (async function* () {
        yield* outcome.chunks;
      })();
      assert.equal((await chunks.next()).done, false);
      await drop(engine, before, 'old');
      assert.equal((await chunks.next()).done, false, 'a drop alone disturbs no read');
      await cleanUp(engine, before);
      await add(engine, before, 'fresh');
      await refuses('schemaChanged', chunks.next());
    });
  });
});

describe('emptying columns', () => {
  it('leaves a column alone that has got the slot of a dropped one since', async () => {
    const directory = newDataDirectory();
    let [tableId, columnIds]: [number, readonly number[]] = [0, []];
    await withEngine(directory, async (engine) => {
      const before = await createTable(engine, { columns });
      await insert(engine, before, '{"id":1,"old":2}');
      const dropped = await drop(engine, before, 'old');
      [tableId, columnIds] = [dropped.id, filledColumns(dropped).map(({ id }) => id)];
      await cleanUp(engine, before);
      await insert(engine, await add(engine, before, 'fresh'), '{"id":1,"fresh":4}');
    });
    withFile(directory, (database) => {
      const step = maintenanceSteps.emptyColumns(database, { tableId, columnIds, after: 0, count: 10 });
      assert.deepEqual(step, { last: null, emptied: 0 });
    });
  });

  it('is waited for by new columns without a free slot, which are planned again then', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      const before = await createTable(engine, { columns: { id: 'int', ...numbered('a', 1_200) } });
      await insert(engine, before, '{"id":1,"a0":1}');
      const dropped = before.columns.filter(({ name }) => name !== 'id');
      await engine.changeSchema({ kind: 'dropColumns', table: before, columns: dropped });
      const added = Object.keys(numbered('b', 1_000)).map((name) => ({ name, type: int() }));
      const addAll = async () => {
        const table = await presentTable(engine, before);
        await engine.changeSchema({ kind: 'addColumns', table, columns: added });
      };
      await refuses('schemaChanged', addAll());
      await addAll();
      const after = await presentTable(engine, before);
      assert.deepEqual(await rowsOf(engine, after), ['{"id":1}']);
      assert.equal(after.columns.length, 1_001);
    });
  });

  it('works for more columns than an expression of SQLite is deep', async () => {
    await withEngine(newDataDirectory(), async (engine) => {
      const before = await createTable(engine, { columns: { id: 'int', ...numbered('c', 1_200) } });
      await insert(engine, before, '{"id":1,"c0":1,"c1199":1}');
      const dropped = before.columns.filter(({ name }) => name !== 'id');
      await engine.changeSchema({ kind: 'dropColumns', table: before, columns: dropped });
      await cleanUp(engine, before);
      assert.equal(filledColumns(await presentTable(engine, before)).length, 0);
    });
  });
});

describe('a data file of an earlier release', () => {
  it('keeps its columns and rows, and frees what was dropped', async () => {
    const directory = newDataDirectory();
    let table: Table | undefined;
    await withEngine(directory, async (engine) => {
      const before = await createTable(engine, { columns });
      await insert(engine, before, '{"id":1,"old":2,"kept":3}');
      table = await drop(engine, before, 'old');
    });
    withFile(directory, (database) =>
      database.exec(
        'ALTER TABLE indexes DROP COLUMN built; ALTER TABLE indexes DROP COLUMN last; ' +
          'ALTER TABLE indexes DROP COLUMN analyzer; ALTER TABLE columns DROP COLUMN slot; ' +
          'ALTER TABLE indexes DROP COLUMN part; ALTER TABLE tables DROP COLUMN collection; ' +
          'ALTER TABLE tables DROP COLUMN first_id; ALTER TABLE tables DROP COLUMN entries_id; ' +
          'ALTER TABLE tables DROP COLUMN built; ALTER TABLE tables DROP COLUMN last; ' +
          'DROP TABLE user_types; PRAGMA user_version = 3',
      ),
    );
    await withEngine(directory, async (engine) => {
      assert.ok(table);
      table = await presentTable(engine, table);
      assert.deepEqual(await rowsOf(engine, table), ['{"id":1,"kept":3}']);
      await cleanUp(engine, table);
      assert.equal(slotIn(await add(engine, table, 'fresh'), 'fresh'), 2);
    });
  });
});
