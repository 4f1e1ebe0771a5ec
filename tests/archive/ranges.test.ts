// The moments of an archive, read again and again while it grows: what is known already is not read again.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { AskedRanges, RangesNotRead } from '../../src/archive/contents/asked-ranges.js';
import { RangeReader, type RangesOrProblem } from '../../src/archive/contents/range-reader.js';
import { generationName } from '../../src/archive/format/names.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { ArchiveMaker } from './archive-maker.js';

const source = join(makeTemporaryDirectory(), 'data.db');
const database = openDatabase({ path: source, journalMode: 'delete' });
database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)');
after(() => database.close());
const { signal } = new AbortController();

/** Counts what is read. */
class CountingStore extends DirectoryStore {
  pieces = 0;
  others = 0;

  override read(name: string, ofCall?: AbortSignal) {
    if (name.endsWith('.piece')) this.pieces += 1;
    else this.others += 1;
    return super.read(name, ofCall);
  }
}

function arrange() {
  const directory = makeTemporaryDirectory();
  const store = new CountingStore(directory, () => 'x');
  const state = { now: 0 };
  return { directory, store, state, reader: new RangeReader(store, { monotonicMs: () => state.now }) };
}

async function begin(store: DirectoryStore, madeMs: number): Promise<ArchiveMaker> {
  const maker = new ArchiveMaker(store, madeMs);
  await maker.begin(madeMs);
  return maker;
}

async function ship(maker: ArchiveMaker, atMs: number): Promise<void> {
  database.exec('INSERT INTO t (content) VALUES (randomblob(2000))');
  await maker.ship('data', source, atMs);
}

function rangesIn(read: RangesOrProblem) {
  if ('problem' in read) assert.fail(read.problem);
  return read.ranges;
}

it('ranges are those that a restore can make, and a later look reads few pieces', async () => {
  const { store, reader } = arrange();
  const maker = await begin(store, 1_000);
  const [nothing] = rangesIn(await reader.read(signal)).generations;
  assert.deepEqual(nothing?.ranges[0], {
    ...{ database: 'data', fromMs: undefined, toMs: undefined, copies: 0, lastPiece: 0 },
  });
  await ship(maker, 2_000);
  await maker.copy('data', source, 2_000);
  for (let count = 1; count <= 100; count += 1) await ship(maker, 2_000 + count);
  const dataOf = async () => rangesIn(await reader.read(signal)).generations[0]?.ranges[0];
  const range = { database: 'data', fromMs: 2_000, copies: 1 };
  assert.deepEqual(await dataOf(), { ...range, toMs: 2_100, lastPiece: 101 });
  store.pieces = 0;
  await ship(maker, 3_000);
  assert.deepEqual(await dataOf(), { ...range, toMs: 3_000, lastPiece: 102 });
  // Each search ends with looks for pieces that are not there.
  assert.ok(store.pieces <= 5, `${store.pieces} pieces`);
});

it('only the first and the last of many copies are read, and none of them again', async () => {
  const { store, reader } = arrange();
  const maker = await begin(store, 1_000);
  const days = 40;
  for (let day = 1; day <= days; day += 1) {
    await maker.copy('data', source, day * 10_000);
    await ship(maker, day * 10_000 + 5_000);
    await ship(maker, day * 10_000 + 6_000);
  }
  const look = async () => {
    [store.pieces, store.others] = [0, 0];
    return rangesIn(await reader.read(signal)).generations.at(-1)?.ranges[0];
  };
  const range = { database: 'data', fromMs: 10_000, toMs: 406_000, copies: days, lastPiece: 2 * days };
  assert.deepEqual(await look(), range);
  // The descriptions of the archive, of the generation, and of two copies; the pieces from the last copy on.
  assert.deepEqual([store.others, store.pieces <= 8], [4, true], `${store.pieces} pieces`);
  assert.deepEqual(await look(), range);
  assert.deepEqual([store.others, store.pieces <= 5], [1, true], `${store.pieces} pieces`);
  await maker.copy('data', source, 500_000);
  assert.deepEqual(await look(), { ...range, toMs: 500_000, copies: days + 1 });
  assert.equal(store.others, 2);
});

it('an earlier generation is read to its end once, and then only for what was removed', async () => {
  const { directory, store, state, reader } = arrange();
  const maker = await begin(store, 1_000);
  const folder = await maker.copy('data', source, 2_000);
  await ship(maker, 3_000);
  const look = async () => {
    [store.pieces, store.others] = [0, 0];
    return rangesIn(await reader.read(signal)).generations.at(-1)?.ranges[0];
  };
  assert.equal((await look())?.lastPiece, 1);
  await maker.copy('data', source, 4_000);
  await ship(maker, 5_000); // after the last look while it was the newest one
  await begin(store, 6_000);
  const range = { database: 'data', fromMs: 2_000, toMs: 5_000, copies: 2, lastPiece: 2 };
  assert.deepEqual(await look(), range);
  rmSync(join(directory, folder), { recursive: true });
  assert.deepEqual(await look(), range);
  state.now = 60_000;
  assert.deepEqual(await look(), { ...range, fromMs: 4_000, copies: 1 });
  assert.ok(store.pieces <= 2, `${store.pieces} pieces`); // those that the newest generation does not have
});

it('the newest generations are listed, and earlier ones are read once in a minute', async () => {
  const { directory, store, state, reader } = arrange();
  for (let at = 1; at <= 53; at += 1) await begin(store, at * 1_000);
  const { generations, olderCount } = rangesIn(await reader.read(signal));
  assert.deepEqual([generations.length, olderCount], [50, 3]);
  assert.equal(generations[0]?.description?.madeMs, 53_000);
  assert.equal(generations.at(-1)?.description?.madeMs, 4_000);
  const [, second] = generations;
  rmSync(join(directory, generationName(second?.generation ?? '')));
  store.others = 0;
  assert.equal(rangesIn(await reader.read(signal)).generations[1]?.problem, undefined);
  assert.ok(store.others < 5, `${store.others} objects`);
  state.now = 60_000;
  assert.equal(rangesIn(await reader.read(signal)).generations.length, 50);
});

it('a damaged generation hides no other, and problems are sentences', async () => {
  const { directory, store, reader } = arrange();
  assert.match(problemIn(await reader.read(signal)), /is not an archive: it has no archive.json/);
  await begin(store, 1_000);
  const second = await begin(store, 2_000);
  rmSync(join(directory, generationName(second.generation)));
  const [newest, other] = rangesIn(await reader.read(signal)).generations;
  assert.match(newest?.problem ?? '', /generation.json is missing/);
  assert.deepEqual([newest?.description, other?.problem], [undefined, undefined]);
});

it('calls at the same time share one reading', async () => {
  let asked = 0;
  const ranges = new AskedRanges(() => {
    asked += 1;
  });
  const calls = [ranges.read(), ranges.read()];
  assert.equal(asked, 1);
  ranges.answer({ problem: 'it is away' });
  for (const call of calls) await assert.rejects(call, /it is away/);
  const last = ranges.read();
  assert.equal(asked, 2);
  ranges.end();
  await assert.rejects(last, RangesNotRead);
  await assert.rejects(ranges.read(), RangesNotRead);
});

it('the end of the thread ends a reading', async () => {
  const { store, reader } = arrange();
  await begin(store, 1_000);
  assert.match(problemIn(await reader.read(AbortSignal.abort())), /is not waited for any more/);
});

function problemIn(read: RangesOrProblem): string {
  return 'problem' in read ? read.problem : assert.fail('it was read');
}
