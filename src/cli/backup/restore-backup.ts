// Makes a data directory from a backup.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BackedUpFile, type BackupManifest, readBackupManifest } from './backup-manifest.js';
import { copyFile, type FileSum } from './durable-files.js';
import { type DirectoryOptions, makeDataDirectory } from './make-data-directory.js';
import { refusedInCopy } from './refused-files.js';
import { type StorageLayout, StorageProblem } from './storage-layout.js';

/** How a backup is restored. */
export interface RestoreOptions extends DirectoryOptions {
  readonly backup: string;
  /** Gets the share that is done, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/**
 * Restores a backup and returns its description, see `makeDataDirectory`.
 * @throws StorageProblem, Interrupted, DataDirectoryInUse, DatabaseFailure, errors of the file system
 */
export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const { layout } = options;
  const backup = resolve(options.backup);
  const manifest = readBackupManifest(backup);
  expectEngine(manifest, layout);
  expectKnown(manifest, layout);
  const names = manifest.files.map(({ name }) => name);
  const write = async (directory: string) => {
    await copyFiles(backup, directory, manifest, options);
    const titleOf = (name: string) => join(backup, name);
    const source = { names, titleOf, manifest, alternative: 'backup' } as const;
    for (const problem of refusedInCopy(source, directory, layout)) throw new StorageProblem(problem);
  };
  await makeDataDirectory({ names, bytes: totalBytes(manifest), write }, options);
  return manifest;
}

/** @throws StorageProblem if a server with this configuration would not look for what the backup has */
function expectEngine(manifest: BackupManifest, { engine }: StorageLayout): void {
  if (manifest.engine !== engine)
    throw new StorageProblem(
      `the backup is of a server with --engine ${manifest.engine}, and the configuration has ${engine}: give the ` +
        '--config of that server, or set the variables of its options, such as COLONNADE_ENGINE',
    );
}

/** @throws StorageProblem for formats of a later release */
function expectKnown({ files, madeBy }: BackupManifest, { databases }: StorageLayout): void {
  for (const { name, version } of files) {
    const known = databases.find((database) => database.name === name)?.version.newest;
    if (version !== undefined && known !== undefined && version > known)
      throw new StorageProblem(
        `the backup was made by a later release (${madeBy}): ${name} has version ${version} of its format, ` +
          `known up to ${known}. Restore it with that release`,
      );
  }
}

function totalBytes({ files }: BackupManifest): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function copyFiles(
  backup: string,
  unfinished: string,
  manifest: BackupManifest,
  { interrupted, onProgress }: RestoreOptions,
): Promise<void> {
  const { files } = manifest;
  const total = totalBytes(manifest);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress(done / total);
  };
  for (const file of files) {
    const source = join(backup, file.name);
    if (!existsSync(source)) throw new StorageProblem(`the backup is damaged: ${source} is missing`);
    expectSame(source, file, await copyFile(source, join(unfinished, file.name), { interrupted, onBytes }));
  }
}

/** @throws StorageProblem if a file is not what the manifest says */
export function expectSame(path: string, wanted: BackedUpFile, found: FileSum): void {
  if (found.bytes === wanted.bytes && found.sha256 === wanted.sha256) return;
  const reason =
    found.bytes === wanted.bytes
      ? 'its checksum differs'
      : `it has ${found.bytes} bytes, not ${wanted.bytes}`;
  throw new StorageProblem(`the backup is damaged: ${path}: ${reason}`);
}
