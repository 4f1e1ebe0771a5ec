// How commands show their results: text or JSON on standard output, a progress bar on standard error.
import { printable } from '../files/printable-text.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import type { CliOutput } from './cli-command.js';

/** Options that these commands take, for `parseArgs`. */
export const outputOptions = { json: { type: 'boolean' }, quiet: { type: 'boolean' } } as const;

/** Their help. */
export const outputOptionsHelp = `  --json
      Prints the result as one line of JSON, with the member "ok".
  --quiet
      Shows no progress. There is none either if standard error is not a terminal.
`;

/** What a command shows while it runs and at its end. */
export interface ResultOutput {
  readonly isJson: boolean;
  /** A line about a finished part; not printed with `--json`. */
  line(text: string): void;
  /** A warning or problem, on standard error; the first 1,000 are also in the member `problems` of the JSON. */
  problem(text: string): void;
  /** Shows how far the work is: the share from 0 to 1, or undefined if the end is not known. */
  progress(label: string, share: number | undefined): void;
  /** Whether the progress is shown. */
  readonly showsProgress: boolean;
  /** Prints the JSON, if it was wanted, and returns the exit code. */
  end(exitCode: number, result?: object): number;
}

/** An import can have a problem with each row. */
const mostProblems = 1_000;
const msBetweenDraws = 100;
const barWidth = 30;

/** The output of a command that was called with these options. */
export function resultOutput(
  { isJson, isQuiet }: { readonly isJson: boolean; readonly isQuiet: boolean },
  output: CliOutput,
  clock: Pick<Clock, 'monotonicMs'>,
): ResultOutput {
  const problems: string[] = [];
  let problemCount = 0;
  const shows = output.isTerminal === true && !isQuiet;
  let [drawnMs, hasBar] = [Number.NEGATIVE_INFINITY, false];
  const clear = () => {
    if (hasBar) output.problem('\r\u001b[K');
    hasBar = false;
  };
  return {
    isJson,
    showsProgress: shows,
    line: (text) => {
      clear();
      if (!isJson) output.out(`${shown(text)}\n`);
    },
    problem: (text) => {
      clear();
      problemCount += 1;
      if (problemCount <= mostProblems) problems.push(text);
      output.problem(`colonnade: ${shown(text)}\n`);
    },
    progress: (label, share) => {
      const nowMs = clock.monotonicMs();
      if (!shows || nowMs - drawnMs < msBetweenDraws) return;
      drawnMs = nowMs;
      hasBar = true;
      output.problem(`\r${shown(progressText(label, share))}\u001b[K`);
    },
    end: (exitCode, result = {}) => {
      clear();
      if (isJson)
        output.out(
          `${printable(JSON.stringify({ ok: exitCode === 0, ...result, problemCount, problems }))}\n`,
        );
      return exitCode;
    },
  };
}

/** A text that names of tables and contents of files cannot change into commands of the terminal. */
export function shown(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** `rows  [#####     ]  50 %` */
function progressText(label: string, share: number | undefined): string {
  if (share === undefined) return label;
  const part = Math.min(1, Math.max(0, share));
  const filled = Math.round(part * barWidth);
  const bar = `${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}`;
  return `${label}  [${bar}] ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** A size for people: `1.5 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
