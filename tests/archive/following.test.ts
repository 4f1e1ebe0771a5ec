// A follower applies the pieces of a chain: transactions as a whole, again after a kill, and never behind a gap.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ChainFollower } from '../../src/archive/following/chain-follower.js';
import type { ChainPlace } from '../../src/archive/following/follow-state.js';
import { findMoment } from '../../src/archive/restoring/find-moment.js';
import { restoreDatabase } from '../../src/archive/restoring/restore-database.js';
import { verifyArchive } from '../../src/archive/restoring/verify-archive.js';
import type { ArchiveStore } from '../../src/archive/stores/archive-store.js';
import { DirectoryStore } from '../../src/archive/stores/directory-store.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { PageWriter } from '../../src/foundation/sqlite/page-writer.js';
import { ArchiveMaker } from './archive-maker.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-following-'));
after(() => rmSync(directory, { recursive: true }));
const never = new AbortController().signal;

/** A database of a first server with its archive, and a copy that follows it. */
class Followed {
  readonly #folder = mkdtempSync(join(directory, 'f-'));
  readonly archive = join(this.#folder, 'archive');
  readonly store = new DirectoryStore(this.archive, () => 'x');
  readonly #maker = new ArchiveMaker(this.store, 1_000);
  readonly #path = join(this.#folder, 'first.db');
  readonly copy = join(this.#folder, 'copy.db');
  readonly first: Database;
  #atMs = 1_000;
  saved: ChainPlace | undefined;

  constructor() {
    this.first = openDatabase({ path: this.#path });
    this.first.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)');
    this.first.checkpoint('TRUNCATE');
  }

  async begin(): Promise<ChainPlace> {
    await this.#maker.begin(1_000);
    await this.#maker.copy('data', this.#path, 1_000);
    const { databases } = await findMoment(this.store);
    const [point] = databases;
    assert.ok(point);
    const restored = await restoreDatabase(this.store, point, this.copy, { signal: never });
    const { sequence, sha256, to, toMs, pageBytes } = restored;
    return { sequence, sha256, to, toMs, pageBytes, target: sequence };
  }

  /** Changes the first database and ships it, as two pieces if they are halves. Returns the names. */
  ship(sql: string, isHalved = false): Promise<readonly string[]> {
    this.first.exec(sql);
    this.first.checkpoint('TRUNCATE');
    this.#atMs += 1_000;
    return this.#maker.ship('data', this.#path, this.#atMs, isHalved);
  }

  follow(place: ChainPlace): { readonly follower: ChainFollower; readonly writer: PageWriter } {
    const writer = new PageWriter(this.copy, () => randomBytes(8));
    const chain = { generation: this.#maker.generation, database: 'data' } as const;
    const save = (saved: ChainPlace) => {
      this.saved = saved;
    };
    const parts = { store: this.store, chain, writer, save, monotonicMs: () => this.#atMs };
    return { follower: new ChainFollower(parts, place), writer };
  }

  rows(): number {
    const reader = openDatabase({ path: this.copy, readOnly: true, busyTimeoutMs: 1_000 });
    try {
      assert.deepEqual(reader.statement('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
      return Number(reader.statement('SELECT count(*) AS n FROM t').get()?.['n']);
    } finally {
      reader.close();
    }
  }
}

const insert = (rows: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
   INSERT INTO t (x) SELECT hex(zeroblob(400)) FROM n`;

async function replace(store: ArchiveStore, name: string, bytes: Buffer): Promise<void> {
  await store.remove(name);
  await store.write(name, bytes);
}

describe('a follower of a chain', () => {
  it('applies pieces as they come, and a transaction in several pieces as a whole', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    assert.equal(await follower.turn(never), false);
    assert.equal(followed.rows(), 0);
    await followed.ship(insert(10));
    await followed.ship(insert(10));
    await follower.turn(never);
    assert.equal(followed.rows(), 20);
    const [, second = ''] = await followed.ship(insert(100), true);
    const rest = await followed.store.read(second);
    assert.ok(rest);
    await followed.store.remove(second);
    await follower.turn(never);
    assert.equal(followed.rows(), 20, 'a part of a transaction is visible');
    await followed.store.write(second, rest);
    await follower.turn(never);
    assert.equal(followed.rows(), 120);
    assert.equal(follower.place.sequence, 4);
    writer.close();
    followed.first.close();
  });

  it('shows the commits before an unfinished transaction', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    await followed.ship(insert(10));
    const [, second = ''] = await followed.ship(insert(100), true);
    await followed.store.remove(second);
    while (await follower.turn(never));
    assert.equal(followed.rows(), 10);
    writer.close();
    followed.first.close();
  });

  it('continues where it was after an end at any place of a transaction', async () => {
    const followed = new Followed();
    const begun = await followed.begin();
    const first = followed.follow(begun);
    await followed.ship(insert(10));
    await followed.ship('DELETE FROM t WHERE id > 5');
    await first.follower.turn(never);
    first.writer.close();
    // The transaction is in the file, and the state is that of before: both pieces are applied again, in one.
    assert.equal(followed.saved?.sequence, 0);
    assert.equal(followed.saved.target, 2);
    const again = followed.follow(followed.saved);
    await again.follower.turn(never);
    assert.equal(followed.rows(), 5);
    assert.equal(again.follower.place.sequence, 2);
    again.writer.close();
    followed.first.close();
  });

  it('keeps how far a transaction reaches that could not be committed', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    await followed.ship(insert(10));
    writer.commit = () => {
      throw new Error('the disk is full');
    };
    await assert.rejects(follower.turn(never), /the disk is full/);
    assert.equal(follower.place.sequence, 0);
    assert.equal(follower.place.target, 1);
    writer.close();
    followed.first.close();
  });

  it('does not know how far it is while the directory of the archive is empty', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    renameSync(followed.archive, `${followed.archive}.away`);
    await assert.rejects(follower.turn(never), /has no generation \S+, .* is its disk mounted/);
    assert.equal(follower.upToDateMs, undefined);
    renameSync(`${followed.archive}.away`, followed.archive);
    await follower.turn(never);
    assert.equal(follower.upToDateMs, 1_000);
    writer.close();
    followed.first.close();
  });

  it('finds a gap that was there before its start, in each turn until it is closed', async () => {
    const followed = new Followed();
    const begun = await followed.begin();
    const [lost = ''] = await followed.ship(insert(10));
    await followed.ship(insert(10));
    const piece = await followed.store.read(lost);
    assert.ok(piece);
    await followed.store.remove(lost);
    const { follower, writer } = followed.follow(begun);
    for (let turns = 0; turns < 3; turns += 1) await assert.rejects(follower.turn(never), /is missing/);
    assert.equal(follower.upToDateMs, undefined);
    await followed.store.write(lost, piece);
    await follower.turn(never);
    assert.equal(followed.rows(), 20);
    writer.close();
    followed.first.close();
  });

  it('stops before a piece that is missing or damaged, names it, and continues when it is there', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    const [lost = ''] = await followed.ship(insert(10));
    await followed.ship(insert(10));
    const piece = await followed.store.read(lost);
    assert.ok(piece);
    await followed.store.remove(lost);
    const untilNoticed = async () => {
      for (let look = 0; look < 100; look += 1) await follower.turn(never);
    };
    await assert.rejects(untilNoticed, (error: Error) => error.message.startsWith(`${lost} is missing`));
    const damaged = Buffer.from(piece);
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
    await replace(followed.store, lost, damaged);
    await assert.rejects(follower.turn(never), (error: Error) =>
      error.message.startsWith(`${lost} is damaged`),
    );
    follower.rollBack();
    assert.equal(followed.rows(), 0);
    await replace(followed.store, lost, piece);
    await follower.turn(never);
    assert.equal(followed.rows(), 20);
    writer.close();
    followed.first.close();
  });

  it('ends the chain at a promotion: a late piece comes before the end, or not at all', async () => {
    const followed = new Followed();
    const { follower, writer } = followed.follow(await followed.begin());
    await followed.ship(insert(10));
    await follower.turn(never);
    await followed.ship(insert(5));
    assert.equal(await follower.finish(never), false);
    await follower.turn(never);
    assert.equal(await follower.finish(never), true);
    assert.equal(await follower.finish(never), true); // as after a promotion that failed later
    const [late = ''] = await followed.ship(insert(100));
    assert.match(late, /0000000003\.piece$/);
    await follower.turn(never);
    assert.equal(followed.rows(), 15);
    assert.deepEqual((await findMoment(followed.store)).databases[0]?.sequence, 2);
    const { problems } = await verifyArchive(followed.store, { signal: never });
    assert.deepEqual(problems, []);
    writer.close();
    followed.first.close();
  });
});
