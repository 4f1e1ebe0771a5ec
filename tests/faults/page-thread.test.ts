// Checks what becomes of pages that are handed over, with a real page thread: also when it cannot read them, or ends.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import {
  PageThreadClient,
  type WaitingPage,
} from '../../src/data-service/engine/embedded/reads/page-thread-client.js';
import { Reader } from '../../src/data-service/engine/embedded/reads/reader.js';
import type { PageText, WrittenPage } from '../../src/data-service/engine/embedded/reads/written-page.js';
import { EngineError } from '../../src/data-service/engine/engine-error.js';
import { SharedTurns } from '../../src/foundation/shared-turns.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { newDataDirectory } from '../conformance/open-embedded.js';

const one = "SELECT n, '{\"n\":' || n || '}' AS written FROM numbers WHERE n = 1";
const others = "SELECT n, '{\"n\":' || n || '}' AS written FROM numbers WHERE n > 1 ORDER BY n";
/** The mark that SQLite writes for what it cannot write. */
const unwritable = "SELECT 1 AS n, '\\u0001' AS written";
/** Takes long enough that what is behind it waits. */
const long = `WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 3000000)
  SELECT n, '{}' AS written FROM i WHERE n = 3000000`;

const options = {
  skip: availableParallelism() < 2 && 'one processor: nobody helps',
  timeout: 60_000,
};

describe('the page thread', options, () => {
  it('gives the text of ranges, and the position of the last row as it is stored', async (test) => {
    const { ask } = await startClient(test);
    const page = pageOf([one, others], { limit: 2, wantsNext: true });
    assert.deepEqual(await ask(page), {
      text: '{"n":1},{"n":9007199254740993}',
      count: 2,
      next: [2n ** 53n + 1n],
    });
    const whole = pageOf([one, others], { limit: 4, wantsNext: true });
    assert.deepEqual(await ask(whole), {
      text: '{"n":1},{"n":9007199254740993},{"n":9007199254740995}',
      count: 3,
      next: null,
    });
  });

  it('leaves rows to others that are too large, or that SQLite cannot write', async (test) => {
    const { ask } = await startClient(test);
    assert.equal(await ask(pageOf([one], { maxBytes: 3 })), undefined);
    assert.equal(await ask(pageOf([unwritable])), undefined);
  });

  it('refuses a page of a table that is gone, and reads those beside it', async (test) => {
    const { ask } = await startClient(test);
    const gone = pageOf(['SELECT 1 AS n, 1 AS written FROM missing']);
    const [first, second, third] = await Promise.allSettled([
      ask(pageOf([one])),
      ask(gone),
      ask(pageOf([one])),
    ]);
    assert.deepEqual(first, { status: 'fulfilled', value: { text: '{"n":1}', count: 1, next: null } });
    assert.deepEqual(third, first);
    assert.ok(second?.status === 'rejected');
    assert.ok(second.reason instanceof EngineError && second.reason.kind === 'schemaChanged');
  });

  it('says so of a page that it has no statement for', async (test) => {
    const { ask } = await startClient(test);
    const { ranges, ...page } = pageOf([one]);
    // A request that no code of the server makes.
    const broken = { ...page, ranges: ranges.map(({ values }) => ({ values })) } as unknown as WrittenPage;
    await assert.rejects(ask(broken), /a read failed in the page thread: /);
  });

  it('takes nothing over when it cannot be started', async () => {
    const path = join(newDataDirectory(), 'missing.db');
    const waiting = [{ page: pageOf([one]), resolve: unexpected, reject: unexpected }];
    const { lost, error } = await new Promise<{ readonly lost: readonly unknown[]; readonly error: Error }>(
      (resolve) => {
        const client = new PageThreadClient({ path, fewestWaiting: 1 }, (left, reason) => {
          assert.deepEqual(client.take(waiting), waiting);
          resolve({ lost: left, error: reason });
        });
        assert.deepEqual(client.take(waiting), waiting);
      },
    );
    assert.deepEqual(lost, []);
    assert.match(error.message, /unable to open/);
  });

  it('does what it took over before it closes', async (test) => {
    const { client, ask } = await startClient(test);
    let isDone = false;
    const asked = ask(pageOf([long])).then((found) => {
      isDone = true;
      return found;
    });
    await client.close();
    assert.ok(isDone);
    assert.equal((await asked)?.count, 1);
  });

  it('returns the pages that it took over when it ends', async (test) => {
    const left: WaitingPage[] = [];
    const { client, worker } = await startClient(test, (lost) => left.push(...lost));
    const waiting = [long, one].map((sql) => ({
      page: pageOf([sql]),
      resolve: unexpected,
      reject: unexpected,
    }));
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    makeFail(worker);
    assert.deepEqual(client.take(waiting), []);
    await ended;
    assert.deepEqual(left, waiting);
    assert.deepEqual(client.take(waiting), waiting);
  });

  it('may end: the main thread reads what is left and all that comes, and warns once', async (test) => {
    const { reader, worker, warnings } = await startReader(test);
    makeFail(worker);
    const texts = await Promise.all(
      Array.from({ length: 40 }, () => reader.readPage(placePage, textOf, unexpected)),
    );
    assert.deepEqual(new Set(texts), new Set(['"here"']));
    assert.equal(await reader.readPage(placePage, textOf, unexpected), '"here"');
    assert.equal(warnings.length, 1);
  });

  it('leaves what it cannot write to the main thread, also when that closes', async (test) => {
    const { reader } = await startReader(test);
    const asked = reader.readPage(
      pageOf([unwritable]),
      unexpected,
      (database) => database.statement('SELECT name FROM place').get()?.['name'],
    );
    await reader.close();
    assert.equal(await asked, 'here');
  });

  it('refuses a page whose text cannot be taken', async (test) => {
    const { reader } = await startReader(test);
    const take = () => {
      throw new Error('no such position');
    };
    await assert.rejects(reader.readPage(placePage, take, unexpected), /no such position/);
  });
});

