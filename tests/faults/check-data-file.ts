// Looks into the data file of a server that is gone: is it a sound database, and do its parts belong together?
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFunctions } from '../../src/data-service/engine/embedded/file/sql-functions.js';
import { checkPages } from '../../src/foundation/sqlite/check-pages.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';

/**
 * Checks a copy of the file, its log and its checksums, so that the server itself recovers the original; of the
 * operations data the checksums only.
 */
export async function checkCopyOfDataFile(dataDir: string): Promise<void> {
  const copyDir = makeTemporaryDirectory();
  mkdirSync(join(copyDir, 'ops'));
  for (const name of ['data.db', 'ops/ops.db']) {
    for (const ending of ['', '-wal', '-sums'])
      if (existsSync(join(dataDir, name + ending)))
        copyFileSync(join(dataDir, name + ending), join(copyDir, name + ending));
    if (existsSync(join(copyDir, name))) await expectSums(join(copyDir, name));
  }
  checkDatabase(openDatabase({ path: join(copyDir, 'data.db'), functions: sqlFunctions }));
  rmSync(copyDir, { recursive: true });
}

/** Checks the file of a server that was stopped, without changing it. */
export function checkDataFile(dataDir: string): void {
  checkDatabase(openDatabase({ path: join(dataDir, 'data.db'), readOnly: true, functions: sqlFunctions }));
}

/** The pages have the content that their checksums say. */
async function expectSums(path: string): Promise<void> {
  const doPiece = async (piece: () => number) => piece();
  // A kill before the first frame of the log leaves sums that are out of date, and says so.
  const { pages, problem } = await checkPages(path, { pieceBytes: 256 * 1024, doPiece });
  assert.deepEqual([pages, problem], [[], undefined], path);
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
