// Looks into the data file of a server that is gone: is it a sound database, and do its parts belong together?
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFunctions } from '../../src/data-service/engine/embedded/file/sql-functions.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

/** Checks a copy of the file and its log, so that the server itself recovers the original. */
export function checkCopyOfDataFile(dataDir: string): void {
  const copyDir = makeTemporaryDirectory();
  for (const name of ['data.db', 'data.db-wal']) {
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copyDir, name));
  }
  checkDatabase(openDatabase({ path: join(copyDir, 'data.db'), functions: sqlFunctions }));
  rmSync(copyDir, { recursive: true });
}

/** Checks the file of a server that was stopped, without changing it. */
export function checkDataFile(dataDir: string): void {
  checkDatabase(openDatabase({ path: join(dataDir, 'data.db'), readOnly: true, functions: sqlFunctions }));
}

function checkDatabase(database: Database): void {
  try {
    assert.deepEqual(textsOf(database, 'PRAGMA integrity_check'), ['ok']);
    const ids = textsOf(database, 'SELECT id FROM tables');
    const objects = (type: string, name: string) =>
      textsOf(
        database,
        `SELECT name FROM sqlite_schema WHERE type = '${type}' AND name GLOB '${name}[0-9]*'`,
      );
    // A dropped table is removed in steps, so some of it may still be there.
    const ofTables = (type: string, name: string) =>
      objects(type, name).filter((object) => ids.includes(object.slice(name.length)));
    assert.deepEqual(ofTables('table', 't'), named('t', ids), 'each table has its own SQLite table');
    assert.deepEqual(ofTables('index', 'k'), named('k', ids), 'each table has its key index');
    assert.deepEqual(textsOf(database, 'SELECT DISTINCT table_id FROM columns'), named('', ids));
    const [nextId] = textsOf(database, "SELECT id FROM next_ids WHERE kind = 'table'");
    for (const id of [...ids, ...objects('table', 't').map((name) => name.slice(1))])
      assert.ok(Number(id) < Number(nextId), `the id ${id} could be given again`);
  } finally {
    database.close();
  }
}

/** The first column of every row, sorted. */
function textsOf(database: Database, sql: string): readonly string[] {
  const rows = database.statement(sql, { returnArrays: true }).all();
  return rows.map(([value]) => String(value)).sort();
}

function named(prefix: string, ids: readonly string[]): readonly string[] {
  return ids.map((id) => `${prefix}${id}`).sort();
}
