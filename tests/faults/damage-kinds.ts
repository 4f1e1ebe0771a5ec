// Kinds of damage to the files of a data directory or a backup, by a seeded generator.
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { sqlFunctions } from '../../src/data-service/engine/embedded/file/sql-functions.js';
import { type Database, openDatabase } from '../../src/foundation/sqlite/open-database.js';
import type { SeededRandom } from '../seeded-random.js';

/** Damages a directory, and says how. */
export type Damage = (directory: string, random: SeededRandom) => string;

const databases = ['data.db', 'data.db', 'data.db', 'ops/ops.db'];
const pageBytes = 4096;

/** Overwrites some bytes of a file. */
function overwrite(path: string, random: SeededRandom, most: number): string {
  const file = openSync(path, 'r+');
  try {
    const { size } = statSync(path);
    const at = random.below(size);
    const before = Buffer.alloc(Math.min(size - at, 1 + random.below(most)));
    readSync(file, before, 0, before.length, at);
    const bytes = Buffer.from(before.map((byte) => (random.oneIn(2) ? random.below(256) : byte ^ 1)));
    if (bytes.equals(before)) bytes.writeUInt8((before[0] ?? 0) ^ 0x10);
    writeSync(file, bytes, 0, bytes.length, at);
    return `${bytes.length} bytes at ${at} of ${path}`;
  } finally {
    closeSync(file);
  }
}

function exchangePages(path: string, random: SeededRandom): string {
  const bytes = readFileSync(path);
  const pages = bytes.length / pageBytes;
  const [one, other] = [1 + random.below(pages - 1), 1 + random.below(pages - 1)];
  const kept = Buffer.from(bytes.subarray(one * pageBytes, (one + 1) * pageBytes));
  bytes.copyWithin(one * pageBytes, other * pageBytes, (other + 1) * pageBytes);
  kept.copy(bytes, other * pageBytes);
  writeFileSync(path, bytes);
  return `pages ${one + 1} and ${other + 1} of ${path} exchanged`;
}

/** Changes a database by SQL, without the triggers that keep its parts together. */
export function changeBySql(path: string, change: (database: Database) => string): string {
  const database = openDatabase({ path, functions: sqlFunctions });
  try {
    const triggers = database
      .statement("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      .all()
      .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
    const done = change(database);
    for (const { sql } of triggers) database.exec(sql);
    return done;
  } finally {
    database.close();
  }
}

/** Changes a value of a random row. */
function changeValue(path: string, random: SeededRandom): string {
  return changeBySql(path, (database) => {
    const tables = database
      .statement(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
      )
      .all()
      .map(({ name }) => String(name))
      .filter((name) => database.statement(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== undefined);
    const table = random.pick(tables);
    const columns = database.statement('SELECT name, pk FROM pragma_table_info(?)').all([table]);
    const column = String(random.pick(columns)['name']);
    const keys = columns.filter(({ pk }) => pk !== 0).map(({ name }) => `"${name}"`);
    const key = keys.length === 0 ? 'rowid' : keys.join(', ');
    const count = Number(database.statement(`SELECT count(*) AS n FROM "${table}"`).get()?.['n']);
    const value = `CASE typeof("${column}") WHEN 'text' THEN "${column}" || 'x' WHEN 'integer' THEN "${column}" + 1
      WHEN 'real' THEN "${column}" + 1 WHEN 'blob' THEN CAST("${column}" || x'00' AS BLOB) ELSE 1 END`;
    const row = `SELECT ${key} FROM "${table}" LIMIT 1 OFFSET ${random.below(count)}`;
    try {
      database.exec(`UPDATE "${table}" SET "${column}" = ${value} WHERE (${key}) IN (${row})`);
    } catch {
      // A constraint of the table keeps this value: the row is removed instead.
      database.exec(`DELETE FROM "${table}" WHERE (${key}) IN (${row})`);
    }
    return `a value of ${column} in ${table} of ${path}`;
  });
}

function addObject(path: string, random: SeededRandom): string {
  return changeBySql(path, (database) => {
    const tables = database.statement("SELECT name FROM sqlite_schema WHERE name GLOB 't[0-9]*'").all();
    const table = tables.length === 0 ? 'migrations' : String(random.pick(tables)['name']);
    const sql = random.pick([
      `CREATE TRIGGER extra AFTER INSERT ON ${table} BEGIN DELETE FROM ${table}; END`,
      'CREATE TABLE extra (x)',
      'CREATE VIEW extra AS SELECT 1',
      'CREATE TABLE t99999 (x)',
    ]);
    database.exec(sql);
    return `${sql} in ${path}`;
  });
}

function cutSecret(directory: string, random: SeededRandom): string {
  const name = random.pick(['page-state.key', 'key-store.key']);
  const content = readFileSync(join(directory, name));
  const changed = random.pick([
    content.subarray(0, random.below(content.length)),
    Buffer.alloc(0),
    Buffer.concat([content, Buffer.alloc(1 + random.below(9))]),
  ]);
  writeFileSync(join(directory, name), changed);
  return `${name} has ${changed.length} bytes`;
}

/** Damages of a directory that a server uses. */
export const damagesOfDirectory: readonly Damage[] = [
  (directory, random) => overwrite(join(directory, random.pick(databases)), random, 1),
  (directory, random) => overwrite(join(directory, random.pick(databases)), random, 1),
  (directory, random) => overwrite(join(directory, random.pick(databases)), random, 200),
  (directory, random) => overwrite(join(directory, random.pick(databases)), random, 10_000),
  (directory, random) => exchangePages(join(directory, random.pick(databases)), random),
  (directory, random) => {
    const path = join(directory, random.pick(databases));
    const bytes = 1 + random.below(statSync(path).size);
    truncateSync(path, statSync(path).size - bytes);
    return `${path} lacks ${bytes} bytes`;
  },
  (directory, random) => changeValue(join(directory, random.pick(databases)), random),
  (directory, random) => changeValue(join(directory, random.pick(databases)), random),
  (directory, random) => addObject(join(directory, random.pick(databases)), random),
  cutSecret,
  (directory, random) =>
    overwrite(join(directory, random.pick(['key-store.enc', 'key-store.key'])), random, 4),
  (directory, random) =>
    overwrite(join(directory, random.pick(['data.db-sums', 'ops/ops.db-sums'])), random, 40),
  (directory, random) => {
    const vectors = join(directory, 'vectors');
    return overwrite(join(vectors, random.pick(readdirSync(vectors))), random, 1_000);
  },
];

/** Damages of a directory that a killed server left. */
export const damagesOfLog: readonly Damage[] = [
  (directory, random) => overwrite(join(directory, 'data.db-wal'), random, 1),
  (directory, random) => overwrite(join(directory, 'data.db-wal'), random, 5_000),
];

export const damagesOfBackup: readonly Damage[] = [
  (directory, random) => overwrite(join(directory, 'backup.json'), random, 3),
  (directory, random) => {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    return overwrite(
      join(directory, random.pick(names.filter((name) => statSync(join(directory, name)).isFile()))),
      random,
      20,
    );
  },
  (directory, random) => {
    const path = join(directory, 'backup.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, random.below(text.length)));
    return 'backup.json is cut';
  },
];
