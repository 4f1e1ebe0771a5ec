// What `colonnade export` and `colonnade import` have in common: surroundings, and how they end.
import type { SendRequest } from '../../foundation/http/send-request.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { type CliOutput, exitInterrupted, exitUsage } from '../cli-command.js';
import {
  type DataAddress,
  type DataPort,
  DataPortProblem,
  type DataPortSurroundings,
  Interrupted,
  openDataPort,
} from '../data-port.js';
import { type ResultOutput, resultOutput } from '../result-output.js';
import { UnknownColumn } from './canonical-row.js';
import { ExportProblem } from './export-directory.js';
import type { MoveOptions } from './move-options.js';
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

/** A table or collection that was moved. */
export interface MovedTotals {
  readonly name: string;
  readonly kind: 'table' | 'collection';
  readonly rows: number;
  readonly checksum: string;
  /** Rows that the target refused. */
  readonly refused?: number;
  /** Whether the rows of the target were compared; undefined for an export. */
  readonly verified?: boolean;
  /** Rows that the target has behind the import of a file, which may be more than those of the file. */
  readonly rowsOfTarget?: number;
}

/** What a move reports. */
export interface MoveReport {
  line(text: string): void;
  /** A row that was refused, or a difference. */
  warn(text: string): void;
  finished(totals: MovedTotals): void;
  /** The share that is done, 0 to 1, or undefined if the number of rows is not known. */
  progress(label: string, share: number | undefined): void;
}

/** The port of a command, whose waits are printed as problems. */
export function movingPort(
  address: DataAddress,
  { sendRequest, clock, wait, onInterrupt }: MovingSurroundings,
  result: ResultOutput,
): DataPort {
  const notify = (line: string) => result.problem(line);
  return openDataPort(address, { sendRequest, clock, wait, interrupted: onInterrupt(), notify });
}

/**
 * Runs a move to its exit code. Problems that the user can understand are printed, others are thrown. `work` returns
 * the exit code and further members of the result. `place`: members that name what is read or written.
 */
export async function runMove(
  options: Pick<MoveOptions, 'isJson' | 'isQuiet'> & { readonly place: object },
  { clock }: MovingSurroundings,
  output: CliOutput,
  work: (result: ResultOutput, report: MoveReport) => Promise<{ code: number } & object>,
): Promise<number> {
  const result = resultOutput(options, output, clock);
  const tables: MovedTotals[] = [];
  const report: MoveReport = {
    line: (text) => result.line(text),
    warn: (text) => result.problem(text),
    progress: (label, share) => result.progress(label, share),
    finished: (totals) => {
      tables.push(totals);
      result.line(textOf(totals));
    },
  };
  const end = (code: number, more: object = {}) => result.end(code, { ...options.place, ...more, tables });
  try {
    const { code, ...more } = await work(result, report);
    return end(code, more);
  } catch (error) {
    if (error instanceof Interrupted) {
      result.problem('interrupted; the same command continues');
      return end(exitInterrupted);
    }
    if (!isForUser(error)) throw error;
    result.problem(error.message);
    return end(1);
  }
}

function textOf({ name, kind, rows, checksum, refused = 0, verified, rowsOfTarget }: MovedTotals): string {
  const things = kind === 'table' ? 'rows' : 'documents';
  const facts = [
    `${name}: ${rows} ${things}${verified === false ? ' inserted' : ''}`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    `checksum ${checksum}`,
    ...(verified === undefined ? [] : [verified ? 'verified' : 'not verified']),
    ...(rowsOfTarget === undefined ? [] : [`the ${kind} has ${rowsOfTarget}`]),
  ];
  return facts.join(', ');
}

/** Names what is left out and returns the exit code. */
export function leftOutAtEnd(result: ResultOutput, leftOut: readonly string[], isAllowed: boolean): number {
  for (const line of leftOut) result.problem(`warning: ${line}`);
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
