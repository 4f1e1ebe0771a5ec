// Copies the files of a database piece by piece while it is written, with commits, rollbacks and checkpoints between.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { copyLog, type LogCopying } from '../../src/foundation/sqlite/copy-log.js';
import { applyLog, type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { seededRandom } from '../seeded-random.js';

const rounds = 30;
const pieceBytes = 8_192;

/** Nothing happens between the pieces. */
const alone: LogCopying = { pieceBytes, doPiece: async (piece) => piece() };

describe('a copy of a database file with its log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colonnade-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has one state, whatever is written meanwhile', async () => {
    for (let round = 0; round < rounds; round += 1)
      await copyBesideWriter(join(folder, `data-${round}.db`), round);
  });

  it('has no log if there is none', async () => {
    const path = join(folder, 'none.db-wal');
    assert.equal(await copyLog(path, join(folder, 'copy-wal'), alone), false);
    writeFileSync(path, '');
    assert.equal(await copyLog(path, join(folder, 'copy-wal'), alone), false);
  });

  it('is refused if frames of the log are damaged', async () => {
    const path = join(folder, 'damaged.db');
    const writer = openWriter(path);
    for (let count = 0; count < 5; count += 1) move(writer, 1, 2, 1);
    const log = openSync(`${path}-wal`, 'r+');
    writeSync(log, Buffer.alloc(64, 'x'), 0, 64, 200);
    closeSync(log);
    await assert.rejects(
      copyLog(`${path}-wal`, join(folder, 'damaged-copy'), alone),
      /damaged\.db-wal is damaged/,
    );
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
  const reader = openDatabase({ path, readOnly: true });
  reader.exec('BEGIN');
  const [before] = reader.statement('SELECT count FROM commits', { returnArrays: true }).get() ?? [];
  // In this process it must stay open while SQLite has locks on the file.
  const source = openSync(path, 'r');
  for (let count = pick(5); count > 0; count -= 1) write();
  const copy = `${path}-copy`;
  await copyLog(`${path}-wal`, `${copy}-wal`, {
    pieceBytes,
    doPiece: async (piece) => {
      const bytes = piece();
      for (let count = pick(4); count > 0; count -= 1) write();
      return bytes;
    },
  });
  const target = openSync(copy, 'w');
  const piece = Buffer.alloc(pieceBytes);
  for (let at = 0; ; ) {
    const read = readSync(source, piece, 0, pieceBytes, at);
    if (read === 0) break;
    writeSync(target, piece, 0, read, at);
    at += read;
    for (let count = pick(4); count > 0; count -= 1) write();
  }
  closeSync(target);
  reader.endReading();
  reader.close();
  closeSync(source);
  applyLog(copy);
  const copied = openDatabase({ path: copy, journalMode: 'delete' });
  const one = (sql: string) => copied.statement(sql, { returnArrays: true }).get()?.[0];
  assert.equal(one('PRAGMA integrity_check'), 'ok', `seed ${seed}`);
  assert.equal(one('SELECT sum(amount) FROM accounts'), 0, `seed ${seed}`);
  assert.equal(one("SELECT count(*) FROM accounts WHERE filling LIKE 'x%'"), accounts, `seed ${seed}`);
  assert.ok(Number(one('SELECT count FROM commits')) >= Number(before), `seed ${seed}`);
  copied.close();
  writer.close();
}
