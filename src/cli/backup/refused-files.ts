// What files have that a server must not start with, although nothing of them need be damaged.

import { join } from 'node:path';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import type { StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import type { BackupManifest } from './backup-manifest.js';
import type { StorageLayout } from './storage-layout.js';

/** Where copied files come from. */
export interface CopySource {
  /** The names of the files. */
  readonly names: readonly string[];
  /** What messages call a file. */
  readonly titleOf: (name: string) => string;
  /** The description of a backup. */
  readonly manifest?: BackupManifest;
  /** What else could be restored. */
  readonly alternative: 'backup' | 'moment';
}

/**
 * Sentences about copied files: a database of a later release or of another version than the description says, objects
 * that no server made, secrets that are cut.
 */
export function refusedInCopy(
  source: CopySource,
  copy: string,
  { databases, files }: StorageLayout,
): string[] {
  const { names, titleOf, alternative, manifest } = source;
  const remedy =
    manifest === undefined
      ? `Restore another ${alternative}`
      : `Use another ${alternative}, or remove the file and its line in backup.json: the next start makes a new one`;
  return [
    ...databases
      .filter(({ name }) => names.includes(name))
      .flatMap((stored) =>
        refusedDatabase(stored, join(copy, stored.name), source).map(
          (problem) => `${titleOf(stored.name)}: ${problem}`,
        ),
      ),
    ...files.flatMap(({ name, problem }) => {
      const found = names.includes(name) ? problem(copy) : undefined;
      if (found === undefined) return [];
      const text = found.replace(`${join(copy, name)} `, '');
      return [
        `${manifest === undefined ? '' : 'the backup is damaged: '}${titleOf(name)}: ${text}. ${remedy}`,
      ];
    }),
  ];
}

/** Sentences about a database that is not open. */
function refusedDatabase(
  stored: StoredDatabase,
  path: string,
  { manifest, alternative }: CopySource,
): readonly string[] {
  try {
    const problem = problemOfVersion(stored, path, manifest);
    return problem === undefined ? stored.refused(path) : [problem];
  } catch (error) {
    if (!(error instanceof DatabaseFailure) && !(error instanceof TypeError)) throw error;
    return [`it cannot be read: ${error.message}: use another ${alternative}`];
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
