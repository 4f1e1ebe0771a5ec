// Sends bodies that are damaged commands, and checks that they do no harm.
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import type { Dialect } from '../../src/data-service/column-types/dialect.js';
import { makeTemporaryDirectory, type RunningServer, startServer } from '../acceptance/start-server.js';
import { seededRandom } from '../seeded-random.js';
import { checkDataFile } from './check-data-file.js';
import { DataClient } from './data-client.js';
import { createFuzzTables, fillControl, readText } from './fuzz-rows.js';
import { extendedFuzzTables, type FuzzTable, fuzzTables } from './fuzz-tables.js';
import { mutateBody } from './mutate.js';
import { makeScope, randomCommand } from './valid-commands.js';

/** Counts of a run that did no harm. */
export interface MalformedBodiesResult {
  /** How many bodies were answered with an error, and how many were still valid commands. */
  readonly refused: number;
  readonly done: number;
}

const keyspace = '/default_keyspace';
const bodiesBetweenRepairs = 50;

/** Fails on a status of 500 or more, an error of the family SERVER, a dead server or a changed row elsewhere. */
export async function sendMalformedBodies(
  count: number,
  seed: number,
  dialect: Dialect = 'strict',
): Promise<MalformedBodiesResult> {
  const dataDir = makeTemporaryDirectory();
  const server = await startServer({ dataDir, args: ['--dialect', dialect] });
  const client = new DataClient(server.url, 1);
  try {
    const result = await sendAll(
      client,
      count,
      seed,
      server,
      dialect === 'strict' ? fuzzTables : extendedFuzzTables,
    );
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
    checkDataFile(dataDir);
    return result;
  } finally {
    client.close();
    server.signal('SIGKILL'); // a failed check must not leave it behind
  }
}

async function sendAll(
  client: DataClient,
  count: number,
  seed: number,
  server: RunningServer,
  tables: readonly FuzzTable[],
): Promise<MalformedBodiesResult> {
  const random = seededRandom(seed);
  const scope = makeScope(random, 'default_keyspace', tables);
  const control = await fillControl(client, keyspace);
  const before = await readText(client, control);
  let refused = 0;
  for (let index = 0; index < count; index += 1) {
    if (index % bodiesBetweenRepairs === 0) await createFuzzTables(client, keyspace, tables);
    const { path, body } = randomCommand(random, scope);
    const bytes = mutateBody(random, body, randomCommand(random, scope).body);
    const target = random.oneIn(12) ? random.pick(oddPaths) : path;
    const at = `seed ${seed}, body ${index} to ${JSON.stringify(target)}: ${bytes.toString().slice(0, 2_000)}`;
    refused += (await sendOne(client, target, bytes, at, server)) ? 1 : 0;
  }
  const isUnchanged = (await readText(client, control)) === before;
  assert.ok(isUnchanged, `seed ${seed}: rows of another table changed`);
  await createFuzzTables(client, keyspace, tables);
  for (const { name } of tables) await client.readAll(`${keyspace}/${name}`);
  return { refused, done: count - refused };
}

const oddPaths = [
  '',
  '/',
  '//',
  '/default_keyspace',
  '/default_keyspace/',
  '/constructor',
  '/__proto__/__proto__',
  '/default_keyspace/__proto__',
  '/default_keyspace/no_such_table',
  '/no_such_keyspace/every_value',
  '/%00',
  '/%E0%A4',
  '/default_keyspace/%ED%A0%80',
  '/a/b/c',
] as const;

/** True when the body was refused. */
async function sendOne(
  client: DataClient,
  path: string,
  bytes: Buffer,
  at: string,
  server: RunningServer,
): Promise<boolean> {
  const reply = await client.send(path, bytes).catch((error: Error) => {
    throw new Error(`${error.message}: ${at}\n${server.stderr().slice(-2_000)}`);
  });
  const seen = `${at}\n${reply.httpStatus} ${reply.text.slice(0, 2_000)}`;
  if (reply.httpStatus === 404) return true;
  assert.equal(reply.httpStatus, 200, seen);
  assert.doesNotThrow(() => JSON.parse(reply.text), seen);
  for (const { family, errorCode, message } of reply.body.errors ?? []) {
    assert.equal(family, 'REQUEST', seen + server.stderr().slice(-3_000));
    assert.match(errorCode, /^[A-Z_]+$/, seen);
    assert.ok(message.length > 10, seen);
  }
  if (!isUtf8(bytes)) assert.ok(reply.body.errors !== undefined, seen);
  return reply.body.errors !== undefined;
}
