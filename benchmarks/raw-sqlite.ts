// What SQLite can do at best: the same rows, durably, in groups, without a server around it. Prints rows per second.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { randomQueryRow } from './query-requests.js';
import { randomRow } from './requests.js';

/** How long to write, and how many rows share a commit. */
export interface RawSqlitePlan {
  readonly table: RawTableName;
  /** Rows that are there before, which are not measured: random keys are dearer in a large index. */
  readonly rowsBefore: number;
  readonly seconds: number;
  readonly rowsPerGroup: number;
}

/** Counts the time of statements only: making the rows is the client's work. */
export interface RawSqliteReport {
  readonly rowsPerSecond: number;
}

/** A table of a benchmark as SQLite would have it without us. */
interface RawTable {
  readonly table: string;
  readonly indexes: string;
  /** The values of a new row, a placeholder for each. */
  readonly values: () => readonly (string | number)[];
}

/** The name of a table of a benchmark. */
export type RawTableName = keyof typeof tables;

const tables = {
  rows: {
    table: `CREATE TABLE rows (row_id INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT, age INTEGER, score REAL,
      active INTEGER, created INTEGER)`,
    indexes: `CREATE UNIQUE INDEX rows_by_id ON rows (id);`,
    values() {
      const { id, name, age, score, active, created } = randomRow(randomUUID());
      return [id, name, age, score, active ? 1 : 0, Date.parse(created)];
    },
  },
  places: {
    table: `CREATE TABLE rows (row_id INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT, city TEXT, age INTEGER,
      score REAL, active INTEGER, created INTEGER, note TEXT, visits INTEGER, price REAL)`,
    indexes: `CREATE UNIQUE INDEX rows_by_id ON rows (id);
      CREATE INDEX rows_by_city ON rows (city, id);
      CREATE INDEX rows_by_score ON rows (score, id);
      CREATE INDEX rows_by_created ON rows (created, id);`,
    values() {
      const row = randomQueryRow(randomUUID());
      const { id, name, city, age, score, active, created, note, visits, price } = row;
      return [id, name, city, age, score, active ? 1 : 0, Date.parse(created), note, visits, price];
    },
  },
} satisfies Readonly<Record<string, RawTable>>;

function writeRows(plan: RawSqlitePlan, directory: string): RawSqliteReport {
  const { table, indexes, values } = tables[plan.table];
  const database = new DatabaseSync(join(directory, 'raw.db'));
  database.exec(table);
  const placeholders = values().map(() => '?');
  const insert = database.prepare(`INSERT INTO rows VALUES (NULL, ${placeholders.join(', ')})`);
  database.exec('BEGIN');
  for (let row = 0; row < plan.rowsBefore; row += 1) insert.run(...values());
  database.exec('COMMIT');
  database.exec(indexes);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  // The writer thread has these settings.
  database.exec('PRAGMA wal_autocheckpoint = 30000; PRAGMA cache_size = -16384');
  let count = 0;
  let spentMs = 0;
  while (spentMs < plan.seconds * 1000) {
    const rows = Array.from({ length: plan.rowsPerGroup }, values);
    const startMs = performance.now();
    database.exec('BEGIN IMMEDIATE');
    for (const row of rows) insert.run(...row);
    database.exec('COMMIT');
    spentMs += performance.now() - startMs;
    count += rows.length;
  }
  database.close();
  return { rowsPerSecond: count / (spentMs / 1000) };
}

const directory = mkdtempSync(join(tmpdir(), 'colonnade-raw-sqlite-'));
try {
  // The plan is our own, written by load-runs.ts.
  console.log(JSON.stringify(writeRows(JSON.parse(process.argv[2] ?? '') as RawSqlitePlan, directory)));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
