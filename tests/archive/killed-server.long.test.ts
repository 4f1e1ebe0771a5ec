// A server that is killed at any moment under load continues its chain or begins a new generation, and its archive has
// every write that was acknowledged a while before.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { type RunningServer, startServer } from '../acceptance/start-server.js';
import { seededRandom } from '../seeded-random.js';
import { applyArchive } from './apply-archive.js';

const rounds = Number(process.env['COLONNADE_ARCHIVE_ROUNDS'] ?? 8);
const seed = Number(process.env['COLONNADE_TEST_SEED'] ?? Math.floor(Math.random() * 1e9));

describe(`a server with an archive that is killed (COLONNADE_TEST_SEED=${seed})`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-killed-'));
  after(() => rmSync(directory, { recursive: true }));
  const random = seededRandom(seed);
  const [dataDir, archive] = [join(directory, 'data'), join(directory, 'archive')];
  let rows = 0;
  /** Rows that were sent to a killed server and not acknowledged: they may be missing. */
  let uncertain = 0;

  for (let round = 1; round <= rounds; round += 1)
    it(`has its acknowledged writes in the archive (round ${round})`, async () => {
      const server = await startServer({ dataDir, args: ['--archive', archive] });
      if (round === 1) await makeTable(server.url);
      const load = new Load(server, rows);
      await sleep(500 + random.below(2_500));
      if (random.oneIn(4)) {
        // The end of a server ships everything that it acknowledged.
        await load.stop();
        await server.stop();
        rows = load.acknowledged;
        assert.ok(rowsOf(archive, directory) >= rows - uncertain, `round ${round} lost rows`);
        return;
      }
      const before = load.acknowledged;
      await load.untilShipped();
      server.signal('SIGKILL');
      await server.ended;
      await load.stop();
      rows = load.sent;
      assert.ok(rowsOf(archive, directory) >= before - uncertain, `round ${round} lost rows`);
      uncertain += load.sent - load.acknowledged;
    });
});

/** The number of rows in the newest state of the archive, whose ids are consecutive. */
function rowsOf(archive: string, directory: string): number {
  const target = join(directory, 'made.db');
  const applied = applyArchive(archive, 'data', target);
  if (applied === undefined) return 0;
  const made = openDatabase({ path: target });
  try {
    assert.deepEqual(made.statement('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
    const name = made
      .statement("SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]*' AND type = 'table'")
      .get();
    return Number(made.statement(`SELECT count(*) AS rows FROM ${name?.['name']}`).get()?.['rows']);
  } finally {
    made.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${target}${end}`, { force: true });
  }
}

async function makeTable(url: string): Promise<void> {
  await post(`${url}/v1`, { createKeyspace: { name: 'k' } });
  const definition = { columns: { id: 'int', value: 'text' }, primaryKey: 'id' };
  await post(`${url}/v1/k`, { createTable: { name: 'rows', definition } });
}

async function post(url: string, command: object): Promise<unknown> {
  const body = JSON.stringify(command);
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return reply.json();
}

/** Inserts rows one request after another until it is stopped or the server ends. */
class Load {
  readonly #url: string;
  #isStopped = false;
  #sent: number;
  #acknowledged: number;
  readonly #work: Promise<void>;

  constructor({ url }: RunningServer, from: number) {
    this.#url = url;
    this.#sent = from;
    this.#acknowledged = from;
    this.#work = this.#run();
  }

  get sent(): number {
    return this.#sent;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Waits as long as an archive may be behind on a busy machine. */
  async untilShipped(): Promise<void> {
    await sleep(2_500);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const documents = Array.from({ length: 20 }, (_, at) => ({
        id: this.#sent + at,
        value: 'x'.repeat(300),
      }));
      this.#sent += documents.length;
      try {
        await post(`${this.#url}/v1/k/rows`, { insertMany: { documents } });
      } catch {
        return; // the server ended
      }
      this.#acknowledged = this.#sent;
    }
  }
}
