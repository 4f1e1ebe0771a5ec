// Checks the recordings that wait while the disk is full: their order, their limits and their cost.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { OpsError } from '../errors/ops-error.js';
import { Store, storeMigrations } from './store.js';
import type { Expendable, RecordingNature } from './waiting-recordings.js';

/** A store whose disk is full when a test requests it; each recording writes a row. */
function openStore(limitBytes?: number) {
  const database = openDatabase({ path: ':memory:' });
  database.exec('CREATE TABLE things (number INTEGER PRIMARY KEY, name TEXT NOT NULL)');
  for (const { sql } of storeMigrations) database.exec(sql);
  const logged: string[] = [];
  const logger = createLogger('silent');
  logger.error = (_: unknown, message?: string) => void logged.push(String(message));
  const store = new Store(database, logger, limitBytes);
  const { transaction } = database;
  const disk = { isFull: false, attempts: 0 };
  const rowsWritten = () => Number(database.statement('SELECT total_changes() AS n').get()?.['n']);
  database.transaction = (work) => {
    disk.attempts += 1;
    return transaction.call(database, () => {
      const before = rowsWritten();
      const result = work();
      // Like a real disk: a transaction that writes nothing is not refused.
      if (disk.isFull && rowsWritten() > before) throw new DatabaseFailure('full', 'disk full');
      return result;
    }) as ReturnType<typeof work>;
  };
  return {
    store,
    disk,
    logged,
    record: (name: string, nature?: RecordingNature) =>
      store.record((each) => void each.statement('INSERT INTO things (name) VALUES (?)').run([name]), nature),
    names: () =>
      store
        .read((each) => each.statement('SELECT name FROM things ORDER BY number').all())
        .map((row) => row['name']),
  };
}

const expendable = (kind: Expendable, sizeBytes = 100) => ({ expendable: kind, sizeBytes });

/** Fills the disk, and lets the store notice it. */
async function fillDisk({ store, disk, record }: ReturnType<typeof openStore>): Promise<void> {
  disk.isFull = true;
  record('first');
  await store.recorded();
  assert.equal(store.isWritable, false);
}

