// The files of the data directory of a server with a configuration, for backups and checks.
import { join, resolve } from 'node:path';
import type { StorageLayout } from '../../cli/backup/storage-layout.js';
import type { Config } from '../../foundation/config/options.js';
import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import { refusedInStore } from '../../ops-service/store/unknown-in-store.js';
import { engineModules } from '../engines/registry.js';
import { opsFile } from '../ops/ops-messages.js';
import { opsMigrations } from '../ops/ops-migrations.js';
import { problemOfSecretFile, secretFiles } from '../parts/open-secrets.js';

/** The layout for a configuration. */
export async function storageLayout(
  config: Pick<Config, 'dataDir' | 'opsDir' | 'engine' | 'keyStoreSecret'>,
): Promise<StorageLayout> {
  const dataDir = resolve(config.dataDir);
  const opsDir = config.opsDir === undefined ? join(dataDir, 'ops') : resolve(config.opsDir);
  const files = await engineModules[config.engine].files?.(dataDir);
  const secrets = secretFiles.map((name) => join(dataDir, name));
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
    databases: [
      ...(files === undefined ? [] : [{ ...files.rows, companions: [...secrets, ...files.rows.companions] }]),
      operations,
    ],
    files: secretFiles.map((name) => ({
      name,
      path: join(dataDir, name),
      problem: (directory) => problemOfSecretFile(directory, name, config),
    })),
    derived: files?.derived,
  };
}

function countMigrations(query: (sql: string) => unknown): number {
  const exists = query("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'");
  return exists === 0 ? 0 : Number(query('SELECT count(*) FROM migrations'));
}
