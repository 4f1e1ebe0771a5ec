// What `colonnade backup`, `restore` and `check` have in common: options, and how they end.
import { ConfigProblems, loadConfig } from '../../foundation/config/load-config.js';
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

/** What a command gets. */
export interface StorageRun {
  /** The argument without an option; undefined if there is none. */
  readonly directory: string | undefined;
  readonly layout: StorageLayout;
  readonly output: ResultOutput;
  readonly interrupted: AbortSignal;
}

/**
 * Reads the options and runs a command to its exit code. Problems that the user can understand are printed, others are
 * thrown. `needsDirectory`: the name of the argument if it must be there.
 */
export async function runOnStorage(
  name: string,
  args: readonly string[],
  needsDirectory: string | undefined,
  surroundings: StorageSurroundings,
  output: CliOutput,
  work: (run: StorageRun) => Promise<number>,
): Promise<number> {
  const { clock } = surroundings;
  const options = readOptions(args, needsDirectory);
  if (typeof options === 'string') return misused(output, name, options);
  const result = resultOutput(options, output, clock);
  try {
    surroundings.giveWay();
    const layout = await surroundings.layoutOf(options.config);
    const interrupted = surroundings.onInterrupt();
    return await work({ directory: options.directory, layout, output: result, interrupted });
  } catch (error) {
    if (error instanceof Interrupted) {
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
  const isOurs = [StorageProblem, FileNotWritten, DatabaseFailure, DataDirectoryInUse];
  return isOurs.some((kind) => error instanceof kind) || 'syscall' in error;
}

const paths = {
  'data-dir': { type: 'string' },
  'ops-dir': { type: 'string' },
  config: { type: 'string' },
} as const;

/** The options, or a text with the problem. */
function readOptions(args: readonly string[], needsDirectory: string | undefined) {
  const options = { ...paths, ...outputOptions };
  return withArguments(args, { options, allowPositionals: true }, ({ values, positionals }) => {
    const [directory, ...more] = positionals;
    if (more.length > 0 || (needsDirectory !== undefined && directory === undefined))
      return `give one directory${needsDirectory === undefined ? '' : `: ${needsDirectory}`}`;
    const given = Object.keys(paths).flatMap((name) => {
      const value: unknown = values[name as keyof typeof paths]; // a key of `paths`
      return typeof value === 'string' ? [`--${name}`, value] : [];
    });
    const outputs = { isJson: values.json ?? false, isQuiet: values.quiet ?? false };
    try {
      return { directory, config: loadConfig(given), ...outputs };
    } catch (error) {
      if (error instanceof ConfigProblems) return error.message;
      throw error;
    }
  });
}
