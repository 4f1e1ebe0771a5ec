// A database whose changes a test ships to an archive step by step, in one thread.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { restoreDatabase } from '../../src/archive/restoring/restore-database.js';
import { ArchiveShipper } from '../../src/archive/shipping/archive-shipper.js';
import { type NotedDatabase, noteFileStates } from '../../src/archive/shipping/file-states.js';
import { type ArchiveStore, StoreFailure } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { LogGuards } from '../../src/foundation/sqlite/log-guards.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeShippedLog, ShippedLog } from '../../src/foundation/sqlite/shipped-log.js';
import { systemClock } from '../../src/foundation/telemetry/clock.js';
import { type AppliedArchive, applyArchive } from './apply-archive.js';

const never = new AbortController().signal;

/** Settings of a bench. */
export interface BenchOptions {
  /** The size from which the log is moved although it is not shipped. */
  readonly mostLogBytes?: number;
  /** The room on the disk below which it is moved as well. */
  readonly leastRoomBytes?: number;
  /** Takes the place of the store of the archive. */
  readonly wrapStore?: (store: ArchiveStore) => ArchiveStore;
  /** The folder of the data directory, in place of one beside the archive. */
  readonly root?: string | undefined;
  /** How far the clock is ahead. */
  readonly aheadMs?: () => number;
}

