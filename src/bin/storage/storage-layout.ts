// The files of the data directory of a server with a configuration, for backups and checks.
import { join, resolve } from 'node:path';
import type { StorageLayout, StoredDatabase } from '../../cli/backup/storage-layout.js';
import { dataFile } from '../../data-service/engine/embedded/file/open-for-reading.js';
import { schemaVersion } from '../../data-service/engine/embedded/file/schema-store.js';
import { refusedInDataFile } from '../../data-service/engine/embedded/schema/unknown-objects.js';
import type { Config } from '../../foundation/config/options.js';
import { refusedInStore } from '../../ops-service/store/unknown-in-store.js';
import { opsFile } from '../ops/ops-messages.js';
import { opsMigrations } from '../ops/ops-migrations.js';
import { problemOfSecretFile, secretFiles } from '../parts/open-secrets.js';

/** The layout for a configuration. */
export function storageLayout(
  config: Pick<Config, 'dataDir' | 'opsDir' | 'engine' | 'keyStoreSecret'>,
): StorageLayout {
  const dataDir = resolve(config.dataDir);
  const opsDir = config.opsDir === undefined ? join(dataDir, 'ops') : resolve(config.opsDir);
  const vectors = join(dataDir, 'vectors');
  const rows: StoredDatabase = {
    name: 'data.db',
    path: dataFile(dataDir),
    content: 'rows and documents',
    isOptional: false,
    version: { of: (query) => Number(query('PRAGMA user_version')), newest: schemaVersion },
    refused: refusedInDataFile,
    companions: [...secretFiles.map((name) => join(dataDir, name)), vectors],
  };
  const operations: StoredDatabase = {
    name: 'ops/ops.db',
    path: opsFile(opsDir),
    content: 'operations data',
    isOptional: true,
    version: { of: (query) => countMigrations(query), newest: opsMigrations.length },
    refused: (path) => refusedInStore(path, opsMigrations),
    companions: [],
  };
  return {
    dataDir,
    opsDir,
    engine: config.engine,
    databases: [...(config.engine === 'embedded' ? [rows] : []), operations],
    files: secretFiles.map((name) => ({
      name,
      path: join(dataDir, name),
      problem: (directory) => problemOfSecretFile(directory, name, config),
    })),
    derived: { directory: vectors, ending: '.graph' },
  };
}

function countMigrations(query: (sql: string) => unknown): number {
  const exists = query("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'");
  return exists === 0 ? 0 : Number(query('SELECT count(*) FROM migrations'));
}
