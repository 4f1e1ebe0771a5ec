// What `colonnade backup`, `restore` and `check` have in common: options, and how they end.

import { NotInArchive } from '../../archive/contents/list-contents.js';
import { ArchiveDamaged } from '../../archive/format/archive-damaged.js';
import { type ArchiveStore, StoreFailure } from '../../archive/stores/archive-store.js';
import { ConfigProblems, loadFilesConfig } from '../../foundation/config/load-config.js';
import type { Config } from '../../foundation/config/options.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import { DataDirectoryInUse } from '../../foundation/sqlite/data-directory-in-use.js';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type CliOutput, exitInterrupted, misused } from '../cli-command.js';
import { Interrupted } from '../port-problems.js';
import { withArguments } from '../read-arguments.js';
import { outputOptions, outputOptionsHelp, type ResultOutput, resultOutput } from '../result-output.js';
import { type StorageLayout, StorageProblem } from './storage-layout.js';

/** What the commands need from the process. */
export interface StorageSurroundings {
  readonly clock: Clock;
  readonly onInterrupt: () => AbortSignal;
  /** The version of this program. */
  readonly version: string;
  /** The files of a server with a configuration. */
  readonly layoutOf: (config: Config) => Promise<StorageLayout>;
  /** The archive at an address, with the options of a configuration. @throws StorageProblem */
  readonly openArchive: (archive: string, config: Config) => Promise<ArchiveStore>;
  /** Lowers the priority of this process. */
  readonly giveWay: () => void;
}

/** The help of the shared options. */
export const storageOptionsHelp = `  --data-dir DIR
      The data directory. [default: that of the server's own options: ./colonnade-data]
  --ops-dir DIR
      The directory of the operations data, if the server has one of its own.
  --config FILE
      The server's config file. [environment: COLONNADE_CONFIG]
${outputOptionsHelp}`;

/** What the command line has beside the shared options. */
export interface GivenArguments {
  /** The argument without an option; undefined if there is none. */
  readonly argument: string | undefined;
  /** The names of all options with a value that the command line has, without the dashes. */
  readonly names: ReadonlySet<string>;
  /** The values of the options that `StorageArguments` names. */
  readonly values: Readonly<Record<string, string>>;
}

/** What a command accepts beside the shared options. */
export interface StorageArguments {
  /** Names of options with a value that only this command has, without the dashes. */
  readonly values?: readonly string[];
  /** Names of options of the server that it also takes. */
  readonly ofServer?: readonly string[];
  /** A sentence about what is wrong with the arguments. */
  readonly problem: (given: GivenArguments) => string | undefined;
}

/** What a command gets. */
export interface StorageRun extends GivenArguments {
  readonly config: Config;
  readonly layout: StorageLayout;
  readonly output: ResultOutput;
  readonly interrupted: AbortSignal;
}

/**
 * Reads the options and runs a command to its exit code. Problems that the user can understand are printed, others are
 * thrown.
 */
export async function runOnStorage(
  name: string,
  args: readonly string[],
  accepted: StorageArguments,
  surroundings: StorageSurroundings,
  output: CliOutput,
  work: (run: StorageRun) => Promise<number>,
): Promise<number> {
  const { clock } = surroundings;
  const options = readOptions(args, accepted);
  if (typeof options === 'string') return misused(output, name, options);
  const result = resultOutput(options, output, clock);
  const interrupted = surroundings.onInterrupt();
  try {
    surroundings.giveWay();
    const layout = await surroundings.layoutOf(options.config);
    const { argument, names, values, config } = options;
    return await work({ argument, names, values, config, layout, output: result, interrupted });
  } catch (error) {
    if (error instanceof Interrupted || (interrupted.aborted && error === interrupted.reason)) {
      result.problem('interrupted; nothing was changed');
      return result.end(exitInterrupted);
    }
    if (!isForUser(error)) throw error;
    result.problem(error.message);
    return result.end(1);
  }
}

/** What the file system and SQLite report is for the user, too: the disk is full, a directory cannot be written. */
function isForUser(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isOurs = [
    ...[StorageProblem, FileNotWritten, DatabaseFailure, DataDirectoryInUse],
    ...[ArchiveDamaged, NotInArchive, StoreFailure],
  ];
  return isOurs.some((kind) => error instanceof kind) || 'syscall' in error;
}

/** Options of the server that every command takes. */
const shared = ['data-dir', 'ops-dir', 'config'] as const;

/** The options, or a text with the problem. */
function readOptions(
  args: readonly string[],
  { values: own = [], ofServer = [], problem }: StorageArguments,
) {
  const named = [...shared, ...ofServer, ...own];
  const options = {
    ...Object.fromEntries(named.map((name) => [name, { type: 'string' } as const])),
    ...outputOptions,
  };
  return withArguments(args, { options, allowPositionals: true }, (read) => {
    const [argument, ...more] = read.positionals;
    const given = new Map(
      named.flatMap((name) => {
        const value: unknown = read.values[name as keyof typeof read.values]; // one of `options`
        return typeof value === 'string' ? [[name, value] as const] : [];
      }),
    );
    const names = new Set(given.keys());
    const values = Object.fromEntries([...given].filter(([name]) => own.includes(name)));
    const found =
      more.length > 0 ? `"${more[0]}" is one argument too many` : problem({ argument, names, values });
    if (found !== undefined) return found;
    const ofConfig = [...given].filter(([name]) => !own.includes(name));
    const outputs = { isJson: read.values.json ?? false, isQuiet: read.values.quiet ?? false };
    try {
      const config = loadFilesConfig(ofConfig.map(([name, value]) => `--${name}=${value}`));
      return { argument, names, values, config, ...outputs };
    } catch (error) {
      if (error instanceof ConfigProblems) return error.message;
      throw error;
    }
  });
}

/** Accepts one directory, which must be there. `title`: its name in messages. */
export function oneDirectory(title: string): StorageArguments {
  return { problem: ({ argument }) => (argument === undefined ? `give one directory: ${title}` : undefined) };
}
