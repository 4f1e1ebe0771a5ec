// Builds of indexes and entries beside other changes of the same table, with the real writer thread and data file.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { entriesOf } from '../../src/data-service/engine/embedded/file/engine-state.js';
import { dataFile, openForReading } from '../../src/data-service/engine/embedded/file/open-for-reading.js';
import { loadNextTableId, loadSchema } from '../../src/data-service/engine/embedded/file/schema-store.js';
import { usualSegmentSizes } from '../../src/data-service/engine/embedded/postings/keep-segments.js';
import { IndexBuilds } from '../../src/data-service/engine/embedded/schema/index-builds.js';
import { emptiedEntries, emptiedIndex } from '../../src/data-service/engine/embedded/schema/index-states.js';
import { SchemaHolder } from '../../src/data-service/engine/embedded/schema/schema-holder.js';
import { startWriter, type Writer } from '../../src/data-service/engine/embedded/writes/writer.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { SharedTurns } from '../../src/foundation/shared-turns.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { newDataDirectory } from '../conformance/open-embedded.js';
import { startInProcess } from './in-process-server.js';

const keyspace = 'default_keyspace';

/** A collection with some documents; `onStep` is called after each step that ends a build. */
async function openBuilds(onDone: (schema: SchemaHolder, tableId: number) => Promise<void>) {
  const directory = newDataDirectory();
  const server = await startInProcess(directory);
  await server.client.mustSend(`/${keyspace}`, { createCollection: { name: 'docs' } });
  const documents = Array.from({ length: 5 }, (_, at) => ({ _id: at, v: at, $lexical: `word ${at}` }));
  await server.client.mustSend(`/${keyspace}/docs`, { insertMany: { documents } });
  await server.close();
  const path = dataFile(directory);
  const onFatal = (error: Error) => {
    throw error;
  };
  const writer = await startWriter({ path, commitDelayMs: 0 }, new SharedTurns(systemClock), { onFatal });
  const database = openForReading(path, 1_000_000);
  after(async () => {
    database.close();
    await writer.close();
  });
  const schema = new SchemaHolder(
    loadSchema(database, 'strict'),
    loadNextTableId(database),
    writer,
    'strict',
  );
  const table = schema.current.keyspaces.get(keyspace)?.tables.get('docs');
  assert.ok(table !== undefined);
  const runStep: Writer['runStep'] = async (step, argument) => {
    const result = await writer.runStep(step, argument);
    if (typeof result === 'object' && result !== null && 'isDone' in result && result.isDone)
      await onDone(schema, table.id);
    return result;
  };
  const builds = new IndexBuilds(
    { writer: { runStep }, clock: systemClock, schema, sizes: usualSegmentSizes, onBuilt: () => {} },
    assert.ifError,
  );
  const count = (sql: string) => Number(database.statement(sql, { returnArrays: true }).get()?.[0]);
  return { table, schema, builds, count };
}

describe('a build that ends', () => {
  it('does not complete entries that were emptied after its last step', async () => {
    let ended = 0;
    const { table, schema, builds, count } = await openBuilds(async (holder, id) => {
      ended += 1;
      if (ended === 1) await holder.changeState(id, emptiedEntries);
    });
    await schema.changeState(table.id, emptiedEntries);
    await builds.buildEntries(table.id);
    const entries = entriesOf(schema.tableWithId(table.id) ?? {});
    assert.equal(entries?.isBuilding, false);
    assert.ok(count(`SELECT count(*) FROM d${entries.id}`) > 0);
  });

  it('does not complete a text index that was emptied after its last step', async () => {
    let ended = 0;
    const { table, schema, builds } = await openBuilds(async (holder, id) => {
      ended += 1;
      if (ended === 1) await holder.changeState(id, emptiedIndex(name));
    });
    const { name = '' } = table.indexes.find(({ kind }) => kind === 'text') ?? {};
    await schema.changeState(table.id, emptiedIndex(name));
    await builds.build(table.id, name);
    assert.equal(ended, 2);
    assert.equal(
      schema.tableWithId(table.id)?.indexes.find((each) => each.name === name)?.isBuilding,
      undefined,
    );
  });

  it('is not one of an index that was dropped meanwhile, which no plan makes a second time', async () => {
    const { table, schema, builds } = await openBuilds(async (holder, id) => {
      const present = holder.tableWithId(id);
      const index = present?.indexes.find(({ name }) => name === 'words');
      assert.ok(present !== undefined && index !== undefined);
      await holder.change({ kind: 'dropIndex', table: present, index });
    });
    const text = table.indexes.find((index) => index.kind === 'text');
    assert.ok(text !== undefined);
    await schema.change({ kind: 'dropIndex', table, index: text });
    const plain = schema.tableWithId(table.id);
    assert.ok(plain !== undefined);
    const index = { ...text, name: 'words' };
    await assert.rejects(builds.create({ kind: 'createIndex', table: plain, index }, index), (error) => {
      assert.ok(error instanceof EngineError);
      assert.equal(error.kind, 'writeFailed');
      assert.match(error.message, /the index words was dropped while it was built/);
      return true;
    });
    assert.equal(schema.tableWithId(table.id)?.indexes.length, plain.indexes.length);
  });
});
