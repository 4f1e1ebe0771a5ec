// Damage in logs is distinguished from everything that a kill or a power failure can leave.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findLogDamage } from './find-log-damage.js';
import { openDatabase } from './open-database.js';

const directory = mkdtempSync(join(tmpdir(), 'colonnade-log-'));
after(() => rmSync(directory, { recursive: true }));

const head = 32;
const frame = 24 + 4096;

/** The log as a kill leaves it after transactions of these sizes, and the frames of its round that are commits. */
function makeLog(sizes: readonly number[], before?: readonly number[]) {
  const path = join(mkdtempSync(join(directory, 'db-')), 'a.db');
  const database = openDatabase({ path, walAutocheckpointPages: 0 });
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const write = (pages: number) =>
    database.statement('INSERT INTO t (x) VALUES (?)').run([new Uint8Array(pages * 4096).fill(7)]);
  if (before !== undefined) {
    for (const pages of before) write(pages);
    // The log begins again at its first frame; frames of the old round remain after the new ones.
    database.exec('PRAGMA wal_checkpoint(RESTART)');
  }
  for (const pages of sizes) write(pages);
  const log = join(directory, 'log');
  copyFileSync(`${path}-wal`, log);
  database.close();
  const bytes = readFileSync(log);
  const commits: number[] = [];
  const frames = Math.floor((bytes.length - head) / frame);
  const salt = bytes.subarray(16, 24);
  for (let at = 1; at <= frames; at += 1) {
    const start = head + (at - 1) * frame;
    const isOfRound = bytes.subarray(start + 8, start + 16).equals(salt);
    if (isOfRound && bytes.readUInt32BE(start + 4) > 0) commits.push(at);
  }
  return { bytes, commits };
}

/** The result after frames (from 1) or the head (0) were changed. */
function findAfter(bytes: Buffer, damage: (copy: Buffer) => Buffer | undefined) {
  const copy = Buffer.from(bytes);
  const path = join(directory, 'damaged-wal');
  writeFileSync(path, damage(copy) ?? copy);
  return findLogDamage(path);
}

const startOf = (at: number) => (at === 0 ? 0 : head + (at - 1) * frame);
const flip = (at: number, byte: number) => (copy: Buffer) => {
  copy.writeUInt8(copy.readUInt8(startOf(at) + byte) ^ 1, startOf(at) + byte);
  return undefined;
};

describe('findLogDamage', () => {
  it('finds nothing where there is no log, an empty one, or a sound one', () => {
    assert.equal(findLogDamage(join(directory, 'none')), undefined);
    const { bytes } = makeLog([1, 20, 1, 100, 1]);
    for (const length of [0, 31, 32, 100, bytes.length])
      assert.equal(
        findAfter(bytes, (copy) => copy.subarray(0, length)),
        undefined,
      );
  });

  it('finds damage wherever it is, before the last two transactions', () => {
    const { bytes, commits } = makeLog([1, 20, 1, 100, 1, 1, 2, 1]);
    const last = commits.at(-3) ?? 0;
    const frames = Math.floor((bytes.length - head) / frame);
    for (let at = 0; at < last; at += at < 4 ? 1 : 17) {
      for (const byte of at === 0 ? [0, 5, 9, 17, 30] : [1, 6, 9, 17, 30, 4000]) {
        const found = findAfter(bytes, flip(at, byte));
        assert.equal(found?.frame, at, `frame ${at}, byte ${byte}`);
        assert.equal(found?.offset, startOf(at));
        assert.ok(found.laterFrames > 0 && found.laterFrames <= frames - at, `${found.laterFrames} frames`);
        assert.ok(found.laterCommits >= 2 && found.laterCommits <= commits.length);
      }
      const zeroed = findAfter(bytes, (copy) =>
        copy.fill(0, startOf(at), startOf(at) + (at === 0 ? head : frame)),
      );
      assert.equal(zeroed?.frame, at, `frame ${at} zeroed`);
    }
  });

  it('takes any part of a last transaction for what a power cut leaves', () => {
    const { bytes, commits } = makeLog([3, 5, 40]);
    const [first = 0, last = 0] = commits.slice(-2);
    for (let at = first + 1; at <= last; at += 1) {
      assert.equal(
        findAfter(bytes, (copy) => copy.subarray(0, startOf(at) + 700)),
        undefined,
      );
      assert.equal(findAfter(bytes, flip(at, 4000)), undefined, `frame ${at}`);
      assert.equal(
        findAfter(bytes, (copy) => copy.fill(0, startOf(at), startOf(at) + frame)),
        undefined,
      );
    }
  });

  it('takes frames of an older round for what they are', () => {
    const { bytes, commits } = makeLog([1, 2], [30, 1, 1, 1, 50, 1, 1]);
    const last = commits.at(-1) ?? 0;
    assert.ok(bytes.length > startOf(last + 60), 'there are frames of an older round');
    assert.equal(
      findAfter(bytes, () => undefined),
      undefined,
    );
    assert.equal(findAfter(bytes, flip(last, 4000)), undefined);
    assert.equal(findAfter(bytes, flip(last + 5, 4000)), undefined);
  });
});
