// Storage that is slow, damaged, gone or closing gives clear errors, never wrong rows.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import type { DataClient, DataReply } from './data-client.js';
import { startInProcess } from './in-process-server.js';

const keyspace = '/default_keyspace';
const table = `${keyspace}/rows`;
const rowCount = 3_000;
const pageBytes = 4_096;
/** Matches one row, far from the first. */
const scan = { find: { filter: { content: contentOf(rowCount - 1) } } };

describe('failing storage', () => {
  let filledDir: string;
  before(async () => {
    filledDir = makeTemporaryDirectory();
    const server = await startInProcess(filledDir);
    await fill(server.client);
    await server.close();
  });

  it('gives up a read whose rows take too long to be decoded, and serves the next', async () => {
    const { clock, setStep } = steppingClock(10);
    const server = await startInProcess(copyOf(filledDir), { clock, readTimeoutMs: 10_000 });
    try {
      const sort = { find: { sort: { content: 1 }, options: { limit: 1 } } };
      expectError(await server.client.send(table, sort), 'TIMEOUT_READING_DATA', /over 10000 ms/);
      setStep(0);
      assert.equal((await server.client.mustSend(table, sort)).data?.documents?.length, 1);
    } finally {
      await server.close();
    }
  });

  it('gives up a read that goes over its time, and serves the next', async () => {
    const { clock, setStep } = steppingClock(6_000);
    const server = await startInProcess(copyOf(filledDir), { clock, readTimeoutMs: 10_000 });
    try {
      expectError(await server.client.send(table, scan), 'TIMEOUT_READING_DATA', /over 10000 ms/);
      const point = await server.client.mustSend(table, { findOne: { filter: { id: 7 } } });
      assert.deepEqual(point.data?.document, { id: 7, content: contentOf(7) });
      setStep(0);
      const found = await server.client.mustSend(table, scan);
      assert.equal(found.data?.documents?.length, 1);
    } finally {
      await server.close();
    }
  });

  it('reads right rows or none from a file with a damaged page', async () => {
    const pages = readFileSync(join(filledDir, 'data.db')).length / pageBytes;
    let failures = 0;
    for (let page = 1; page < pages; page += Math.ceil(pages / 6)) {
      const dir = copyOf(filledDir);
      const bytes = readFileSync(join(dir, 'data.db'));
      bytes.fill(page % 2 === 0 ? 0 : 0xff, page * pageBytes, (page + 1) * pageBytes);
      writeFileSync(join(dir, 'data.db'), bytes);
      failures += await countFailures(dir);
    }
    assert.ok(failures > 1, `only ${failures} failures: nothing was damaged`);
  });

  it('reads right rows or none from a file that lost its end', async () => {
    const bytes = readFileSync(join(filledDir, 'data.db')).length;
    for (const size of [bytes - 1, bytes - pageBytes, Math.floor(bytes / 2), 3 * pageBytes, pageBytes, 100]) {
      const dir = copyOf(filledDir);
      truncateSync(join(dir, 'data.db'), size);
      assert.ok((await countFailures(dir)) > 0, `no failure with ${size} of ${bytes} bytes`);
    }
  });

  it('reads again when a file that could not be opened is back', async () => {
    const dir = copyOf(filledDir);
    const server = await startInProcess(dir);
    const path = join(dir, 'data.db');
    try {
      renameSync(path, `${path}.away`);
      expectError(await server.client.send(table, scan), 'FAILED_READ_REQUEST', /could not/);
      renameSync(`${path}.away`, path);
      const found = await server.client.mustSend(table, scan);
      assert.equal(found.data?.documents?.length, 1);
    } finally {
      await server.close();
    }
  });

  it('closes although the file of a long read could not be opened', async () => {
    const dir = copyOf(filledDir);
    const server = await startInProcess(dir);
    renameSync(join(dir, 'data.db'), join(dir, 'away.db'));
    const read = server.client.send(table, scan);
    expectError(await read, 'FAILED_READ_REQUEST', /could not/);
    await server.close();
  });

  it('is called not available when it is closing', async () => {
    const server = await startInProcess(copyOf(filledDir));
    try {
      const running = Array.from({ length: 20 }, () => server.client.send(table, scan));
      await server.client.mustSend(table, scan);
      await server.engine.close();
      for (const reply of await Promise.all(running)) {
        if (reply.body.errors !== undefined) expectError(reply, 'UNAVAILABLE_DATABASE', /shutting down/);
        else assert.equal(reply.body.data?.documents?.length, 1);
      }
      for (const [path, command] of [
        [table, scan],
        [table, { findOne: { filter: { id: 1 } } }],
        [table, { insertOne: { document: { id: 1 } } }],
        [table, { insertMany: { documents: [{ id: 1 }] } }],
        [table, { updateOne: { filter: { id: 1 }, update: { $set: { content: 'x' } } } }],
        [table, { deleteMany: { filter: {} } }],
        [keyspace, { dropTable: { name: 'rows' } }],
        ['', { createKeyspace: { name: 'late' } }],
      ] as const) {
        expectError(await server.client.send(path, command), 'UNAVAILABLE_DATABASE', /shutting down/);
      }
    } finally {
      await server.close();
    }
  });
});

