// The action `repair` on a data file whose index entries of documents were changed behind the server's back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { MaintenanceReport } from '../../src/data-service/engine/maintenance.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { type InProcessServer, startInProcess } from './in-process-server.js';

const keyspace = 'default_keyspace';

async function repair(engine: Engine): Promise<MaintenanceReport> {
  assert.ok(engine.maintain !== undefined);
  return engine.maintain({ action: 'repair', keyspace, tables: [] }, new AbortController().signal);
}

/** Works on the file behind the engine's back. */
function withFile(directory: string, work: (database: DatabaseSyncInstance) => void): void {
  const database = new DatabaseSync(join(directory, 'data.db'), { defensive: false });
  try {
    work(database);
  } finally {
    database.close();
  }
}

describe('repair of the index entries of documents', () => {
  const documents = ['{"_id":1,"a":[1,1,"x"],"o":{"p":null}}', '{"_id":2,"a":7}', '{"_id":3}'];
  const find = (filter: string) => `{"find":{"filter":${filter},"projection":{"_id":1}}}`;

  for (const [what, change] of [
    ['that are missing', "DELETE FROM d# WHERE path IN (SELECT id FROM n# WHERE path = 'a')"],
    ['of no document', 'UPDATE d# SET document = 9 WHERE document = 2'],
    ['in another segment', 'UPDATE d# SET segment = 77'],
    ['of another value', 'UPDATE d# SET value = 8 WHERE document = 2'],
  ] as const) {
    it(`builds entries ${what} again`, async () => {
      const directory = newDataDirectory();
      const withServer = async (work: (server: InProcessServer) => Promise<void>) => {
        const server = await startInProcess(directory);
        await work(server).finally(() => server.close());
      };
      await withServer(async ({ client }) => {
        await client.mustSend(`/${keyspace}`, { createCollection: { name: 'docs' } });
        const body = `{"insertMany":{"documents":[${documents.join(',')}]}}`;
        const { text } = await client.send(`/${keyspace}/docs`, body);
        assert.equal(text, '{"status":{"insertedIds":[1,2,3]}}');
      });
      withFile(directory, (database) => {
        const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
        database.exec(change.replaceAll('#', String(row?.['id'])));
      });
      await withServer(async ({ client, engine }) => {
        const checked = '1 tables with 3 rows checked';
        const rebuilt = `rebuilt: the index entries of ${keyspace}.docs`;
        assert.deepEqual(await repair(engine), { state: 'success', detail: `${checked}; ${rebuilt}` });
        assert.deepEqual(await repair(engine), { state: 'success', detail: checked });
        for (const [filter, ids] of [
          ['{"a":1}', [1]],
          ['{"a":{"$gte":7}}', [2]],
          ['{"a":8}', []],
          ['{"o.p":null}', [1]],
        ] as const) {
          const { body } = await client.send(`/${keyspace}/docs`, find(filter));
          assert.deepEqual(
            body.data?.documents?.map(({ _id }) => _id),
            ids,
          );
        }
        await client.mustSend(`/${keyspace}/docs`, { insertOne: { document: { _id: 4, a: 1 } } });
        assert.deepEqual(await repair(engine), {
          state: 'success',
          detail: '1 tables with 4 rows checked',
        });
      });
    });
  }

  it('reports a damaged document, and leaves its entries', async () => {
    const directory = newDataDirectory();
    const server = await startInProcess(directory);
    await server.client.mustSend(`/${keyspace}`, { createCollection: { name: 'docs' } });
    await server.client.mustSend(`/${keyspace}/docs`, { insertOne: { document: { _id: 1, a: 1 } } });
    await server.close();
    withFile(directory, (database) => {
      const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
      database.exec(`UPDATE t${row?.['id']} SET c2 = '{"_id":1,'`);
    });
    const engine = await openEmbedded(directory);
    try {
      const report = await repair(engine);
      assert.equal(report.state, 'error');
      assert.match(report.detail, /docs: the document in row 1 is damaged$/);
    } finally {
      await engine.close();
    }
  });
});
