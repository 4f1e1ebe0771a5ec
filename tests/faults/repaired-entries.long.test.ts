// The index entries of documents are built again: by the action `repair`, after they were changed behind the server's
// back, and in files of an earlier release. A build runs beside other work and continues after a restart.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import type { EmbeddedEngineOptions } from '../../src/data-service/engine/embedded/embedded-engine.js';
import { checkDataFile } from '../../src/data-service/engine/embedded/maintenance/check-data-file.js';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { MaintenanceReport } from '../../src/data-service/engine/maintenance.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import { type InProcessServer, serveEngine, startInProcess } from './in-process-server.js';
import { isBuilding, makeOld, withFile } from './old-entries.js';

const keyspace = 'default_keyspace';

async function repair(engine: Engine, signal = new AbortController().signal): Promise<MaintenanceReport> {
  assert.ok(engine.maintain !== undefined);
  return engine.maintain({ action: 'repair', keyspace, tables: [] }, signal);
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

/** Steps of so few documents that a build has hundreds of them; the segments have a few documents each. */
const entrySizes = { filled: 40, copied: 30, deleted: 50, largestAtRest: 100_000, most: 40 };
const smallSteps = { mostRowsOfStep: 3, entrySizes };
/** Steps without an end: none builds anything. */
const endlessSteps = { ...smallSteps, mostRowsOfStep: 0 } as const;

async function withServer(
  directory: string,
  options: Pick<EmbeddedEngineOptions, 'mostRowsOfStep' | 'entrySizes'>,
  work: (server: InProcessServer) => Promise<void>,
): Promise<void> {
  const server = await serveEngine(checkedEngine(await openEmbedded(directory, options)));
  await work(server).finally(() => server.close());
}

async function makeDocuments(directory: string, count: number): Promise<void> {
  await withServer(directory, smallSteps, async ({ client }) => {
    await client.mustSend(`/${keyspace}`, { createCollection: { name: 'docs' } });
    const documents = Array.from({ length: count }, (_, at) => ({ _id: at, v: at, kind: `kind ${at % 7}` }));
    for (let at = 0; at < count; at += 100)
      await client.mustSend(`/${keyspace}/docs`, {
        insertMany: { documents: documents.slice(at, at + 100) },
      });
  });
}

async function countOf({ client }: InProcessServer, filter: unknown): Promise<unknown> {
  const { body } = await client.send(`/${keyspace}/docs`, { countDocuments: { filter } });
  return body.status?.['count'];
}

async function problemsOf(directory: string): Promise<readonly string[] | undefined> {
  const path = join(directory, 'data.db');
  return (await checkDataFile(path, new AbortController().signal, () => {}))?.problems;
}

describe('a build of the index entries of documents', () => {
  it('answers and changes documents before it ends', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 200);
    makeOld(directory);
    await withServer(directory, endlessSteps, async (server) => {
      const { client } = server;
      assert.equal(await countOf(server, { kind: 'kind 3' }), 29);
      await client.mustSend(`/${keyspace}/docs`, { insertOne: { document: { _id: 'new', kind: 'kind 3' } } });
      await client.mustSend(`/${keyspace}/docs`, {
        updateOne: { filter: { _id: 3 }, update: { $set: { kind: 'other' } } },
      });
      await client.mustSend(`/${keyspace}/docs`, { deleteOne: { filter: { v: 10 } } });
      assert.equal(await countOf(server, { kind: 'kind 3' }), 28);
      assert.equal(await countOf(server, { v: { $gte: 190 } }), 10);
      assert.deepEqual(await problemsOf(directory), []);
    });
    assert.ok(isBuilding(directory));
    await withServer(directory, smallSteps, async (server) => {
      while (isBuilding(directory)) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await countOf(server, { kind: 'kind 3' }), 28);
      assert.equal(await countOf(server, { kind: 'other' }), 1);
    });
    assert.deepEqual(await problemsOf(directory), []);
  });

  it('continues after the process was killed, beside changes', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 300);
    makeOld(directory);
    let at = 0;
    /** Changes, and copies the files as a killed process leaves them. */
    const change = async ({ client }: InProcessServer): Promise<string> => {
      for (let steps = 0; steps < 2; steps += 1) {
        at += 37;
        await client.mustSend(`/${keyspace}/docs`, {
          updateOne: { filter: { _id: at % 300 }, update: { $set: { kind: 'changed', at } } },
        });
        await client.mustSend(`/${keyspace}/docs`, { insertOne: { document: { _id: 1_000 + at, at } } });
        await client.mustSend(`/${keyspace}/docs`, { deleteOne: { filter: { _id: (at * 11) % 300 } } });
      }
      const copy = newDataDirectory();
      cpSync(directory, copy, { recursive: true });
      return copy;
    };
    const copies: string[] = [];
    for (let round = 0; round === 0 || isBuilding(directory); round += 1) {
      assert.ok(round < 200);
      const options = { ...smallSteps, mostRowsOfStep: 20 };
      await withServer(directory, options, async (server) => void copies.push(await change(server)));
    }
    assert.ok(copies.some(isBuilding), 'some process was killed during the build');
    for (const copy of [directory, ...copies]) {
      await withServer(copy, smallSteps, async (server) => {
        while (isBuilding(copy)) await new Promise((resolve) => setTimeout(resolve, 5));
        assert.ok(Number(await countOf(server, { kind: 'changed' })) > 0);
      });
      assert.deepEqual(await problemsOf(copy), []);
    }
  });

  it('ends when the collection is dropped or emptied', async () => {
    for (const command of [{ deleteMany: {} }, undefined]) {
      const directory = newDataDirectory();
      await makeDocuments(directory, 600);
      makeOld(directory);
      await withServer(directory, endlessSteps, async (server) => {
        const { client } = server;
        if (command === undefined)
          await client.mustSend(`/${keyspace}`, { deleteCollection: { name: 'docs' } });
        else {
          await client.mustSend(`/${keyspace}/docs`, command);
          await client.mustSend(`/${keyspace}/docs`, { insertOne: { document: { _id: 1, kind: 'new' } } });
          assert.equal(await countOf(server, { kind: 'new' }), 1);
        }
        assert.ok(!isBuilding(directory));
      });
      assert.deepEqual(await problemsOf(directory), []);
    }
  });

  it('ends before a repair does', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 1_000);
    makeOld(directory);
    await withServer(directory, smallSteps, async ({ engine }) => {
      assert.ok(isBuilding(directory));
      await repair(engine);
      assert.ok(!isBuilding(directory));
    });
    assert.deepEqual(await problemsOf(directory), []);
  });

  it('continues when the repair that waits for it is cancelled', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 600);
    makeOld(directory);
    await withServer(directory, endlessSteps, async ({ engine }) => {
      const cancelling = new AbortController();
      const repairing = repair(engine, cancelling.signal);
      setTimeout(() => cancelling.abort(), 500); // it waits by then
      assert.equal((await repairing).state, 'cancelled');
      assert.ok(isBuilding(directory));
    });
    await withServer(directory, smallSteps, async () => {
      while (isBuilding(directory)) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    assert.deepEqual(await problemsOf(directory), []);
  });

  it('may be of a collection that is emptied while a repair waits for it', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 600);
    makeOld(directory);
    await withServer(directory, endlessSteps, async ({ client, engine }) => {
      const repairing = repair(engine);
      await client.mustSend(`/${keyspace}/docs`, { deleteMany: {} });
      assert.match((await repairing).detail, /no damage|checked/);
    });
  });

  it('leaves a damaged document without entries', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 20);
    makeOld(directory);
    withFile(directory, (database) => {
      const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
      database.exec(`UPDATE t${row?.['id']} SET c2 = '{"_id":1,' WHERE row_id = 5`);
    });
    await withServer(directory, smallSteps, async (server) => {
      // Reads compare the damaged document until the server knows that the build has ended, a moment after the file.
      while (isBuilding(directory) || (await countOf(server, { kind: 'kind 3' })) === undefined)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await countOf(server, { kind: 'kind 3' }), 3);
      assert.equal(await countOf(server, { kind: 'kind 4' }), 2);
    });
  });
});

