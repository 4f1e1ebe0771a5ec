// Changes of the schema that are stored while the archive does not answer in time: the command fails with
// TIMEOUT_WRITING_DATA, and what it made works all the same.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import type { ReplyBody } from './data-client.js';
import { serveEngine } from './in-process-server.js';

interface Archive {
  /** Its next answers fail where this is true. */
  fails: boolean[];
}

interface Place {
  readonly send: (command: object, path?: string) => Promise<ReplyBody>;
  readonly mustSend: (command: object, path?: string) => Promise<ReplyBody>;
  readonly archive: Archive;
  /** The ways in which vector searches were answered. */
  readonly searches: string[];
}

/** A server over an archive that writes wait for, with a table of some rows. */
async function withServer(work: (place: Place) => Promise<void>): Promise<void> {
  const archive: Archive = { fails: [] };
  const searches: string[] = [];
  const engine = await openEmbedded(newDataDirectory(), {
    dialect: 'extended',
    whenShipped: async () => {
      if (archive.fails.shift() === true) throw new Error('the archive did not answer');
    },
    onVectorSearch: (by) => searches.push(by),
  });
  const server = await serveEngine(checkedEngine(engine), { dialect: 'extended' });
  const send: Place['send'] = async (command, path = '/texts') =>
    (await server.client.send(`/default_keyspace${path}`, command)).body;
  const mustSend: Place['send'] = async (command, path) => {
    const body = await send(command, path);
    assert.equal(body.errors, undefined, JSON.stringify(body));
    return body;
  };
  const columns = { id: 'int', content: 'text', v: { type: 'vector', dimension: 2 } };
  try {
    await mustSend({ createTable: { name: 'texts', definition: { columns, primaryKey: 'id' } } }, '');
    const documents = Array.from({ length: 20 }, (_, id) => ({ id, content: `house ${id}`, v: [id, 1] }));
    await mustSend({ insertMany: { documents } });
    await work({ send, mustSend, archive, searches });
  } finally {
    await server.close();
  }
}

const createTextIndex = { name: 'words', definition: { column: 'content' } };
const found = { find: { filter: { content: { $match: '7' } }, projection: { id: 1 } } };

/** Waits until no index is being built. */
async function untilBuilt({ mustSend }: Place): Promise<void> {
  while ((await mustSend({ listIndexes: {} })).status?.['warnings'] !== undefined) {}
}

describe('a change of the schema that the archive does not have in time', { timeout: 60_000 }, () => {
  for (const [what, fails] of [
    ['creates an index', [true]],
    ['completes an index', [false, true]],
  ] as const)
    it(`${what} for searches by words that is built nevertheless`, async () => {
      await withServer(async (place) => {
        place.archive.fails = [...fails];
        const [error] = (await place.send({ createTextIndex })).errors ?? [];
        assert.equal(error?.errorCode, 'TIMEOUT_WRITING_DATA');
        await untilBuilt(place);
        assert.deepEqual((await place.mustSend({ listIndexes: {} })).status, { indexes: ['words'] });
        assert.deepEqual((await place.mustSend(found)).data?.documents, [{ id: 7 }]);
      });
    });

  it('creates an index for vector searches that they use', async () => {
    await withServer(async ({ send, mustSend, archive, searches }) => {
      archive.fails = [true];
      const createVectorIndex = { name: 'near', definition: { column: 'v' } };
      const [error] = (await send({ createVectorIndex })).errors ?? [];
      assert.equal(error?.errorCode, 'TIMEOUT_WRITING_DATA');
      while (searches.at(-1) !== 'index') await mustSend({ find: { sort: { v: [1, 1] } } });
    });
  });

  it('creates a collection whose vector searches use their index', async () => {
    await withServer(async ({ send, mustSend, archive, searches }) => {
      archive.fails = [true];
      const createCollection = { name: 'docs', options: { vector: { dimension: 2 } } };
      const [error] = (await send({ createCollection }, '')).errors ?? [];
      assert.equal(error?.errorCode, 'TIMEOUT_WRITING_DATA');
      await mustSend({ insertOne: { document: { $vector: [1, 1] } } }, '/docs');
      while (searches.at(-1) !== 'index') await mustSend({ find: { sort: { $vector: [1, 1] } } }, '/docs');
    });
  });
});
