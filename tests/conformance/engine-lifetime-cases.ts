// Engine suite: closing.
import assert from 'node:assert/strict';
import {
  changeDocuments,
  createCollection,
  documentsOf,
  filteredChange,
  insertDocuments,
  tryInsert,
  writesOf,
} from './document-steps.js';
import {
  assignmentsOf,
  change,
  createTable,
  deleteRows,
  type EngineCase,
  finishedRead,
  insert,
  keyspace,
  makeKeyspace,
  planWith,
  readPlan,
  refuses,
  rowsOf,
} from './engine-steps.js';

const shape = { columns: { id: 'int', v: 'int' } };

/** The life of an engine; each case has one of its own. */
export const lifetimeCases: readonly EngineCase[] = [
  {
    name: 'refuses everything once it is closed',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1}');
      await rowsOf(engine, table, '{"v":1}');
      await engine.close();
      await refuses('closed', Promise.resolve(engine.readSchema()));
      await refuses('closed', engine.insertRows({ table, rows: [assignmentsOf(table, '{"id":2}')] }));
      await refuses('closed', change(engine, table, '{"id":1}', '{"v":1}'));
      await refuses('closed', deleteRows(engine, table, '{}'));
      for (const filter of ['{}', '{"id":1}', '{"v":1}'])
        await refuses('closed', rowsOf(engine, table, filter));
      await refuses('closed', makeKeyspace(engine, 'late'));
      await refuses('closed', makeKeyspace(engine, keyspace));
      await refuses('closed', engine.changeSchema({ kind: 'dropKeyspace', name: 'nowhere' }));
      await refuses('closed', engine.changeSchema({ kind: 'dropTable', table }));
    },
  },
  {
    name: 'refuses every plan for documents once it is closed, and finishes those that it accepted',
    needs: 'documents',
    run: async (engine) => {
      const collection = await createCollection(engine);
      await insertDocuments(engine, collection, '{"_id":1}', '{"_id":2}');
      const deleted = filteredChange(collection, '{}', { kind: 'delete' });
      const accepted = [
        insertDocuments(engine, collection, '{"_id":3}'),
        changeDocuments(engine, collection, ['1'], deleted).then(({ states }) =>
          assert.deepEqual(states, ['deleted']),
        ),
      ];
      await engine.close();
      await Promise.all(accepted);
      await refuses('closed', tryInsert(engine, collection, ['{"_id":4}'], true));
      await refuses('closed', changeDocuments(engine, collection, ['1'], deleted));
      await refuses('closed', writesOf(engine).deleteAll(collection));
      await refuses('closed', documentsOf(engine, collection));
    },
  },
  {
    name: 'closes twice, and at the same time',
    run: async (engine) => {
      await createTable(engine, shape);
      await Promise.all([engine.close(), engine.close()]);
      await engine.close();
    },
  },
  {
    name: 'finishes what it accepted before it closed',
    run: async (engine) => {
      const table = await createTable(engine, shape);
      await insert(engine, table, '{"id":1}');
      const notes = await createTable(engine, { columns: { id: 'int', note: 'text' } });
      await insert(engine, notes, '{"id":1,"note":"an escape: \\u0001"}');
      const many = await createTable(engine, {
        columns: { p: 'int', c: 'int' },
        partitionKey: ['p'],
        clustering: { c: 1 },
      });
      await insert(engine, many, ...Array.from({ length: 700 }, (_, c) => `{"p":${c % 2},"c":${c}}`));
      const accepted = [
        deleteRows(engine, many, '{"p":1}'),
        deleteRows(engine, many, '{}'),
        // Such a text makes some engines read twice.
        ...[1, 2].map(async () => {
          const plan = planWith(readPlan(notes), { limit: 20, form: 'text' });
          const { rows, written } = await finishedRead(engine, plan);
          assert.equal(written?.count ?? rows.length, 1);
        }),
        insert(engine, table, '{"id":2}'),
        change(engine, table, '{"id":3}', '{"v":3}'),
        rowsOf(engine, table, '{"id":1}').then((rows) => assert.deepEqual(rows, ['{"id":1}'])),
        // Read once: other writes are under way.
        finishedRead(engine, readPlan(table)).then(({ rows }) => assert.equal(rows[0]?.[0], 1)),
        makeKeyspace(engine, 'last'),
      ];
      await engine.close();
      await Promise.all(accepted);
    },
  },
];
