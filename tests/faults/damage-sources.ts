// A data directory with content of every kind, what is read from it, and a backup of it: what the rounds of damage
// start from.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { move } from '../acceptance/between-servers.js';
import { makeTemporaryDirectory, type RunningServer, withServer } from '../acceptance/start-server.js';
import { type FixtureRequest, fixtureReads, fixtureSteps } from '../upgrades/fixture-content.js';
import { ask } from '../upgrades/fixture-server.js';

/** The directories, which are not changed. */
export interface DamageSources {
  /** The directory of a server that was stopped. */
  readonly stopped: string;
  /** The directory of a server that was killed, with a long log. */
  readonly killed: string;
  readonly backup: string;
  /** The replies to all reads. */
  readonly replies: readonly unknown[];
}

const data = (path: string, body: object): FixtureRequest => ({
  ...{ port: 'data', method: 'POST', path: `/v1/default_keyspace${path}`, body: JSON.stringify(body) },
});
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const words = (at: number) => `word${at % 7} word${at % 11} number ${at}`;

function bulkSteps(): readonly FixtureRequest[] {
  const columns = {
    id: 'int',
    at: 'int',
    text: 'text',
    long: 'text',
    n: 'double',
    parts: { type: 'list', valueType: 'text' },
  };
  return [
    data('', {
      createTable: {
        name: 'bulk',
        definition: { columns, primaryKey: { partitionBy: ['id'], partitionSort: { at: 1 } } },
      },
    }),
    data('', { createTable: { name: 'tail', definition: { columns: { id: 'int' }, primaryKey: 'id' } } }),
    data('/bulk', { createIndex: { name: 'by_n', definition: { column: 'n' } } }),
    data('/bulk', { createTextIndex: { name: 'by_words', definition: { column: 'text' } } }),
    data('', {
      createCollection: {
        name: 'docs',
        options: { vector: { dimension: 8 }, indexing: { deny: ['secret'] } },
      },
    }),
    ...numbers(6).map((part) =>
      data('/bulk', {
        insertMany: {
          documents: numbers(50).map((at) => ({
            ...{ id: part, at, text: words(at), n: at / 3, parts: [`p${at % 5}`, 'all'] },
            long: `${words(at)} `.repeat(at % 10 === 0 ? 400 : 3),
          })),
        },
      }),
    ),
    ...numbers(22).map((part) =>
      data('/docs', {
        insertMany: {
          documents: numbers(50).map((at) => ({
            ...{
              _id: part * 50 + at,
              name: words(at),
              secret: `hidden ${part} ${at}`,
              tags: [at % 3, { deep: at }],
            },
            $vector: numbers(8).map((place) => ((at * 7 + part + place * 3) % 11) / 10),
          })),
        },
      }),
    ),
  ];
}

const bulkReads: readonly FixtureRequest[] = [
  ...numbers(6).map((id) => data('/bulk', { find: { filter: { id }, options: { limit: 50 } } })),
  data('/bulk', { find: { filter: { n: { $gt: 15 } }, projection: { id: true, at: true } } }),
  data('/bulk', { find: { filter: { text: { $match: 'word3' } }, projection: { id: true, at: true } } }),
  ...numbers(30).map((part) =>
    data('/docs', {
      find: { filter: { _id: { $in: numbers(10).map((at) => part * 10 + at) } }, projection: { '*': true } },
    }),
  ),
  data('/docs', { find: { filter: { 'tags.1.deep': { $lt: 5 } }, projection: { _id: true } } }),
  data('/docs', {
    find: {
      sort: { $vector: numbers(8).map((at) => at / 8) },
      projection: { _id: true },
      options: { limit: 3 },
    },
  }),
  data('/docs', { countDocuments: { filter: { tags: 2 } } }),
  { port: 'ops', method: 'GET', path: '/local/alert-rules' },
];

/** What a server gives for all reads, without what differs each time. */
export async function readAll(server: RunningServer): Promise<readonly unknown[]> {
  const replies: unknown[] = [];
  const waits = { left: 300 };
  for (const read of [...fixtureReads, ...bulkReads]) {
    const reply = await askWhenBuilt(server, read, waits).catch((error: unknown) => ({
      failed: String(error),
    }));
    replies.push(reply);
  }
  return replies;
}

/**
 * A server may have to build indexes of vectors or texts again. All reads share the waits: where damage prevents the
 * building, each of a hundred reads would wait as long as the first.
 */
async function askWhenBuilt(
  server: RunningServer,
  read: FixtureRequest,
  waits: { left: number },
): Promise<unknown> {
  for (;;) {
    try {
      return JSON.parse(await ask(server, read), (name, member) =>
        ['warnings', 'nextPageState', 'lastUsed'].includes(name) ? undefined : member,
      );
    } catch (error) {
      if (waits.left === 0 || !/LEXICAL|UNAVAILABLE_DATABASE/.test(String(error))) throw error;
      waits.left -= 1;
      await sleep(100);
    }
  }
}

/** Makes the directories. */
export async function makeSources(): Promise<DamageSources> {
  const root = makeTemporaryDirectory();
  const [stopped, killed, backup] = [join(root, 'stopped'), join(root, 'killed'), join(root, 'backup')];
  for (const directory of [stopped, killed]) mkdirSync(directory);
  const args = ['--dialect', 'extended'];
  await withServer({ dataDir: stopped, args }, async (server) => {
    for (const step of [...fixtureSteps, ...bulkSteps()]) await ask(server, step);
  });
  let replies: readonly unknown[] = [];
  await withServer({ dataDir: stopped, args }, async (server) => {
    replies = await readAll(server);
  });
  await move(['backup', backup, '--data-dir', stopped]);
  cpSync(stopped, killed, { recursive: true });
  await withServer({ dataDir: killed, args }, async (server) => {
    for (const part of [0, 1]) {
      await ask(
        server,
        data('/bulk', { updateOne: { filter: { id: part, at: 3 }, update: { $set: { n: 77 } } } }),
      );
      await ask(
        server,
        data('/bulk', { updateOne: { filter: { id: part, at: 3 }, update: { $set: { n: 1 } } } }),
      );
    }
    // A damaged last transaction looks like one that was not finished: reads do not read it.
    for (const id of numbers(3)) await ask(server, data('/tail', { insertOne: { document: { id } } }));
    server.signal('SIGKILL');
    await server.ended;
  });
  return { stopped, killed, backup, replies };
}
