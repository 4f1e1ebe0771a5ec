// Text indexes that are still being built: commands that need them are refused until they are built, and say why.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../src/data-service/engine/engine.js';
import type { Schema } from '../../src/data-service/schema/keyspace.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import type { ReplyBody } from './data-client.js';
import { serveEngine } from './in-process-server.js';

/** The schema as it is while text indexes are being built, also after a restart in between. */
function withUnbuilt(schema: Schema): Schema {
  const keyspaces = [...schema.keyspaces].map(([name, keyspace]) => {
    const tables = [...keyspace.tables].map(([tableName, table]) => {
      const indexes = table.indexes.map((index) =>
        index.kind === 'text' ? { ...index, isBuilding: true } : index,
      );
      return [tableName, { ...table, indexes }] as const;
    });
    return [name, { ...keyspace, tables: new Map(tables) }] as const;
  });
  return { ...schema, keyspaces: new Map(keyspaces) };
}

/** The engine, whose builds last until `building.isDone`. */
function whileBuilding(engine: Engine, building: { isDone: boolean }): Engine {
  return new Proxy(engine, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'readSchema')
        return async (afterChanges?: boolean) => {
          const schema = await target.readSchema(afterChanges);
          return building.isDone ? schema : withUnbuilt(schema);
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const createTextIndex = { name: 'words', definition: { column: 'content' } };

async function withServer(
  work: (
    send: (path: string, command: object) => Promise<ReplyBody>,
    building: { isDone: boolean },
  ) => Promise<void>,
): Promise<void> {
  const building = { isDone: true };
  const engine = whileBuilding(await openEmbedded(newDataDirectory(), { dialect: 'extended' }), building);
  const server = await serveEngine(engine, { dialect: 'extended' });
  const send = async (path: string, command: object) =>
    (await server.client.send(`/default_keyspace${path}`, command)).body;
  const mustSend = async (path: string, command: object) => {
    const body = await send(path, command);
    assert.equal(body.errors, undefined, JSON.stringify(body));
  };
  try {
    const columns = { id: 'int', content: 'text', other: 'text' };
    await mustSend('', { createTable: { name: 'texts', definition: { columns, primaryKey: 'id' } } });
    await mustSend('/texts', { createTextIndex });
    await mustSend('/texts', { insertOne: { document: { id: 1, content: 'a red house' } } });
    await mustSend('', { createCollection: { name: 'docs' } });
    await mustSend('/docs', { insertOne: { document: { _id: 1, n: 1, $lexical: 'a red house' } } });
    building.isDone = false;
    await work(send, building);
  } finally {
    await server.close();
  }
}

describe('a text index that is being built', () => {
  const searches: readonly (readonly [path: string, command: object])[] = [
    ['/texts', { find: { filter: { content: { $match: 'red' } } } }],
    ['/texts', { find: { sort: { content: 'red' } } }],
    ['/texts', { findOne: { filter: { id: 1 }, sort: { content: 'red' } } }],
    ['/docs', { find: { filter: { $lexical: { $match: 'red' } } } }],
    ['/docs', { find: { sort: { $lexical: 'red' } } }],
    ['/docs', { countDocuments: { filter: { $lexical: { $match: 'red' } } } }],
    ['/docs', { deleteMany: { filter: { $lexical: { $match: 'blue' } } } }],
  ];
  it('refuses searches by words until it is built, and names the index', async () => {
    await withServer(async (send, building) => {
      for (const [path, command] of searches) {
        const [error] = (await send(path, command)).errors ?? [];
        assert.equal(error?.errorCode, 'UNAVAILABLE_DATABASE', JSON.stringify(command));
        assert.match(error.message, /the text index \w+ on the column \S+ is still being built.*Try again/s);
      }
      building.isDone = true;
      for (const [path, command] of searches)
        assert.equal((await send(path, command)).errors, undefined, JSON.stringify(command));
    });
  });

  it('leaves other reads and writes as they are', async () => {
    await withServer(async (send) => {
      const commands: readonly (readonly [path: string, command: object])[] = [
        ['/texts', { find: { filter: { id: 1 }, sort: { id: 1 } } }],
        ['/texts', { insertOne: { document: { id: 2, content: 'x' } } }],
        ['/docs', { find: { filter: { n: 1 } } }],
        ['/docs', { find: { filter: { $or: [{ n: 5 }, { n: 1 }] } } }],
        ['/docs', { updateOne: { filter: { n: 1 }, update: { $set: { $lexical: 'green' } } } }],
      ];
      for (const [path, command] of commands)
        assert.equal((await send(path, command)).errors, undefined, JSON.stringify(command));
      const other = { find: { filter: { other: { $match: 'red' } } } };
      const [error] = (await send('/texts', other)).errors ?? [];
      assert.equal(error?.errorCode, 'CANNOT_LEXICAL_FILTER_NON_INDEXED_COLUMNS');
    });
  });

  it('is named by listIndexes, and by the error of a second createTextIndex', async () => {
    await withServer(async (send, building) => {
      for (const options of [{}, { explain: true }]) {
        const { status } = await send('/texts', { listIndexes: { options } });
        const warnings = status?.['warnings'];
        assert.ok(Array.isArray(warnings));
        const [{ family, scope, errorCode, title, message }] = warnings;
        const shown = `<${family} ${scope} ${errorCode}: ${title}>`;
        assert.equal(shown, '<REQUEST WARNING INDEX_BEING_BUILT: Index not built yet>');
        assert.match(message, /words/);
      }
      const [error] = (await send('/texts', { createTextIndex })).errors ?? [];
      assert.equal(error?.errorCode, 'CANNOT_ADD_EXISTING_INDEX');
      assert.match(error.message, /which is still being built/);
      building.isDone = true;
      const { status } = await send('/texts', { listIndexes: {} });
      assert.deepEqual(status, { indexes: ['words'] });
      const [again] = (await send('/texts', { createTextIndex })).errors ?? [];
      assert.doesNotMatch(again?.message ?? '', /being built/);
    });
  });
});
