// Opens the file of the operations service and migrates its tables.
import { logUpgrade } from '../../foundation/sqlite/file-upgrade.js';
import { type Database, openDatabase } from '../../foundation/sqlite/open-database.js';
import type { ShippedLogSettings } from '../../foundation/sqlite/shipped-log.js';
import { unknownObject } from '../../foundation/sqlite/unknown-objects.js';
import { unusableFile } from '../../foundation/sqlite/unusable-file.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { type Migration, Store } from './store.js';
import { createMigrations, unknownInStore } from './unknown-in-store.js';

/** Far more than lists and pages of events need, and little for an idle thread. */
const cacheSizeBytes = 2 * 1024 * 1024;

/**
 * Opens `path`, or creates it. All missing migrations run in one transaction; if none is missing, nothing is written.
 * `shippedLog` lets checkpoints wait until the log is shipped to an archive.
 * @throws Error that names the file, if a later version wrote it or it cannot be opened
 */
export function openStore(
  path: string,
  migrations: readonly Migration[],
  logger: Logger,
  shippedLog?: ShippedLogSettings,
): Store {
  try {
    return new Store(openMigrated(path, migrations, logger, shippedLog), logger);
  } catch (error) {
    throw unusableFile(path, error);
  }
}

function openMigrated(
  path: string,
  migrations: readonly Migration[],
  logger: Logger,
  shippedLog: ShippedLogSettings | undefined,
): Database {
  const database = openDatabase({
    // The archive thread may be reading the log of an earlier process.
    ...{ path, cacheSizeBytes, statementCacheSize: 200, hasPageSums: true, shippedLog, busyTimeoutMs: 5_000 },
  });
  try {
    const done = database
      .statement("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
      .get();
    const ran = done === undefined ? [] : database.statement('SELECT name FROM migrations').all();
    const names = new Set(ran.map((row) => String(row['name'])));
    const unknown = [...names].filter((name) => !migrations.some((migration) => migration.name === name));
    if (unknown.length > 0) {
      throw new Error(
        `it was written by a later version (it has ${unknown.join(', ')}): start that version, ` +
          'or give another --ops-dir',
      );
    }
    const missing = migrations.filter(({ name }) => !names.has(name));
    if (missing.length > 0) {
      database.transaction(() => {
        database.exec(createMigrations);
        for (const { name, sql } of missing) {
          database.exec(sql);
          database.statement('INSERT INTO migrations VALUES (?)').run([name]);
        }
      });
      if (ran.length > 0) logUpgrade(logger, { file: path, from: ran.length, to: migrations.length });
    }
    for (const problem of unknownInStore(database, migrations))
      logger.error({ file: path, problem }, unknownObject);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
