// Checks the files of a data directory or of a backup, and changes none of them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectRegularFile, NotRegularFile } from '../../foundation/machine/regular-file.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { Interrupted } from '../data-port.js';
import { isBackup, readBackupManifest } from './backup-manifest.js';
import { sumFile } from './durable-files.js';
import { expectSame } from './restore-backup.js';
import {
  type CheckDataFile,
  type StorageFindings,
  type StorageLayout,
  StorageProblem,
  type StoredDatabase,
} from './storage-layout.js';
import { lostData } from './storage-state.js';

/** What to check. */
export interface CheckOptions {
  readonly directory: string;
  readonly layout: StorageLayout;
  readonly interrupted: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** @throws StorageProblem if the directory has no data, Interrupted */
export async function checkStorage(
  options: CheckOptions,
  checkDataFile: CheckDataFile,
): Promise<StorageFindings> {
  const { directory, layout, interrupted, onProgress } = options;
  const problems = isBackup(directory) ? await checkSums(options) : lostData(layout);
  const present = layout.databases.filter(({ path }) => existsSync(path));
  if (present.length === 0 && problems.length === 0)
    throw new StorageProblem(`${directory} has no data: it is neither a data directory nor a backup`);
  let found: StorageFindings = { tables: 0, collections: 0, rows: 0, problems: [] };
  for (const stored of present) {
    try {
      expectRegularFile(stored.path);
      const own = stored.isOptional
        ? { ...found, problems: checkStructure(stored) }
        : await checkDataFile(stored.path, interrupted, onProgress);
      if (own === undefined) throw new Interrupted('interrupted');
      found = { ...own, problems: [...found.problems, ...own.problems] };
    } catch (error) {
      if (error instanceof Interrupted || !(error instanceof Error)) throw error;
      problems.push(`${stored.path} cannot be read: ${error.message}`);
    }
  }
  return { ...found, problems: [...problems, ...found.problems] };
}

/** Compares the files of a backup with its checksums. */
async function checkSums({ directory, interrupted }: CheckOptions): Promise<string[]> {
  const problems: string[] = [];
  for (const file of readBackupManifest(directory).files) {
    const path = join(directory, file.name);
    if (!existsSync(path)) {
      problems.push(`the backup is damaged: ${path} is missing`);
      continue;
    }
    try {
      expectSame(path, file, await sumFile(path, { interrupted }));
    } catch (error) {
      if (!(error instanceof StorageProblem || error instanceof NotRegularFile)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

function checkStructure({ path }: StoredDatabase): readonly string[] {
  const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 10_000 });
  try {
    const rows = database.statement('PRAGMA integrity_check', { returnArrays: true }).all();
    return rows
      .map(([text]) => String(text))
      .filter((text) => text !== 'ok')
      .map((text) => `${path}: ${text}`);
  } finally {
    database.close();
  }
}
