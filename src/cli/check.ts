// `colonnade check`: searches a data directory, a backup or an archive for damage, and changes nothing.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isThere } from '../foundation/machine/is-there.js';
import {
  archiveOptionNames,
  archiveOptionsHelp,
  isArchive,
  noteOfOther,
} from './archive/archive-arguments.js';
import { isBackup } from './backup/backup-manifest.js';
import {
  type GivenArguments,
  runOnStorage,
  type StorageRun,
  type StorageSurroundings,
  storageOptionsHelp,
} from './backup/storage-command.js';
import { type StorageLayout, StorageProblem, unfinishedName } from './backup/storage-layout.js';
import type { CliCommand } from './cli-command.js';

/** What the command needs from the process. */
export interface CheckSurroundings extends StorageSurroundings {
  /** The layout of a backup or another directory with the same names. */
  readonly layoutIn: (directory: string) => Promise<StorageLayout>;
}

/** The command. Its exit codes: 0 no damage, 1 damage or the check failed, 2 wrong use, 130 interrupted. */
export function checkCommand(surroundings: CheckSurroundings): CliCommand {
  return {
    name: 'check',
    summary: 'searches a data directory, a backup or an archive for damage',
    help: () => usage,
    run: (args, output) =>
      runOnStorage('check', args, accepted, surroundings, output, async (run) => {
        const { output: result, interrupted, argument } = run;
        if (argument !== undefined && isArchive(argument)) return checkArchive(argument, run, surroundings);
        const directory = argument === undefined ? run.layout.dataDir : resolve(argument);
        const isGiven = argument !== undefined;
        refuseUnfinished(directory);
        if (!isThere(directory))
          throw new StorageProblem(
            `there is no directory ${directory}${isGiven ? '' : ': give --data-dir DIR'}`,
          );
        if (!statSync(directory).isDirectory())
          throw new StorageProblem(
            `${directory} is a file: give the directory of a server, of a backup or of an archive`,
          );
        const layout = isGiven ? await layoutAt(directory, run, surroundings) : run.layout;
        const { checkStorage } = await import('./backup/check-storage.js');
        const onProgress = (share: number) => result.progress('check', share);
        const found = await checkStorage({ directory, layout, interrupted, onProgress });
        for (const note of found.notes) result.line(`note: ${note}`);
        for (const problem of found.problems) result.problem(problem);
        const { tables, collections, rows } = found;
        const kind = isBackup(directory) ? 'backup' : 'data directory';
        result.line(
          `${directory} (${kind}): ${tables} tables, ${collections} collections, ${rows} rows and documents checked: ${stateOf(found.problems)}`,
        );
        return result.end(found.problems.length === 0 ? 0 : 1, {
          directory,
          kind,
          tables,
          collections,
          rows,
        });
      }),
  };
}

const accepted = { ofServer: archiveOptionNames, problem: problemOf };

function problemOf({ argument, names }: GivenArguments): string | undefined {
  if (argument === undefined || isArchive(argument)) return undefined;
  if (names.has('data-dir')) return `give the directory ${argument} or --data-dir, not both`;
  if (names.has('ops-dir') && isBackup(resolve(argument)))
    return `${argument} is a backup, which has its operations data: leave --ops-dir out`;
  return undefined;
}

/**
 * A backup has its files under the usual names, and those of a data directory are where the options say. An operations
 * directory that only the environment or the config file names may be that of another server.
 */
async function layoutAt(
  directory: string,
  { config, names }: StorageRun,
  { layoutIn, layoutOf }: CheckSurroundings,
): Promise<StorageLayout> {
  if (isBackup(directory)) return layoutIn(directory);
  const layout = await layoutOf({ ...config, dataDir: directory });
  if (names.has('ops-dir') || resolve(config.dataDir) === directory) return layout;
  const own = await layoutOf({ ...config, dataDir: directory, opsDir: undefined });
  return own.databases.every(({ path }) => existsSync(path)) ? own : layout;
}

/** Verifies an archive, of which nothing is restored. */
async function checkArchive(
  archive: string,
  { config, output: result, interrupted }: StorageRun,
  surroundings: CheckSurroundings,
): Promise<number> {
  const { verifyArchive } = await import('../archive/restoring/verify-archive.js');
  const store = await surroundings.openArchive(archive, config);
  const onProgress = (objects: number) => result.progress(`${objects} objects`, undefined);
  const found = await verifyArchive(store, { signal: interrupted, onProgress });
  for (const problem of found.problems) result.problem(problem);
  for (const other of found.others) result.line(noteOfOther(other));
  const { generations, copies, pieces, problems } = found;
  const counts = [
    counted(generations, 'generation'),
    counted(copies, 'copy', 'copies'),
    counted(pieces, 'piece'),
  ].join(', ');
  result.line(`${store.title} (archive): ${counts} checked: ${stateOf(problems)}`);
  return result.end(problems.length === 0 ? 0 : 1, {
    archive: store.title,
    kind: 'archive',
    generations,
    copies,
    pieces,
  });
}

function stateOf(problems: readonly string[]): string {
  return problems.length === 0 ? 'no damage found' : counted(problems.length, 'problem');
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What an interrupted command leaves is neither a data directory nor a backup. @throws StorageProblem */
function refuseUnfinished(directory: string): void {
  if (existsSync(join(directory, unfinishedName)))
    throw new StorageProblem(
      `a restore into ${directory} was interrupted: run the same colonnade restore again`,
    );
  const suffix = '.unfinished';
  const unfinished = directory.endsWith(suffix) ? directory : `${directory}${suffix}`;
  if (existsSync(unfinished) && (directory === unfinished || !existsSync(directory)))
    throw new StorageProblem(
      `${unfinished} is a backup that is not finished: wait for the colonnade backup that writes it, or run the ` +
        'same one again, which starts from the beginning',
    );
}

const usage = `Searches a data directory, of a server that runs or is stopped, or a backup for damage:
the checksums of pages, the structure of all files, the values of all rows and documents,
their indexes, and objects that another program made. A backup is also compared with its
description. Nothing is changed; the action "repair" of a running server repairs indexes.
Of an archive (its directory, or s3://BUCKET/PREFIX) all objects are read and compared with
their checksums and with each other; nothing is restored.
Without DIRECTORY the data directory of the options is checked.

Usage: colonnade check [DIRECTORY or ARCHIVE] [OPTIONS]

Options:
${archiveOptionsHelp}${storageOptionsHelp}
Exit codes: 0 no damage found, 1 damage was found (one line for each problem) or the check
failed, 2 the command line cannot be used, 130 interrupted.
`;
