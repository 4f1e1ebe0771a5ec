// Databases that are restored from archives, and archives that cannot be.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findWholePiece } from '../../src/archive/contents/find-pieces.js';
import { listArchive } from '../../src/archive/contents/list-archive.js';
import { ArchiveDamaged } from '../../src/archive/format/archive-damaged.js';
import { pieceName } from '../../src/archive/format/names.js';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { restoreDatabase } from '../../src/archive/restoring/restore-database.js';
import { verifyArchive } from '../../src/archive/restoring/verify-archive.js';
import { removeOld } from '../../src/archive/shipping/retention.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { findSums } from '../../src/foundation/sqlite/page-sums.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { ArchiveMaker } from './archive-maker.js';

const startMs = Date.UTC(2026, 10, 27, 10);
const secondsLater = (seconds: number) => startMs + seconds * 1_000;
const { signal } = new AbortController();

describe('a restore from an archive', () => {
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
      database.exec(`INSERT INTO t (content) VALUES (randomblob(2000))`);
    database.exec('COMMIT');
    return readFileSync(source);
  }

  /** An archive with a copy after piece 1, a state at each of the seconds 1 to 4, and another copy at 4. */
  async function makeArchive() {
    const directory = makeTemporaryDirectory();
    made += 1;
    const store = new DirectoryStore(directory, () => `${made}`);
    const maker = new ArchiveMaker(store, startMs);
    await maker.begin(startMs);
    const states = [write(3)];
    const names = [...(await maker.ship('data', source, secondsLater(1)))];
    const copies = [await maker.copy('data', source, secondsLater(1))];
    const fuzzy = maker.next('data');
    for (const [seconds, isHalved] of [
      [2, false],
      [3, true],
      [4, false],
    ] as const) {
      states.push(write(20));
      names.push(...(await maker.ship('data', source, secondsLater(seconds), isHalved)));
    }
    copies.push(await maker.copy('data', source, secondsLater(4), fuzzy));
    const pathOf = (name = '') => join(directory, name);
    return { directory, store, maker, states, names, copies, pathOf };
  }

  async function restore(store: DirectoryStore, atMs?: number) {
    const point = await findMoment(store, atMs);
    const [data] = point.databases;
    assert.ok(data);
    const path = join(makeTemporaryDirectory(), 'restored.db');
    const restored = await restoreDatabase(store, data, path, { signal });
    return { path, restored, content: readFileSync(path) };
  }

  it('makes the state of each moment, with the checksums of its pages', async () => {
    const { store, states } = await makeArchive();
    for (const [atMs, state] of [
      [secondsLater(1), 0],
      [secondsLater(2.9), 1],
      [secondsLater(3), 2],
      [secondsLater(3.5), 2],
      [undefined, 3],
    ] as const) {
      const { path, content, restored } = await restore(store, atMs);
      assert.ok(content.equals(states[state] ?? Buffer.alloc(0)), `${atMs}`);
      assert.equal(restored.toMs, secondsLater(state + 1));
      assert.equal(findSums(path).kind, 'usable');
    }
  });

  it('makes a file that became shorter', async () => {
    const { store, maker } = await makeArchive();
    database.exec('DELETE FROM t WHERE id > 10; VACUUM');
    await maker.ship('data', source, secondsLater(5));
    assert.ok((await restore(store)).content.equals(readFileSync(source)));
  });

  it('says from when on there are states, and what is not an archive', async () => {
    const { store } = await makeArchive();
    await assert.rejects(
      findMoment(store, secondsLater(0.5)),
      /has no state of 2026-11-27T10:00:00\.500Z: the first moment that it has is 2026-11-27T10:00:01\.000Z$/,
    );
    const empty = new DirectoryStore(makeTemporaryDirectory(), () => 'x');
    await assert.rejects(findMoment(empty), /is not an archive: it has no archive\.json/);
    await new ArchiveMaker(empty, startMs).begin(startMs);
    await assert.rejects(
      findMoment(empty),
      /has nothing to restore: no generation of it has a complete copy/,
    );
  });

  it('refuses a damaged or missing object by its name', async () => {
    const cases: readonly (readonly [(archive: Awaited<ReturnType<typeof makeArchive>>) => void, RegExp])[] =
      [
        [
          ({ pathOf, names }) => rmSync(pathOf(names[3])),
          /data\/pieces\/000000\/0000000004\.piece is missing$/,
        ],
        [
          ({ pathOf, names }) => flip(pathOf(names[1])),
          /0000000002\.piece is damaged: its content does not have/,
        ],
        [
          ({ pathOf, copies }) => {
            for (const copy of copies) flip(pathOf(`${copy}00000002.part`));
          },
          /00000002\.part is damaged: /,
        ],
        [
          ({ pathOf, copies }) => {
            for (const copy of copies) rmSync(pathOf(`${copy}00000001.part`));
          },
          /00000001\.part is missing$/,
        ],
        [
          ({ pathOf, copies, names }) => {
            rmSync(pathOf(`${copies[1]}00000001.part`));
            flip(pathOf(names[1])); // which the copy before needs
          },
          /0000000002\.piece is damaged: its content does not have/,
        ],
        [
          ({ pathOf, names }) => rmSync(pathOf(names[4])),
          /data\/pieces\/000000\/0000000005\.piece is missing$/,
        ],
      ];
    for (const [damage, problem] of cases) {
      const archive = await makeArchive();
      damage(archive);
      const damaged = (error: Error) => error instanceof ArchiveDamaged && problem.test(error.message);
      await assert.rejects(restore(archive.store), damaged, String(problem));
      const { problems } = await verifyArchive(archive.store, { signal });
      assert.match(problems.join('\n'), new RegExp(problem.source.replace(/\$$/, ''), 'm'));
    }
  });

  it('makes the state of a damaged copy from the one before', async () => {
    const damages: readonly ((folder: string) => void)[] = [
      (folder) => flip(`${folder}00000001.part`),
      (folder) => flip(`${folder}00000002.part`),
      (folder) => rmSync(`${folder}00000002.part`),
      (folder) => flip(`${folder}copy.json`),
    ];
    for (const damage of damages) {
      const { store, states, copies, pathOf } = await makeArchive();
      damage(pathOf(copies[1]));
      for (const atMs of [secondsLater(4), undefined]) {
        const { content, restored, path } = await restore(store, atMs);
        assert.ok(content.equals(states[3] ?? Buffer.alloc(0)));
        assert.equal(restored.copy.folder, copies[0]);
        assert.equal(restored.damaged.length, 1);
        assert.ok(restored.damaged[0]?.startsWith(copies[1] ?? '-'), restored.damaged[0]);
        assert.equal(findSums(path).kind, 'usable');
      }
      const { problems, pieces } = await verifyArchive(store, { signal });
      assert.equal(problems.length, 1, problems.join());
      assert.equal(pieces, 4); // those behind the first copy
    }
  });

  describe('with damage after a moment', () => {
    /** Restores each second from 1 to 4 that is whole, and returns the problems of the others. */
    async function restoreMoments({ store, states }: Awaited<ReturnType<typeof makeArchive>>) {
      const problems: (string | undefined)[] = [];
      for (const [at, state] of states.entries()) {
        const restoring = restore(store, secondsLater(at + 1.5));
        const problem = await restoring.then(
          ({ content }) => {
            assert.ok(content.equals(state), `the state of the second ${at + 1}`);
            return undefined;
          },
          (error) => {
            assert.ok(error instanceof ArchiveDamaged, String(error));
            return error.message.replace(/^.*\//, '').replace(/ .*/, '');
          },
        );
        problems.push(problem);
      }
      return problems;
    }

    it('makes every state that a sound piece or the description of a damaged one follows', async () => {
      const archive = await makeArchive();
      const [, second, , fourth, fifth] = archive.names;
      // The pages of the piece 4 are damaged, and the piece 5 names its description. The copy has nothing else.
      flip(archive.pathOf(fourth));
      const problem = '0000000004.piece';
      assert.deepEqual(await restoreMoments(archive), [undefined, undefined, problem, problem]);
      flip(archive.pathOf(fifth)); // its description is sound, and names that of the piece 4 still
      assert.deepEqual(await restoreMoments(archive), [undefined, undefined, problem, '0000000005.piece']);
      flip(archive.pathOf(second));
      const piece2 = '0000000002.piece';
      assert.deepEqual(await restoreMoments(archive), [undefined, piece2, piece2, piece2]);
    });

    it('refuses moments of which nobody knows whether the damaged piece is earlier', async () => {
      const archive = await makeArchive();
      const [, second, third] = archive.names;
      const problem = '0000000003.piece';
      const damages = [() => writeFileSync(archive.pathOf(third), ''), () => rmSync(archive.pathOf(third))];
      for (const damage of damages) {
        damage();
        assert.deepEqual(await restoreMoments(archive), [undefined, problem, problem, problem]);
        // Everything that was committed until the time of the piece 2 is in it.
        const { content } = await restore(archive.store, secondsLater(2));
        assert.ok(content.equals(archive.states[1] ?? Buffer.alloc(0)));
      }
      rmSync(archive.pathOf(second));
      assert.equal((await restoreMoments(archive))[0], '0000000002.piece');
      // The first copy says that it has the state of this moment.
      const { content } = await restore(archive.store, secondsLater(1));
      assert.ok(content.equals(archive.states[0] ?? Buffer.alloc(0)));
    });

    it('does without the description of a copy', async () => {
      const archive = await makeArchive();
      writeFileSync(archive.pathOf(`${archive.copies[1]}copy.json`), '{');
      assert.deepEqual(await restoreMoments(archive), [undefined, undefined, undefined, undefined]);
      // Without another copy before a moment, the damaged one may have had its state.
      writeFileSync(archive.pathOf(`${archive.copies[0]}copy.json`), '{');
      assert.deepEqual(
        await restoreMoments(archive),
        Array.from({ length: 4 }, () => 'copy.json'),
      );
    });

    it('finds the last piece of any number of pieces before a damaged one', async () => {
      const directory = makeTemporaryDirectory();
      const store = new DirectoryStore(directory, () => 'x');
      const maker = new ArchiveMaker(store, startMs);
      const chain = { generation: maker.generation, database: 'data' } as const;
      await maker.begin(startMs);
      const names: string[] = [];
      for (let count = 1; count <= 9; count += 1)
        names.push(...(await maker.ship('data', source, secondsLater(count))));
      for (const [at, name] of names.entries()) {
        const sound = readFileSync(join(directory, name));
        for (const damaged of [Buffer.alloc(0), sound.subarray(0, -1)]) {
          writeFileSync(join(directory, name), damaged);
          const isKnown = damaged.length > 0 && at + 1 < names.length;
          for (let wanted = 1; wanted < at + (isKnown ? 1 : 0); wanted += 1) {
            const last = await findWholePiece(store, chain, { from: 1, atMs: secondsLater(wanted + 0.5) });
            assert.equal(last?.sequence, wanted, `${wanted} of ${at}`);
          }
          const wanted = at + (isKnown ? 1 : 0);
          await assert.rejects(
            findWholePiece(store, chain, { from: 1, atMs: secondsLater(wanted + 0.5) }),
            (error: Error) => error.message.startsWith(name),
            `${wanted} of ${at}`,
          );
        }
        writeFileSync(join(directory, name), sound);
      }
    });
  });

  it('finds nothing wrong with a sound archive, and lists what it has', async () => {
    const { store } = await makeArchive();
    const found = await verifyArchive(store, { signal });
    assert.deepEqual(found, { generations: 1, copies: 2, pieces: 4, problems: [], others: [] });
    const { generations } = await listArchive(store);
    assert.deepEqual(generations[0]?.ranges, [
      { database: 'data', fromMs: secondsLater(1), toMs: secondsLater(4), copies: 2, lastPiece: 5 },
      { database: 'ops', fromMs: undefined, toMs: undefined, copies: 0, lastPiece: 0 },
    ]);
  });

  it('finds every damaged piece, also after another one', async () => {
    const { store, names, pathOf } = await makeArchive();
    flip(pathOf(names[1]));
    flip(pathOf(names[4]));
    rmSync(pathOf(names[3]));
    const { problems, pieces } = await verifyArchive(store, { signal });
    assert.deepEqual(
      problems.map((problem) => problem.replace(/^.*\//, '')),
      [
        '0000000002.piece is damaged: its content does not have its checksum',
        '0000000004.piece is missing',
        '0000000005.piece is damaged: its content does not have its checksum',
      ],
    );
    assert.equal(pieces, 1);
  });

  it('passes over folders and files of others', async () => {
    const { store, states, maker } = await makeArchive();
    const folder = `generations/${maker.generation}/data`;
    for (const name of [
      ...['generations/lost+found/x', 'generations/~backup/y', `${folder}/copies/old/copy.json`],
      ...[`${folder}/pieces/000000/0000000006.piece.bak`, `generations/${maker.generation}/files/a`],
    ])
      await store.write(name, Buffer.from('of others'));
    assert.ok((await restore(store)).content.equals(states[3] ?? Buffer.alloc(0)));
    const { problems, others } = await verifyArchive(store, { signal });
    assert.deepEqual(problems, []);
    assert.deepEqual(others, ['generations/lost+found/', 'generations/~backup/']);
    assert.deepEqual((await listArchive(store)).others, others);
    for await (const _ of removeOld(store, {
      ...{ fromMs: secondsLater(1_000), generation: maker.generation, unfinished: new Set() },
    }));
    for (const name of ['lost+found/x', '~backup/y']) assert.ok(await store.read(`generations/${name}`));
    assert.equal(await store.read(pieceName(maker.generation, 'data', 1)), undefined);
  });

  it('finds the last piece of any number of pieces', async () => {
    const directory = makeTemporaryDirectory();
    const store = new DirectoryStore(directory, () => 'x');
    const maker = new ArchiveMaker(store, startMs);
    const chain = { generation: maker.generation, database: 'data' } as const;
    await maker.begin(startMs);
    for (let count = 1; count <= 40; count += 1) {
      await maker.ship('data', source, secondsLater(count));
      for (const wanted of [1, Math.ceil(count / 2), count]) {
        const last = await findWholePiece(store, chain, { from: 1, atMs: secondsLater(wanted) });
        assert.equal(last?.sequence, wanted);
      }
    }
    assert.equal(await findWholePiece(store, chain, { from: 1, atMs: startMs }), undefined);
  });
});

/** Changes the last byte of a file. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(path, bytes);
}