/** A clock that advances by some milliseconds with every reading. */
function steppingClock(firstStepMs: number) {
  let [nowMs, stepMs] = [0, firstStepMs];
  const monotonicMs = () => {
    nowMs += stepMs;
    return nowMs;
  };
  const setStep = (ms: number) => {
    stepMs = ms;
  };
  return { clock: { nowMs: () => 0, monotonicMs }, setStep };
}

async function fill(client: DataClient): Promise<void> {
  const definition = { columns: { id: 'int', content: 'text' }, primaryKey: 'id' };
  await client.mustSend(keyspace, { createTable: { name: 'rows', definition } });
  for (let first = 0; first < rowCount; first += 100) {
    const documents = Array.from({ length: 100 }, (_, at) => ({
      id: first + at,
      content: contentOf(first + at),
    }));
    await client.mustSend(table, { insertMany: { documents } });
  }
}

function contentOf(id: number): string {
  return `row ${id} ${'x'.repeat(100)}`;
}

function copyOf(dir: string): string {
  const copy = makeTemporaryDirectory();
  copyFileSync(join(dir, 'data.db'), join(copy, 'data.db'));
  return copy;
}

/** Starts on a damaged file: a refusal and each failed read count, a wrong row fails. */
async function countFailures(dir: string): Promise<number> {
  let server: Awaited<ReturnType<typeof startInProcess>>;
  try {
    server = await startInProcess(dir);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.ok(error.message.startsWith(`${join(dir, 'data.db')} cannot be used: `), error.message);
    return 1;
  }
  try {
    return (await countFailedPages(server.client)) + (await countFailedReads(server.client));
  } finally {
    await server.close();
  }
}

async function countFailedPages(client: DataClient): Promise<number> {
  let read = 0;
  let pageState: string | null = null;
  do {
    const reply: DataReply = await client.send(table, { find: { options: { pageState } } });
    if (reply.body.errors !== undefined) {
      expectError(reply, 'FAILED_READ_REQUEST', /damaged|could not be read/);
      return 1;
    }
    for (const row of reply.body.data?.documents ?? []) {
      assert.deepEqual(row, { id: read, content: contentOf(read) });
      read += 1;
    }
    pageState = reply.body.data?.nextPageState ?? null;
  } while (pageState !== null);
  assert.equal(read, rowCount);
  return 0;
}

/** By key, and by a scan. */
async function countFailedReads(client: DataClient): Promise<number> {
  let failures = 0;
  for (let id = 0; id < rowCount; id += 97) {
    const reply = await client.send(table, { findOne: { filter: { id } } });
    if (reply.body.errors === undefined)
      assert.deepEqual(reply.body.data?.document, { id, content: contentOf(id) });
    else {
      failures += 1;
      expectError(reply, 'FAILED_READ_REQUEST', /damaged|could not be read/);
    }
  }
  const found = await client.send(table, scan);
  if (found.body.errors === undefined) assert.equal(found.body.data?.documents?.length, 1);
  else {
    failures += 1;
    expectError(found, 'FAILED_READ_REQUEST', /damaged|could not/);
  }
  return failures;
}

function expectError({ httpStatus, text, body }: DataReply, code: string, message: RegExp): void {
  const [error] = body.errors ?? [];
  assert.equal(httpStatus, 200, text);
  assert.equal(error?.errorCode, code, text);
  assert.deepEqual([error?.family, error?.scope], ['SERVER', 'DATABASE']);
  assert.match(error?.message ?? '', message);
  assert.equal(body.data, undefined);
}