/** A data directory with an open database, and its archive. */
export class ShippingBench {
  readonly #root = mkdtempSync(join(tmpdir(), 'colonnade-shipping-'));
  readonly #options: BenchOptions;
  readonly archive = join(this.#root, 'archive');
  readonly generations: string[] = [];
  #starts = 0;
  #directory: string;
  #made = 0;
  #passedMs = 0;
  #isStoreAway = false;
  #database: Database | undefined;
  #shipper: ArchiveShipper | undefined;
  #logs = logsOf();
  readonly #guards: LogGuards[] = [];

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.#directory = join(options.root ?? this.#root, 'data-0');
    mkdirSync(this.#directory);
    this.start();
  }

  get path(): string {
    return join(this.#directory, 'data.db');
  }

  get database(): Database {
    assert.ok(this.#database !== undefined);
    return this.#database;
  }

  get shipper(): ArchiveShipper {
    assert.ok(this.#shipper !== undefined);
    return this.#shipper;
  }

  get log(): ShippedLog {
    return this.#logs.data.log;
  }

  /** Starts a server on the data directory. */
  start(): void {
    this.#logs = logsOf();
    const { mostLogBytes = 1 << 30, leastRoomBytes = 0 } = this.#options;
    const { wrapStore = (store) => store, aheadMs = () => 0 } = this.#options;
    const store = new DirectoryStore(this.archive, () => randomBytes(8).toString('hex'));
    const clock = {
      nowMs: () => systemClock.nowMs() + aheadMs(),
      monotonicMs: () => systemClock.monotonicMs() + this.#passedMs,
    };
    this.#shipper = new ArchiveShipper(
      {
        dataDir: this.#directory,
        paths: { data: this.path, ops: join(this.#directory, 'ops.db') },
        files: [{ name: 'page-state.key', path: join(this.#directory, 'page-state.key') }],
        ...{ madeBy: 'a test', engine: 'embedded', keptDays: 7 },
      },
      {
        ...{ store: wrapStore(this.#thatGoesAway(store)), clock },
        random: (bytes) => randomBytes(bytes).toString('hex'),
        logs: { data: this.#logs.data.log, ops: this.#logs.ops.log },
        onGeneration: (_, reason) => this.generations.push(reason),
      },
    );
    this.#shipper.begin();
    this.#database = openDatabase({
      ...{ path: this.path, hasPageSums: true },
      // The same thread ships, so that a wait brings nothing.
      shippedLog: {
        shared: this.#logs.data.shared,
        mostLogBytes,
        leastRoomBytes,
        endWaitMs: 0,
        lookWaitMs: 0,
      },
    });
    this.#database.exec('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, value TEXT)');
    const guards = new LogGuards([this.path]);
    guards.hold();
    this.#guards.push(guards); // until the end, because this thread collects its statements at any time
  }

  /** Commits rows. */
  write(rows: number, bytes = 100): void {
    this.database.transaction(() => {
      for (let row = 0; row < rows; row += 1) {
        const id = Math.floor(Math.random() * 20_000);
        const value = randomBytes(bytes / 2).toString('hex');
        this.database.statement('INSERT OR REPLACE INTO t VALUES (?, ?)').run([id, value]);
      }
    });
  }

  /** Gives the shipping one turn. */
  turn(): Promise<boolean> {
    return this.shipper.turn(new AbortController().signal);
  }

  /** Lets time pass on the monotonic clock alone. */
  passMonotonic(ms: number): void {
    this.#passedMs += ms;
  }

  /** Ships everything, and finishes copies. */
  async shipAll(): Promise<void> {
    for (let count = 0, idle = 0; idle < 2; count += 1) {
      assert.ok(count < 1_000, `shipping does not end: ${this.shipper.status.problem}`);
      const before = JSON.stringify([this.shipper.status.databases.data.sequence, this.generations]);
      const isBusy = (await this.turn()) || this.shipper.isFailing;
      const after = JSON.stringify([this.shipper.status.databases.data.sequence, this.generations]);
      idle = isBusy || before !== after ? 0 : idle + 1;
    }
  }

  /** Ends the server as on a signal. */
  async stop(): Promise<void> {
    this.database.close();
    await this.turn();
    await this.turn();
    this.shipper.close();
  }

  /** Ends the server as on a signal, while the archive cannot be written. */
  async stopWithoutStore(): Promise<void> {
    this.#isStoreAway = true;
    await this.turn();
    await this.stop();
    this.#isStoreAway = false;
  }

  /** Continues with the files as a killed process leaves them. */
  kill(): void {
    const before = this.#directory;
    this.#starts += 1;
    this.#directory = join(this.#root, `data-${this.#starts}`);
    cpSync(before, this.#directory, { recursive: true, preserveTimestamps: true });
    this.#logs.data.log.setMode('off');
    this.database.close();
    this.shipper.close();
    rmSync(join(this.#directory, 'data.db-shm'), { force: true });
  }

  /** Continues with files of which another program has moved the log. */
  loseLog(): void {
    this.kill();
    openDatabase({ path: this.path }).close();
  }

  /** Continues with the newest state of the archive, or that of a moment, in another directory. */
  async restore(atMs?: number): Promise<void> {
    if (this.#database?.isOpen === true) this.kill();
    this.#starts += 1;
    this.#directory = join(this.#options.root ?? this.#root, `data-${this.#starts}`);
    mkdirSync(this.#directory);
    const store = new DirectoryStore(this.archive, () => randomBytes(8).toString('hex'));
    const { archive, databases } = await findMoment(store, atMs);
    const noted: NotedDatabase[] = [];
    for (const point of databases) {
      const path = join(this.#directory, `${point.database}.db`);
      noted.push({ ...(await restoreDatabase(store, point, path, { signal: never })), path });
    }
    const [first] = databases;
    assert.ok(first !== undefined);
    const problem = noteFileStates(this.#directory, { ...archive, generation: first.generation }, noted);
    assert.equal(problem, undefined);
  }

  /** Checks that a restore makes the present rows. */
  async expectRestorable(): Promise<void> {
    this.#made += 1;
    const target = join(this.#root, `restored-${this.#made}.db`);
    const store = new DirectoryStore(this.archive, () => randomBytes(8).toString('hex'));
    const [data] = (await findMoment(store)).databases;
    assert.ok(data !== undefined);
    await restoreDatabase(store, data, target, { signal: never });
    this.#expectRows(target);
  }

  #expectRows(path: string): void {
    const made = openDatabase({ path });
    try {
      assert.deepEqual(made.statement('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
      assert.equal(sumOfRows(made), sumOfRows(this.database));
    } finally {
      made.close();
    }
  }

  /** Checks that the archive has the present rows, from its newest copy or another one. */
  expectSame(copyAt = -1): AppliedArchive {
    this.#made += 1;
    const target = join(this.#root, `made-${this.#made}.db`);
    const applied = applyArchive(this.archive, 'data', target, copyAt);
    assert.ok(applied !== undefined, 'the archive has no complete copy');
    this.#expectRows(target);
    return applied;
  }

  #thatGoesAway(store: ArchiveStore): ArchiveStore {
    const write = store.write.bind(store);
    store.write = async (...given) => {
      if (this.#isStoreAway) throw new StoreFailure('the archive is away', true);
      return write(...given);
    };
    return store;
  }

  remove(): void {
    if (this.#database?.isOpen === true) this.#database.close();
    this.#shipper?.close();
    for (const guards of this.#guards) guards.close();
    rmSync(this.#root, { recursive: true });
  }
}

function sumOfRows(database: Database): string {
  const hash = createHash('sha256');
  let count = 0;
  for (const { id, value } of database.statement('SELECT id, value FROM t ORDER BY id').iterate()) {
    hash.update(`${id} ${value}\n`);
    count += 1;
  }
  return `${count} rows, ${hash.digest('hex')}`;
}

function logsOf() {
  const make = () => {
    const shared = makeShippedLog();
    return { shared, log: new ShippedLog(shared) };
  };
  return { data: make(), ops: make() };
}