const placePage = pageOf([`SELECT 1 AS n, '"' || name || '"' AS written FROM place`]);
const textOf = ({ text }: PageText) => text;

/** A reader whose page thread is there. A table of its own connection says `here`, where the file says `there`. */
async function startReader(test: TestContext) {
  const path = join(newDataDirectory(), 'data.db');
  const database = openDatabase({ path });
  database.exec("CREATE TABLE place (name TEXT); INSERT INTO place VALUES ('there')");
  database.exec("CREATE TEMP TABLE place (name TEXT); INSERT INTO temp.place VALUES ('here')");
  const warnings: string[] = [];
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const reader = new Reader(
    database,
    new SharedTurns(systemClock),
    { path, fewestWaiting: 1 },
    ({ message }) => warnings.push(message),
  );
  test.after(() => reader.close());
  while ((await reader.readPage(placePage, textOf, unexpected)) !== '"there"') {}
  return { reader, worker: await started, warnings };
}

/** Ends the thread by an error behind what it has to do. From outside it would be ended within a statement. */
function makeFail(worker: Worker): void {
  worker.postMessage(null);
}

/** A client whose thread is ready, on a file with a table of numbers: 1, 2^53 + 1, 2^53 + 3. */
async function startClient(test: TestContext, onLost: (lost: readonly WaitingPage[]) => void = unexpected) {
  const path = join(newDataDirectory(), 'data.db');
  const database = openDatabase({ path });
  database.exec(
    'CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (9007199254740993), (9007199254740995)',
  );
  database.close();
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const client = new PageThreadClient({ path, fewestWaiting: 1 }, onLost);
  test.after(() => client.close());
  const ask = (page: WrittenPage) =>
    new Promise<PageText | undefined>((resolve, reject) => {
      const offer = () => {
        if (client.take([{ page, resolve, reject }]).length > 0) setImmediate(offer); // it is not there yet
      };
      offer();
    });
  await ask(pageOf([one]));
  return { client, ask, worker: await started };
}

/** A page of ranges by their statements, which give `n` and `written`. */
function pageOf(statements: readonly string[], changes: Partial<WrittenPage> = {}): WrittenPage {
  const ranges = statements.map((rows) => ({
    statement: {
      sql: `SELECT group_concat(written), count(*), count(written) FROM (SELECT iif(? > 0, written, NULL) AS written FROM (${rows}) LIMIT ?)`,
      form: { labels: ['"n":'], storedTypes: [] },
      end: { sql: `SELECT n FROM (${rows}) LIMIT ? OFFSET ?`, readBigInts: true },
    },
    values: [],
  }));
  return { ranges, limit: 10, maxBytes: 1000, maxRowBytes: 100, wantsNext: false, ...changes };
}

function unexpected(): never {
  throw new Error('this was not to be called');
}