describe('a store whose disk is full', () => {
  it('writes in order what waited', async () => {
    const bench = openStore();
    await fillDisk(bench);
    bench.record('second');
    bench.disk.isFull = false;
    bench.store.tick();
    assert.deepEqual(bench.names(), ['first', 'second']);
    assert.equal(bench.store.isWritable, true);
    assert.equal(bench.store.waitingCount, 0);
  });

  it('reads and records without trying to write; the tick tries, less often when much waits', async () => {
    const bench = openStore();
    await fillDisk(bench);
    const before = bench.disk.attempts;
    for (let at = 0; at < 5000; at += 1) bench.record('more');
    await bench.store.recorded();
    assert.deepEqual(bench.names(), []);
    assert.equal(bench.disk.attempts, before);
    for (let second = 0; second < 30; second += 1) bench.store.tick();
    assert.equal(bench.disk.attempts - before, 10, 'every third second');
  });

  it('gives up samples first, then deliveries, then events, the oldest of each first, and says so once', async () => {
    const bench = openStore(500);
    await fillDisk(bench);
    const lost: string[] = [];
    const kinds: readonly Expendable[] = ['event', 'sample', 'delivery'];
    for (const kind of kinds) {
      for (const at of [1, 2]) {
        const name = `${kind} ${at}`;
        bench.record(name, { ...expendable(kind), onLoss: () => lost.push(name) });
      }
    }
    assert.deepEqual(lost, ['sample 1']);
    for (const name of ['a', 'b', 'c', 'd']) bench.record(name, expendable('event'));
    assert.deepEqual(lost, ['sample 1', 'sample 2', 'delivery 1', 'delivery 2', 'event 1']);
    assert.deepEqual(bench.store.losses, { sample: 2, delivery: 2, event: 1 });
    assert.equal(bench.logged.length, 2, bench.logged.join('; '));
    bench.disk.isFull = false;
    bench.store.tick();
    assert.deepEqual(bench.names(), ['first', 'event 2', 'a', 'b', 'c', 'd']);
  });

  it('gives up nothing to make room for states, and no states', async () => {
    const bench = openStore(500);
    await fillDisk(bench);
    for (let at = 0; at < 10; at += 1) bench.record(`state ${at}`, { key: `state ${at}`, sizeBytes: 400 });
    for (let at = 0; at < 5; at += 1) bench.record(`event ${at}`, expendable('event'));
    assert.deepEqual(bench.store.losses, { sample: 0, delivery: 0, event: 0 });
    bench.record('sample', { ...expendable('sample'), key: 'a' });
    bench.record('no sample', { key: 'a', sizeBytes: 400 });
    bench.record('event 5', { ...expendable('event'), key: 'b' });
    bench.record('event 5 again', { ...expendable('event', 200), key: 'b' });
    assert.deepEqual(bench.store.losses, { sample: 1, delivery: 0, event: 2 });
  });

  it('gives up nothing as long as the disk takes it, however much one turn records', async () => {
    const bench = openStore(500);
    for (let at = 0; at < 10; at += 1) bench.record(`event ${at}`, expendable('event'));
    await bench.store.recorded();
    assert.equal(bench.names().length, 10);
    assert.deepEqual(bench.store.losses, { sample: 0, delivery: 0, event: 0 });
    bench.disk.isFull = true;
    for (let at = 0; at < 10; at += 1) bench.record(`late ${at}`, expendable('event'));
    await bench.store.recorded();
    assert.deepEqual(bench.store.losses, { sample: 0, delivery: 0, event: 5 });
  });

  it('keeps states however large they are, each once', async () => {
    const bench = openStore(1000);
    await fillDisk(bench);
    for (let at = 0; at < 100; at += 1) bench.record(`state ${at}`, { key: 'one', sizeBytes: 400 });
    for (let at = 0; at < 10; at += 1) bench.record(`other ${at}`, { key: `other ${at}`, sizeBytes: 400 });
    assert.equal(bench.store.waitingCount, 12);
    bench.disk.isFull = false;
    bench.store.tick();
    assert.deepEqual(bench.names().slice(0, 3), ['first', 'state 99', 'other 0']);
  });

  it('forgets what was created and deleted meanwhile, and not what existed before', async () => {
    const bench = openStore();
    await fillDisk(bench);
    bench.record('came', { key: 'a', change: 'new' });
    bench.record('changed', { key: 'a' });
    bench.record('went', { key: 'a', change: 'gone' });
    bench.record('went too', { key: 'b', change: 'gone' });
    bench.disk.isFull = false;
    bench.store.tick();
    assert.deepEqual(bench.names(), ['first', 'went too']);
  });

  it('does not forget a deletion after which something was created and deleted again', async () => {
    const bench = openStore();
    await fillDisk(bench);
    for (const change of ['gone', 'new', 'gone'] as const) bench.record(change, { key: 'a', change });
    bench.disk.isFull = false;
    bench.store.tick();
    assert.deepEqual(bench.names(), ['first', 'gone']);
  });

  it('does not count as writable because there is nothing to write', async () => {
    const bench = openStore();
    bench.disk.isFull = true;
    bench.record('came', { key: 'a', change: 'new' });
    await bench.store.recorded();
    bench.record('went', { key: 'a', change: 'gone' });
    bench.store.tick();
    assert.equal(bench.store.isWritable, false);
    bench.disk.isFull = false;
    bench.store.tick();
    assert.equal(bench.store.isWritable, true);
  });

  it('refuses changes without trying, while it pauses because much waits', async () => {
    const bench = openStore();
    await fillDisk(bench);
    for (let at = 0; at < 5000; at += 1) bench.record('more');
    bench.store.tick();
    const before = bench.disk.attempts;
    const change = () =>
      bench.store.change((each) => each.exec("INSERT INTO things (name) VALUES ('change')"));
    for (let at = 0; at < 10; at += 1) {
      assert.throws(change, (error) => error instanceof OpsError && error.refusal === 'Unavailable');
    }
    assert.equal(bench.disk.attempts, before);
    bench.disk.isFull = false;
    for (let second = 0; second < 4; second += 1) bench.store.tick();
    change();
    assert.equal(bench.names().length, 5002);
  });

  it('refuses changes until what waits is written', async () => {
    const bench = openStore();
    await fillDisk(bench);
    const change = () =>
      bench.store.change((each) => each.exec("INSERT INTO things (name) VALUES ('change')"));
    assert.throws(change, (error) => error instanceof OpsError && error.refusal === 'Unavailable');
    bench.disk.isFull = false;
    change();
    assert.deepEqual(bench.names(), ['first', 'change']);
  });

  it('takes changes again when all that waited has cancelled out', async () => {
    const bench = openStore();
    bench.disk.isFull = true;
    bench.record('came', { key: 'a', change: 'new' });
    await bench.store.recorded();
    bench.record('went', { key: 'a', change: 'gone' });
    bench.disk.isFull = false;
    bench.store.change((each) => each.exec("INSERT INTO things (name) VALUES ('change')"));
    assert.deepEqual(bench.names(), ['change']);
  });
});
