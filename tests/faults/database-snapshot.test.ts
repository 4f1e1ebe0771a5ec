// Copies a database piece by piece while it is written, with commits, rollbacks and checkpoints between.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DatabaseSnapshot } from '../../src/foundation/sqlite/database-snapshot.js';
import { findLoggedPages, type LogReading } from '../../src/foundation/sqlite/logged-pages.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { seededRandom } from '../seeded-random.js';

const rounds = 30;
const pieceBytes = 8_192;

/** Nothing happens between the pieces. */
const alone: LogReading = { pieceBytes, doPiece: async (piece) => piece() };

describe('a snapshot of a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colonnade-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has one state, whatever is written meanwhile', async () => {
    for (let round = 0; round < rounds; round += 1)
      await copyBesideWriter(join(folder, `data-${round}.db`), round);
  });

  it('has no pages of a log if there is none', async () => {
    const log = join(folder, 'none.db-wal');
    assert.equal(await findLoggedPages(log, alone), undefined);
    writeFileSync(log, '');
    assert.equal(await findLoggedPages(log, alone), undefined);
  });

  it('is refused if frames of the log are damaged', async () => {
    const path = join(folder, 'damaged.db');
    const writer = openWriter(path);
    for (let count = 0; count < 5; count += 1) move(writer, 1, 2, 1);
    const log = openSync(`${path}-wal`, 'r+');
    writeSync(log, Buffer.alloc(64, 'x'), 0, 64, 200);
    closeSync(log);
    await assert.rejects(findLoggedPages(`${path}-wal`, alone), /damaged\.db-wal is damaged/);
    writer.close();
  });

  it('has the file if the log ends after it was read', async () => {
    const path = join(folder, 'restarted.db');
    const writer = openWriter(path);
    writer.exec('PRAGMA wal_checkpoint(PASSIVE)'); // the file has all of the log, which remains
    const snapshot = new DatabaseSnapshot(path);
    await snapshot.readLog(alone);
    for (let count = 0; count < 5; count += 1) move(writer, 1, 2, 1); // a new round over the one that was read
    assert.equal(commitsIn(copyOf(snapshot, path, () => {})), 0);
    await snapshot.readLog(alone);
    truncateSync(`${path}-wal`);
    assert.equal(snapshot.read(Buffer.alloc(pieceBytes), 0), pieceBytes);
    snapshot.close();
    writer.close();
  });
});

const accounts = 200;

/** Accounts whose sum is 0 in every committed state, and a number that counts the commits. */
function openWriter(path: string): Database {
  const writer = openDatabase({ path, walAutocheckpointPages: 0 });
  // Larger transactions write to the log before they end. Nothing here waits for the disk: no power failure is tested.
  writer.exec('PRAGMA cache_size = 10; PRAGMA synchronous = OFF');
  writer.exec('CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER, filling TEXT)');
  writer.exec('CREATE TABLE commits (count INTEGER); INSERT INTO commits VALUES (0)');
  const insert = writer.statement('INSERT INTO accounts VALUES (?, 0, ?)');
  writer.transaction(() => {
    for (let id = 0; id < accounts; id += 1) insert.run([id, 'x'.repeat(1000)]);
  });
  return writer;
}

function move(writer: Database, from: number, to: number, amount: number): void {
  writer.transaction(() => {
    const change = writer.statement('UPDATE accounts SET amount = amount + ? WHERE id = ?');
    change.run([-amount, from]);
    change.run([amount, to]);
    writer.exec('UPDATE commits SET count = count + 1');
  });
}

async function copyBesideWriter(path: string, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const pick = (limit: number) => random.below(limit);
  const writer = openWriter(path);
  const write = () => {
    const kind = pick(10);
    if (kind < 6) move(writer, pick(accounts), pick(accounts), pick(100));
    else if (kind < 8) writer.exec(`PRAGMA wal_checkpoint(${random.chance(0.5) ? 'PASSIVE' : 'TRUNCATE'})`);
    else {
      writer.exec("BEGIN; UPDATE accounts SET amount = 7, filling = 'y'");
      writer.exec('ROLLBACK');
    }
  };
  for (let count = pick(30); count > 0; count -= 1) write();
  const before = writer.statement('SELECT count FROM commits', { returnArrays: true }).get()?.[0];
  const snapshot = new DatabaseSnapshot(path);
  const writeSome = (most: number) => {
    for (let count = pick(most); count > 0; count -= 1) write();
  };
  writeSome(5);
  await snapshot.readLog({
    pieceBytes,
    doPiece: async (piece) => {
      const bytes = piece();
      writeSome(4);
      return bytes;
    },
  });
  const copy = copyOf(snapshot, path, () => writeSome(4));
  snapshot.close();
  const copied = openDatabase({ path: copy, readOnly: true });
  const one = (sql: string) => copied.statement(sql, { returnArrays: true }).get()?.[0];
  assert.equal(one('PRAGMA journal_mode'), 'delete');
  assert.equal(one('PRAGMA integrity_check'), 'ok', `seed ${seed}`);
  assert.equal(one('SELECT sum(amount) FROM accounts'), 0, `seed ${seed}`);
  assert.equal(one("SELECT count(*) FROM accounts WHERE filling LIKE 'x%'"), accounts, `seed ${seed}`);
  assert.ok(Number(one('SELECT count FROM commits')) >= Number(before), `seed ${seed}`);
  copied.close();
  writer.close();
}

/** The path of a copy of a snapshot. */
function copyOf(snapshot: DatabaseSnapshot, path: string, betweenPieces: () => void): string {
  const copy = `${path}-copy`;
  const target = openSync(copy, 'w');
  const piece = Buffer.alloc(pieceBytes);
  for (let at = 0; ; ) {
    const read = snapshot.read(piece, at);
    if (read === 0) break;
    writeSync(target, piece, 0, read, at);
    at += read;
    betweenPieces();
  }
  closeSync(target);
  return copy;
}

function commitsIn(path: string): unknown {
  const database = openDatabase({ path, readOnly: true });
  const count = database.statement('SELECT count FROM commits', { returnArrays: true }).get()?.[0];
  database.close();
  return count;
}
