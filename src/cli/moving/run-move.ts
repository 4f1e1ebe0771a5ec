// What `colonnade export` and `colonnade import` have in common: their reports, and how they end.
import { FileProblem } from '../../files/file-problem.js';
import { FileNotWritten } from '../../foundation/secrets/replace-file.js';
import { type CliOutput, exitInterrupted } from '../cli-command.js';
import type { ClientSurroundings } from '../data-port.js';
import type { SenderSurroundings } from '../patient-sender.js';
import { DataPortProblem, Interrupted } from '../port-problems.js';
import { type ResultOutput, resultOutput } from '../result-output.js';
import { UnknownColumn } from './canonical-row.js';
import { ExportProblem } from './export-directory.js';
import type { MoveOptions } from './move-options.js';
import type { MovedTotals, MoveReport } from './move-report.js';
import { RowFileProblem } from './row-file.js';

/** What the ports of a command send with: their waits are printed as problems. */
export function movingSender(
  { sendRequest, clock, wait, onInterrupt }: ClientSurroundings,
  result: ResultOutput,
  interrupted = onInterrupt(),
): SenderSurroundings {
  return { sendRequest, clock, wait, interrupted, notify: (line) => result.problem(line) };
}

/**
 * Runs a move to its exit code. Problems that the user can understand are printed, others are thrown. `work` returns
 * the exit code and further members of the result. `named`: members that name what is read or written. `repeated`: what
 * the same command does after an interrupt.
 */
export async function runMove(
  options: Pick<MoveOptions, 'isJson' | 'isQuiet'> & { readonly named: object; readonly repeated?: string },
  { clock }: ClientSurroundings,
  output: CliOutput,
  work: (result: ResultOutput, report: MoveReport) => Promise<{ code: number } & object>,
): Promise<number> {
  const result = resultOutput(options, output, clock);
  const tables: MovedTotals[] = [];
  const report: MoveReport = {
    line: (text) => result.line(text),
    warn: (text) => result.problem(text),
    progress: (label, share) => result.progress(label, share),
    showsProgress: result.showsProgress,
    finished: (totals) => {
      tables.push(totals);
      result.line(textOf(totals));
    },
  };
  const end = (code: number, more: object = {}) => result.end(code, { ...options.named, ...more, tables });
  try {
    const { code, ...more } = await work(result, report);
    return end(code, more);
  } catch (error) {
    if (error instanceof Interrupted) {
      result.problem(`interrupted; the same command ${options.repeated ?? 'continues'}`);
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

function isForUser(error: unknown): error is Error {
  const isOurs = [DataPortProblem, ExportProblem, FileProblem, RowFileProblem, UnknownColumn, FileNotWritten];
  if (isOurs.some((kind) => error instanceof kind)) return true;
  // The file system: the disk is full, the directory cannot be written.
  return error instanceof Error && 'syscall' in error;
}