describe('page states of documents', () => {
  it('stay valid after another change of the collection, along entries too', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 2_500);
    await withServer(directory, smallSteps, async ({ client, engine }) => {
      const send = (pageState?: string | null) =>
        client.send(`/${keyspace}/docs`, { find: { filter: { v: { $gte: 0 } }, options: { pageState } } });
      const first = await send();
      const table = (await engine.readSchema()).keyspaces.get(keyspace)?.tables.get('docs');
      const index = table?.indexes.find(({ kind }) => kind === 'text');
      assert.ok(table !== undefined && index !== undefined);
      await engine.changeSchema({ kind: 'dropIndex', table, index });
      const second = await send(first.body.data?.nextPageState);
      assert.equal(second.body.data?.documents?.length, 50);
    });
  });

  it('are refused after entries were built again, if they are along entries', async () => {
    const directory = newDataDirectory();
    await makeDocuments(directory, 2_500);
    const page = (filter: unknown, pageState?: string | null) => ({
      find: { filter, options: { pageState } },
    });
    await withServer(directory, smallSteps, async ({ client, engine }) => {
      const path = `/${keyspace}/docs`;
      const [alongEntries, byNumber] = [{ v: { $gte: 0 } }, { kind: 'kind 1' }];
      const first = await client.send(path, page(alongEntries));
      const other = await client.send(path, page(byNumber));
      const second = await client.send(path, page(alongEntries, first.body.data?.nextPageState));
      assert.equal(second.body.data?.documents?.length, 50);
      withFile(directory, (database) => {
        const [row] = database.prepare("SELECT id FROM tables WHERE name = 'docs'").all();
        database.exec(`DELETE FROM d${row?.['id']} WHERE document = 77`);
      });
      assert.match((await repair(engine)).detail, /rebuilt: the index entries/);
      const refused = await client.send(path, page(alongEntries, first.body.data?.nextPageState));
      assert.equal(refused.body.errors?.[0]?.errorCode, 'COMMAND_FIELD_VALUE_INVALID');
      const { body } = await client.send(path, page(byNumber, other.body.data?.nextPageState));
      assert.equal(body.data?.documents?.length, 50);
      const again = await client.send(path, page(alongEntries));
      const next = await client.send(path, page(alongEntries, again.body.data?.nextPageState));
      assert.equal(next.body.data?.documents?.length, 50);
    });
  });
});
