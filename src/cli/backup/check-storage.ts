// Checks the files of a data directory or of a backup, and changes none of them.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectRegularFile, NotRegularFile } from '../../foundation/machine/regular-file.js';
import { checkPages } from '../../foundation/sqlite/check-pages.js';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import type { LogReading } from '../../foundation/sqlite/logged-pages.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import type { StorageFindings, StoredDatabase } from '../../foundation/sqlite/stored-database.js';
import { Interrupted } from '../port-problems.js';
import { type BackupManifest, isBackup, readBackupManifest } from './backup-manifest.js';
import { checkStructure } from './check-structure.js';
import { doPiece, pieceBytes, sumFile } from './durable-files.js';
import { problemOfVersion } from './refused-files.js';
import { expectSame } from './restore-backup.js';
import { type StorageLayout, StorageProblem } from './storage-layout.js';
import { lostData } from './storage-state.js';

export interface CheckOptions {
  readonly directory: string;
  readonly layout: StorageLayout;
  readonly interrupted: AbortSignal;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** What was found in all files. */
export interface CheckFindings extends StorageFindings {
  /** Sentences about what could not be checked. */
  readonly notes: readonly string[];
}

/** @throws StorageProblem if the directory has no data, Interrupted */
export async function checkStorage(options: CheckOptions): Promise<CheckFindings> {
  const { directory, layout, interrupted, onProgress } = options;
  const manifest = isBackup(directory) ? readBackupManifest(directory) : undefined;
  const problems = manifest === undefined ? lostData(layout) : await checkSums(manifest, options);
  const notes: string[] = [];
  const present = layout.databases.filter(({ path }) => existsSync(path));
  if (present.length === 0 && problems.length === 0)
    throw new StorageProblem(`${directory} has no data: it is neither a data directory nor a backup`);
  problems.push(...layout.files.flatMap(({ problem }) => problem(directory) ?? []));
  let found = { tables: 0, collections: 0, rows: 0, problems: [] as readonly string[] };
  for (const stored of present) {
    try {
      expectRegularFile(stored.path);
      const pages = await checkPagesOf(stored, options);
      problems.push(...pages.problems);
      notes.push(...pages.notes);
      const version = problemOfVersion(stored, stored.path, manifest);
      if (version !== undefined) {
        problems.push(`${stored.path}: ${version}`);
        continue;
      }
      problems.push(...stored.refused(stored.path).map((problem) => `${stored.path}: ${problem}`));
      const describe = (text: string) => `${stored.path}: ${text}`;
      const own =
        stored.check === undefined
          ? { ...found, problems: checkStructure(stored.path, 'integrity_check').map(describe) }
          : await stored.check(interrupted, onProgress);
      if (own === undefined) throw new Interrupted('interrupted');
      found = { ...own, problems: [...found.problems, ...own.problems] };
    } catch (error) {
      if (error instanceof Interrupted || !(error instanceof Error)) throw error;
      problems.push(`${stored.path} cannot be read: ${error.message}`);
    }
  }
  return { ...found, notes, problems: [...problems, ...found.problems] };
}

/** Compares the pages of a database with their checksums. */
async function checkPagesOf(
  { path }: StoredDatabase,
  { directory, interrupted }: CheckOptions,
): Promise<{ readonly problems: readonly string[]; readonly notes: readonly string[] }> {
  const reading = { pieceBytes, doPiece: (piece: () => number) => doPiece(piece, { interrupted }) };
  const { pages, problem, without } = await checkPages(path, reading);
  // Files of a backup have a checksum in any case.
  const notes = without === undefined || isBackup(directory) ? [] : [without];
  const problems = problem === undefined ? [] : [problem];
  if (pages.length > 0) problems.push(problemOfPages(path, pages, await ownersOf(path, pages, reading)));
  return { problems, notes };
}

const mostListedPages = 100;

/** The pages by the tables and indexes that they belong to, as far as the file can still be read. */
function problemOfPages(path: string, pages: readonly number[], owners: ReadonlyMap<number, string>): string {
  const listed = pages.slice(0, mostListedPages).map((page) => {
    const owner = owners.get(page);
    return `page ${page}${owner === undefined ? '' : ` (${owner})`}`;
  });
  const more = pages.length > listed.length ? ` and ${pages.length - listed.length} more` : '';
  return (
    `${path} is not as the server wrote it: ${listed.join(', ')}${more} differ from their checksums. ` +
    'It is damaged, or another program has changed it: restore a backup'
  );
}

/** Pages of a database that are looked at in one piece of work. */
const pagesAtOnce = 200;

/** The names of the tables and indexes that listed pages belong to. Free pages have none. @throws Interrupted */
async function ownersOf(
  path: string,
  pages: readonly number[],
  { doPiece }: LogReading,
): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(pages.slice(0, mostListedPages));
  const owners = new Map<number, string>();
  try {
    const database = openDatabase({ path, readOnly: true, busyTimeoutMs: 10_000 });
    try {
      const rows = database.statement('SELECT pageno, name FROM dbstat').iterate();
      const lookAtNext = () => {
        let count = 0;
        for (let next = rows.next(); next.done !== true; next = rows.next()) {
          const page = Number(next.value['pageno']);
          if (wanted.delete(page)) owners.set(page, `of ${next.value['name']}`);
          count += 1;
          if (count === pagesAtOnce) break;
        }
        return count;
      };
      while (wanted.size > 0 && (await doPiece(lookAtNext)) > 0);
      rows.return();
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
  }
  return owners;
}

/** Compares the files of a backup with its checksums. */
async function checkSums(
  { files }: BackupManifest,
  { directory, interrupted }: CheckOptions,
): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files) {
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
