// Sends damaged commands on documents, and checks that each gets an answer and that the index entries stay right.
import assert from 'node:assert/strict';
import type { JsonText } from '../../src/foundation/json/json-value.js';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { builtInEmbedding } from '../built-in-embedding.js';
import { createCommand, scenarioOf } from '../documents/random-commands.js';
import { seededRandom } from '../seeded-random.js';
import { checkDataFile } from './check-data-file.js';
import { type InProcessServer, startInProcess } from './in-process-server.js';
import { mutateBody } from './mutate.js';

const keyspace = '/default_keyspace';
const commandsPerScenario = 100;
const limits = { maxDepth: 1_000, maxNumberLength: 10_000 };

/** Counts of a run that did no harm. */
export interface MalformedDocumentsResult {
  readonly refused: number;
  readonly done: number;
}

/** Fails on a status other than 200, an error of the family SERVER, and entries that differ from the documents. */
export async function sendMalformedDocuments(count: number, seed: number): Promise<MalformedDocumentsResult> {
  const dataDir = makeTemporaryDirectory();
  const server = await startInProcess(dataDir, { routes: builtInEmbedding });
  let refused = 0;
  try {
    for (let from = 0; from < count; from += commandsPerScenario) {
      const bodies = damagedCommands(seed + from);
      const name = `c${from}`;
      await server.client.mustSend(keyspace, createCommand(scenarioOf(seed + from, 0), name));
      const replies = await Promise.all(bodies.map((body) => sendOne(server, name, body, `seed ${seed}`)));
      refused += replies.filter((isRefused) => isRefused).length;
    }
    await checkEntries(server, `seed ${seed}`);
  } finally {
    await server.close();
  }
  checkDataFile(dataDir);
  return { refused, done: count - refused };
}

function damagedCommands(seed: number): readonly (Buffer | JsonText)[] {
  const random = seededRandom(seed);
  const { commands } = scenarioOf(seed, commandsPerScenario);
  const parsed = commands.map((command) => parseJson(command, limits));
  return parsed.map((command) => {
    if (random.oneIn(5)) return random.pick(hostileCommands);
    // Undamaged inserts in between keep documents there.
    return random.oneIn(3) ? random.pick(commands) : mutateBody(random, command, random.pick(parsed));
  });
}

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const update = (clause: JsonText) => `{"updateMany":{"filter":{},"update":${clause}}}`;

/** Commands that ask for much, or for what has a special meaning elsewhere. */
const hostileCommands: readonly JsonText[] = [
  ...[15, 16, 17, 90, 200].map((depth) => `{"insertOne":{"document":${deep(depth)}}}`),
  ...[15, 90].map((depth) => `{"find":{"filter":${deep(depth)}}}`),
  `{"find":{"filter":${'{"$not":'.repeat(90)}{"a":1}${'}'.repeat(90)}}}`,
  `{"find":{"filter":{"$or":[${'{"a":1},'.repeat(63)}{"b":2}]}}}`,
  `{"find":{"filter":{"a":{"$in":[${'{"b":[1]},'.repeat(99)}1]}}}}`,
  `{"find":{"filter":{"${'a.'.repeat(499)}a":1}}}`,
  `{"find":{"filter":{"${'0.'.repeat(499)}0":1},"sort":{"${'0.'.repeat(30)}1":1}}}`,
  '{"find":{"filter":{"a.0.0.0.0.0.0.0.0":{"$exists":true}}}}',
  ...['999', '1000', '4294967295', '4294967296', '99999999999999999999', '01', '-1', '1e3'].map((index) =>
    update(`{"$set":{"tags.${index}":1}}`),
  ),
  update(`{"$set":{"${'a.'.repeat(30)}a":1}}`),
  update('{"$push":{"tags":{"$each":[1],"$position":-9007199254740993}}}'),
  update('{"$push":{"tags":{"$each":[1],"$position":1e300}}}'),
  update(`{"$push":{"tags":{"$each":[${'1,'.repeat(999)}1]}}}`),
  update('{"$inc":{"n":1e99999999}}'),
  update('{"$mul":{"n":1e-99999999999}}'),
  update(`{"$inc":{"n":${'9'.repeat(100)}}}`),
  update('{"$rename":{"a":"a.b.c","b":"a"}}'),
  update('{"$rename":{"o":"o.p"}}'),
  ...[
    '__proto__',
    'constructor',
    'toString',
    'length',
    'hasOwnProperty',
    '\\u0000',
    '&&',
    ' ',
    '*',
    '&*',
  ].flatMap((name) => [
    `{"insertOne":{"document":{"${name}":{"${name}":[1]}}}}`,
    `{"find":{"filter":{"${name}":{"$exists":true}},"sort":{"${name}":1},"projection":{"${name}":1}}}`,
    update(`{"$set":{"${name}.${name}":1}}`),
  ]),
  '{"insertOne":{"document":{"_id":"\\ud800","a":"\\udc00"}}}',
  '{"find":{"filter":{"a":{"$gte":"\\ud800"}}}}',
  '{"insertOne":{"document":{"_id":1e400,"n":-0,"m":1e-400}}}',
  '{"insertOne":{"document":{"_id":{"$date":9223372036854775808},"d":{"$date":-9223372036854775809}}}}',
  '{"find":{"filter":{"d":{"$lt":{"$date":9223372036854775808}},"_id":{"$gt":1e400}}}}',
  '{"find":{"filter":{"n":{"$gte":-1e999999999}},"sort":{"n":-1}}}',
  '{"find":{"filter":{"tags":{"$size":1e300}}}}',
  `{"insertOne":{"document":{"_id":"${'i'.repeat(9_000)}"}}}`,
  `{"insertOne":{"document":{"${'n'.repeat(1_001)}":1}}}`,
  `{"insertOne":{"document":{"t":"${'é'.repeat(4_001)}"}}}`,
  `{"find":{"projection":{"tags":{"$slice":[-9007199254740993,9007199254740993]}}}}`,
  '{"findOneAndReplace":{"filter":{},"replacement":{"$vector":[]},"options":{"upsert":true}}}',
  '{"deleteMany":{"filter":{"$and":[{"$or":[]},{"$not":{}}]}}}',
];

async function sendOne(
  { client }: InProcessServer,
  collection: string,
  body: Buffer | JsonText,
  at: string,
): Promise<boolean> {
  const { httpStatus, text, body: reply } = await client.send(`${keyspace}/${collection}`, body);
  const shown = `${at}: ${body.toString().slice(0, 2_000)}\n${text.slice(0, 2_000)}`;
  assert.equal(httpStatus, 200, shown);
  const errors = reply.errors ?? [];
  // Commands that run at the same time can lose a race.
  const failures = errors.filter(
    ({ family, errorCode }) => family === 'SERVER' && errorCode !== 'FAILED_CONCURRENT_OPERATIONS',
  );
  assert.deepEqual(failures, [], shown);
  return errors.length > 0;
}

async function checkEntries({ engine }: InProcessServer, at: string): Promise<void> {
  const request = { action: 'repair', keyspace: 'default_keyspace', tables: [] } as const;
  const report = await engine.maintain?.(request, new AbortController().signal);
  assert.equal(report?.state, 'success', `${at}: ${report?.detail}`);
  assert.doesNotMatch(report.detail, /the index entries/, at);
}
