// What SQLite can do at best: the same rows, durably, in groups, without a server around it. Prints rows per second.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { randomRow } from './requests.js';

/** How long to write, and how many rows share a commit. */
export interface RawSqlitePlan {
  readonly seconds: number;
  readonly rowsPerGroup: number;
}

/** Counts the time of statements only: making the rows is the client's work. */
export interface RawSqliteReport {
  readonly rowsPerSecond: number;
}

function writeRows(plan: RawSqlitePlan, directory: string): RawSqliteReport {
  const database = new DatabaseSync(join(directory, 'raw.db'));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 30000;
    CREATE TABLE rows (row_id INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT, age INTEGER, score REAL,
      active INTEGER, created INTEGER);
    CREATE UNIQUE INDEX rows_by_id ON rows (id);`);
  const insert = database.prepare(
    'INSERT INTO rows (id, name, age, score, active, created) VALUES (?, ?, ?, ?, ?, ?)',
  );
  let count = 0;
  let spentMs = 0;
  while (spentMs < plan.seconds * 1000) {
    const rows = Array.from({ length: plan.rowsPerGroup }, () => randomRow(randomUUID()));
    const startMs = performance.now();
    database.exec('BEGIN IMMEDIATE');
    for (const { id, name, age, score, active, created } of rows) {
      insert.run(id, name, age, score, active ? 1 : 0, Date.parse(created));
    }
    database.exec('COMMIT');
    spentMs += performance.now() - startMs;
    count += rows.length;
  }
  database.close();
  return { rowsPerSecond: count / (spentMs / 1000) };
}

const directory = mkdtempSync(join(tmpdir(), 'colonnade-raw-sqlite-'));
try {
  // The plan is our own, written by rows.ts.
  console.log(JSON.stringify(writeRows(JSON.parse(process.argv[2] ?? '') as RawSqlitePlan, directory)));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
