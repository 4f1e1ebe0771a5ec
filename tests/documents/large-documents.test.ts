// Writes of large documents: each command is a commit of its own, so that other writes do not wait for all of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkedEngine } from '../../src/data-service/engine/checked-engine.js';
import { dataFile, openForReading } from '../../src/data-service/engine/embedded/file/open-for-reading.js';
import {
  frameBytesIn,
  headBytes,
  isEqualPair,
  pagesAfterCommit,
  saltsOfFrame,
  saltsOfHead,
} from '../../src/foundation/sqlite/log-format.js';
import { newDataDirectory, openEmbedded } from '../conformance/open-embedded.js';
import type { DataClient, ReplyBody } from '../faults/data-client.js';
import { serveEngine } from '../faults/in-process-server.js';

/** About 300 KB: a command on it does not share a commit. */
const long = Array.from({ length: 75 }, (_, at) => `${at} `.repeat(1_500));

async function withCollection(
  work: (
    send: (command: unknown) => Promise<ReplyBody>,
    client: DataClient,
    directory: string,
  ) => Promise<void>,
): Promise<void> {
  const directory = newDataDirectory();
  const server = await serveEngine(checkedEngine(await openEmbedded(directory)));
  const { client } = server;
  await client.mustSend('/default_keyspace', { createCollection: { name: 'docs' } });
  const send = async (command: unknown) => (await client.send('/default_keyspace/docs', command)).body;
  await work(send, client, directory).finally(() => server.close());
}

describe('writes of large documents', () => {
  it('let a small write pass, and lose no increment', async () => {
    await withCollection(async (send) => {
      await send({ insertMany: { documents: [1, 2].map((_id) => ({ _id, n: 0, long })) } });
      const answered: string[] = [];
      const note = (what: string) => () => void answered.push(what);
      const increments = Array.from({ length: 6 }, (_, at) =>
        send({ updateOne: { filter: { _id: 1 + (at % 2) }, update: { $inc: { n: 1 } } } }).then(
          note('large'),
        ),
      );
      const insert = send({ insertOne: { document: { _id: 3 } } }).then(note('small'));
      await Promise.all([...increments, insert]);
      assert.ok(answered.indexOf('small') < answered.length - 1, answered.join(' '));
      assert.deepEqual((await send({ countDocuments: { filter: { n: 3 } } })).status, { count: 2 });
    });
  });

  it('answer for all documents of a command', async () => {
    await withCollection(async (send) => {
      const documents = [1, 2, 1, 3].map((_id) => ({ _id, n: 0, long }));
      const options = { ordered: true, returnDocumentResponses: true };
      const ordered = await send({ insertMany: { documents, options } });
      const states = ({ status }: ReplyBody) => {
        const responses = status?.['documentResponses'];
        assert.ok(Array.isArray(responses));
        return responses.map((response) => response.status);
      };
      assert.deepEqual(states(ordered), ['OK', 'OK', 'ERROR', 'SKIPPED']);
      const unordered = await send({ insertMany: { documents, options: { ...options, ordered: false } } });
      assert.deepEqual(states(unordered), ['ERROR', 'ERROR', 'ERROR', 'OK']);
      const increment = { updateMany: { filter: { n: { $exists: true } }, update: { $inc: { n: 1 } } } };
      assert.deepEqual((await send(increment)).status, { matchedCount: 3, modifiedCount: 3 });
      await send({ updateOne: { filter: { _id: 2 }, update: { $set: { n: 'a text' } } } });
      const failed = await send(increment);
      assert.equal(failed.errors?.length, 1);
      assert.deepEqual(failed.status, { matchedCount: 1, modifiedCount: 1 });
      assert.deepEqual((await send({ deleteMany: { filter: { _id: { $in: [1, 2] } } } })).status, {
        deletedCount: 2,
      });
      assert.deepEqual((await send({ countDocuments: {} })).status, { count: 1 });
    });
  });

  it('are in several commits of one command', async () => {
    await withCollection(async (send, _, directory) => {
      const documents = Array.from({ length: 12 }, (_, _id) => ({ _id, n: 0, long: [...long, ...long] }));
      const commands = [
        { insertMany: { documents } },
        { updateMany: { filter: {}, update: { $set: { long: [...long, ...long].reverse() } } } },
        { deleteMany: { filter: { n: 0 } } },
      ];
      await withLog(directory, async (commitsOf) => {
        for (const command of commands) {
          const [name] = Object.keys(command);
          const frames = await commitsOf(() => send(command));
          // A delete frees pages, and writes few of them.
          if (name === 'deleteMany') assert.ok(frames.length >= 6, `${frames}`);
          else assertPortions(frames);
        }
      });
    });
  });
});

/** No commit of a command writes half of its pages. */
function assertPortions(frames: readonly number[]): void {
  const all = frames.reduce((sum, each) => sum + each, 0);
  assert.ok(all > 1_000 && Math.max(...frames) < all / 2, `commits of ${frames} pages`);
}

type CommitsOf = (send: () => Promise<ReplyBody>) => Promise<readonly number[]>;

/** `commitsOf` returns the number of frames of each commit that a command makes. */
async function withLog(directory: string, work: (commitsOf: CommitsOf) => Promise<void>): Promise<void> {
  // While this snapshot is read, the log is not emptied.
  const database = openForReading(dataFile(directory), 1_000_000);
  database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  const commits = () => framesOfCommits(join(directory, 'data.db-wal'));
  try {
    await work(async (send) => {
      const before = commits().length;
      assert.equal((await send()).errors, undefined);
      return commits().slice(before);
    });
  } finally {
    database.close();
  }
}

/** The number of frames of each commit in a write-ahead log that was not emptied. */
function framesOfCommits(path: string): readonly number[] {
  const log = readFileSync(path);
  const frameBytes = frameBytesIn(log);
  const salts = saltsOfHead(log);
  const commits: number[] = [];
  let frames = 0;
  for (let at = headBytes; at + frameBytes <= log.length; at += frameBytes) {
    const frame = log.subarray(at, at + frameBytes);
    if (!isEqualPair(saltsOfFrame(frame), salts)) break;
    frames += 1;
    if (pagesAfterCommit(frame) === 0) continue;
    commits.push(frames);
    frames = 0;
  }
  return commits;
}
