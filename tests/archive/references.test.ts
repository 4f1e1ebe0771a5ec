// Generations that begin with the state of an earlier one in place of a copy: what is restored of them, and what is
// kept and checked for them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listArchive } from '../../src/archive/contents/list-archive.js';
import { ArchiveDamaged } from '../../src/archive/format/archive-damaged.js';
import { copyName, generationName, pieceName } from '../../src/archive/format/names.js';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { bytesOfState, restoreDatabase } from '../../src/archive/restoring/restore-database.js';
import { verifyArchive } from '../../src/archive/restoring/verify-archive.js';
import { removeOld } from '../../src/archive/shipping/retention.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { ArchiveMaker } from './archive-maker.js';

const startMs = Date.UTC(2026, 10, 27, 10);
const secondsLater = (seconds: number) => startMs + seconds * 1_000;
const { signal } = new AbortController();

describe('a generation that continues another one', () => {
  const source = join(makeTemporaryDirectory(), 'data.db');
  let database: Database;
  let made = 0;

  before(() => {
    database = openDatabase({ path: source, journalMode: 'delete' });
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)');
  });
  after(() => database.close());

  /** Writes so many rows, and returns the content of the file. */
  function write(rows: number): Buffer {
    database.exec('BEGIN');
    for (let count = 0; count < rows; count += 1)
      database.exec('INSERT INTO t (content) VALUES (randomblob(2000))');
    database.exec('COMMIT');
    return readFileSync(source);
  }

  /**
   * The first generation has copies of the seconds 1 and 4, and states of the seconds 1 to 4. The second one continues
   * that of 2 from 10 on, the third one the second from 20 on, and the fourth one the third, before it had a piece,
   * from 30 on. Operations data are continued beside.
   */
  async function makeArchive() {
    const directory = makeTemporaryDirectory();
    made += 1;
    const store = new DirectoryStore(directory, () => `${made}`);
    const states = new Map<number, Buffer>();
    const begin = async (seconds: number) => {
      const maker = new ArchiveMaker(store, secondsLater(seconds));
      await maker.begin(secondsLater(seconds));
      return maker;
    };
    const ship = async (maker: ArchiveMaker, seconds: number, rows: number) => {
      states.set(seconds, write(rows));
      for (const name of ['data', 'ops'] as const) await maker.ship(name, source, secondsLater(seconds));
    };
    const copy = async (maker: ArchiveMaker, seconds: number) => {
      await maker.copy('ops', source, secondsLater(seconds));
      return maker.copy('data', source, secondsLater(seconds));
    };
    const refer = async (maker: ArchiveMaker, base: ReturnType<typeof stateOf>, seconds: number) => {
      await maker.refer('ops', base.ops, secondsLater(seconds));
      return maker.refer('data', base.data, secondsLater(seconds));
    };
    const first = await begin(0);
    await ship(first, 1, 3);
    const copies = [await copy(first, 1)];
    await ship(first, 2, 20);
    const base = stateOf(first);
    await ship(first, 3, 20);
    await ship(first, 4, 20);
    copies.push(await copy(first, 4));
    const second = await begin(10);
    const references = [await refer(second, base, 10)];
    states.set(10, base.data.content);
    await ship(second, 11, 5);
    database.exec('DELETE FROM t WHERE id > 20; VACUUM');
    await ship(second, 12, 0);
    const third = await begin(20);
    references.push(await refer(third, stateOf(second), 20));
    states.set(20, readFileSync(source));
    const fourth = await begin(30);
    references.push(await refer(fourth, stateOf(third), 30));
    states.set(30, readFileSync(source));
    await ship(fourth, 31, 60);
    const pathOf = (name = '') => join(directory, name);
    return { store, states, copies, references, makers: [first, second, third, fourth], pathOf, copy };
  }

  function stateOf(maker: ArchiveMaker) {
    return { data: maker.state('data'), ops: maker.state('ops') };
  }

  async function restore(store: DirectoryStore, seconds?: number) {
    const point = await findMoment(store, seconds === undefined ? undefined : secondsLater(seconds));
    const [data] = point.databases;
    assert.ok(data);
    const path = join(makeTemporaryDirectory(), 'restored.db');
    const shares: number[] = [];
    const watch = { signal, onProgress: (share: number) => shares.push(share) };
    const restored = await restoreDatabase(store, data, path, watch);
    assert.deepEqual([shares.toSorted((one, other) => one - other), shares.at(-1)], [shares, 1]);
    const content = readFileSync(path);
    assert.ok((await bytesOfState(store, data)) >= content.length);
    return { restored, content };
  }

  it('is restored with the state that it continues, over several generations', async () => {
    const { store, states, makers } = await makeArchive();
    for (const seconds of [1, 2, 3, 4, 10, 11, 12, 20, 30, 31]) {
      const { content, restored } = await restore(store, seconds + 0.5);
      assert.ok(content.equals(states.get(seconds) ?? Buffer.alloc(0)), `${seconds}`);
      assert.equal(restored.toMs, secondsLater(seconds));
    }
    const { restored } = await restore(store);
    assert.deepEqual([restored.generation, restored.sequence], [makers[3]?.generation, 1]);
    assert.equal(restored.sha256, makers[3]?.state('data').sha256);
    const third = (await restore(store, 20)).restored;
    assert.deepEqual(
      [third.sequence, third.sha256, third.to],
      [0, makers[2]?.state('data').sha256, undefined],
    );
  });

  it('is checked, and listed with what it continues', async () => {
    const { store, makers } = await makeArchive();
    assert.deepEqual((await verifyArchive(store, { signal })).problems, []);
    const { generations } = await listArchive(store);
    const [first, second, third] = makers.map(({ generation }) => generation);
    const ranges = generations.map(({ ranges }) => ranges[0]);
    assert.deepEqual(
      ranges.map((range) => [range?.copies, range?.continues]),
      [
        [2, undefined],
        [0, { generation: first, sequence: 2 }],
        [0, { generation: second, sequence: 2 }],
        [0, { generation: third, sequence: 0 }],
      ],
    );
    assert.deepEqual([ranges[1]?.fromMs, ranges[1]?.toMs], [secondsLater(10), secondsLater(12)]);
  });

  it('takes an earlier copy in place of a damaged one, also that which its reference leads to', async () => {
    const { store, states, copies, makers, pathOf, copy } = await makeArchive();
    const own = await copy(makers[3] ?? assert.fail(), 40);
    flip(pathOf(`${own}00000001.part`));
    const { content, restored } = await restore(store);
    assert.ok(content.equals(states.get(31) ?? Buffer.alloc(0)));
    assert.deepEqual([restored.damaged.length, restored.copy.parts], [1, 0]);
    flip(pathOf(`${copies[0]}00000001.part`));
    await assert.rejects(restore(store), /00000001\.part is damaged/);
  });

  it('is refused by the name of what is missing or another one', async () => {
    const cases: readonly (readonly [(archive: Awaited<ReturnType<typeof makeArchive>>) => void, RegExp])[] =
      [
        [
          ({ pathOf, copies }) => rmSync(pathOf(copyName(copies[0] ?? ''))),
          /copy\.json continues the generation \S+, which has no copy any more that is not later than its piece 2$/,
        ],
        [
          ({ pathOf, copies }) => writeFileSync(pathOf(copyName(copies[0] ?? '')), '{'),
          /copy\.json is damaged: its description is not JSON$/,
        ],
        [
          ({ pathOf, makers }) => rmSync(pathOf(pieceOf(makers[0], 2))),
          /data\/pieces\/000000\/0000000002\.piece is missing$/,
        ],
        [
          ({ pathOf, references }) => {
            const path = pathOf(references[1]);
            writeFileSync(path, readFileSync(path, 'utf8').replace(/"sequence": 2/, '"sequence": 1'));
          },
          /copy\.json continues the generation \S+ behind its piece 1, and that is another one than there is$/,
        ],
      ];
    for (const [damage, problem] of cases) {
      const archive = await makeArchive();
      damage(archive);
      const isDamage = (error: Error) => error instanceof ArchiveDamaged && problem.test(error.message);
      await assert.rejects(restore(archive.store, 31), isDamage, String(problem));
      const { problems } = await verifyArchive(archive.store, { signal });
      assert.match(problems.join('\n'), new RegExp(problem.source, 'm'));
    }
  });

  it('keeps what it stands on until its own copy is old enough', async () => {
    const { store, states, makers, copies, pathOf, copy } = await makeArchive();
    const last = makers[3] ?? assert.fail();
    const removeBefore = async (seconds: number) => {
      const retention = {
        fromMs: secondsLater(seconds),
        generation: last.generation,
        unfinished: new Set<string>(),
      };
      for await (const _ of removeOld(store, retention));
    };
    const expectNewest = async () => {
      const { content } = await restore(store);
      assert.ok(content.equals(states.get(31) ?? Buffer.alloc(0)));
      assert.deepEqual((await verifyArchive(store, { signal })).problems, []);
    };
    await copy(last, 40);
    await removeBefore(35);
    await expectNewest();
    assert.ok((await restore(store, 35)).content.equals(states.get(31) ?? Buffer.alloc(0)));
    assert.ok((await restore(store, 30)).content.equals(states.get(30) ?? Buffer.alloc(0)));
    assert.ok(existsSync(pathOf(copyName(copies[0] ?? ''))));
    assert.ok(!existsSync(pathOf(pieceOf(makers[0], 1))), 'what nothing needs is removed');
    await removeBefore(45);
    for (const { generation } of makers.slice(0, 3))
      assert.equal(await store.read(generationName(generation)), undefined);
    await expectNewest();
  });
});

function pieceOf(maker: ArchiveMaker | undefined, sequence: number): string {
  return pieceName(maker?.generation ?? '', 'data', sequence);
}

/** Changes the last byte of a file. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(path, bytes);
}
