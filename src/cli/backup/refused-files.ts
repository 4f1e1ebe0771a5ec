// What files have that a server must not start with, although nothing of them need be damaged.

import { join } from 'node:path';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import type { BackupManifest } from './backup-manifest.js';
import type { StorageLayout } from './storage-layout.js';

/**
 * Sentences about a copy of the files of a backup, whose description is `manifest`: a database of another version than
 * the description says, objects that no server made, secrets that are cut.
 */
export function refusedInCopy(
  manifest: BackupManifest,
  backup: string,
  copy: string,
  { databases, files }: StorageLayout,
): readonly string[] {
  const names = new Set(manifest.files.map(({ name }) => name));
  return [
    ...databases
      .filter(({ name }) => names.has(name))
      .flatMap((stored) =>
        refusedDatabase(stored, join(copy, stored.name), manifest).map(
          (problem) => `${join(backup, stored.name)}: ${problem}`,
        ),
      ),
    ...files.flatMap(({ name, problem }) => {
      const found = names.has(name) ? problem(copy) : undefined;
      if (found === undefined) return [];
      return [
        `the backup is damaged: ${join(backup, name)}: ${found.replace(`${join(copy, name)} `, '')}. Use another ` +
          'backup, or remove the file and its line in backup.json: the next start makes a new one',
      ];
    }),
  ];
}

/** Sentences about a database that is not open. */
function refusedDatabase(stored: StoredDatabase, path: string, manifest: BackupManifest): readonly string[] {
  try {
    const problem = problemOfVersion(stored, path, manifest);
    return problem === undefined ? stored.refused(path) : [problem];
  } catch (error) {
    if (!(error instanceof DatabaseFailure) && !(error instanceof TypeError)) throw error;
    return [`it cannot be read: ${error.message}: use another backup`];
  }
}

/**
 * A sentence if a database has another version of its format than can be read, or than the description of its backup
 * says. @throws DatabaseFailure
 */
export function problemOfVersion(
  { name, version }: StoredDatabase,
  path: string,
  manifest: BackupManifest | undefined,
): string | undefined {
  const found = versionOf(path, version.of);
  const described = manifest?.files.find((file) => file.name === name)?.version;
  const isOther = described !== undefined && described !== found;
  const says = isOther ? `; the description of the backup says ${described}` : '';
  if (found > version.newest)
    return (
      `it was written by a later release (version ${found} of its format, this release has ` +
      `${version.newest}${says}): use that release`
    );
  if (!isOther) return undefined;
  return `it has version ${found} of its format${says}: they do not belong together; use another backup`;
}

function versionOf(path: string, of: StoredDatabase['version']['of']): number {
  const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 10_000 });
  try {
    return of((sql) => database.statement(sql, { returnArrays: true }).get()?.[0]);
  } finally {
    database.close();
  }
}
