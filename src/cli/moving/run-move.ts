// What `colonnade export` and `colonnade import` have in common: surroundings, and how they end.
import type { SendRequest } from '../../foundation/http/send-request.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type CliOutput, exitInterrupted, exitUsage } from '../cli-command.js';
import { DataPortProblem, type DataPortSurroundings, Interrupted } from '../data-port.js';
import { UnknownColumn } from './canonical-row.js';
import { ExportProblem } from './export-directory.js';
import { RowFileProblem } from './row-file.js';

/** What the commands need from the process. */
export interface MovingSurroundings {
  readonly sendRequest: SendRequest;
  readonly clock: Clock;
  readonly wait: DataPortSurroundings['wait'];
  /** A signal that is aborted when the user interrupts the process. */
  readonly onInterrupt: () => AbortSignal;
  /** Of this program. */
  readonly version: string;
}

/** What a port needs, with its lines among the problems. */
export function portSurroundings(
  { sendRequest, clock, wait, onInterrupt }: MovingSurroundings,
  output: CliOutput,
): DataPortSurroundings {
  const notify = (line: string) => output.problem(`colonnade: ${line}\n`);
  return { sendRequest, clock, wait, interrupted: onInterrupt(), notify };
}

/** Runs to the exit code. Problems that the user can understand are printed, others are thrown. */
export async function endOf(output: CliOutput, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) {
      output.problem('colonnade: interrupted; the same command continues\n');
      return exitInterrupted;
    }
    if (!isForUser(error)) throw error;
    output.problem(`colonnade: ${error.message}\n`);
    return 1;
  }
}

/** Names what is left out and returns the exit code. */
export function leftOutAtEnd(output: CliOutput, leftOut: readonly string[], isAllowed: boolean): number {
  for (const line of leftOut) output.problem(`colonnade: warning: ${line}\n`);
  return leftOut.length === 0 || isAllowed ? 0 : 1;
}

/** Prints a problem of the command line and returns the exit code. */
export function misusedMove(output: CliOutput, command: string, problem: string): number {
  output.problem(`colonnade: ${problem}\nFor the options: colonnade ${command} --help\n`);
  return exitUsage;
}

function isForUser(error: unknown): error is Error {
  const isOurs = [DataPortProblem, ExportProblem, RowFileProblem, UnknownColumn, FileNotWritten];
  if (isOurs.some((kind) => error instanceof kind)) return true;
  // The file system: the disk is full, the directory cannot be written.
  return error instanceof Error && 'syscall' in error;
}
