// The interface of the commands of the command line.

/** The outputs of a command; the process passes its own streams. */
export interface CliOutput {
  out(text: string): void;
  problem(text: string): void;
  /** Whether problems are shown on a terminal, where progress can be drawn. Default: no. */
  readonly isTerminal?: boolean;
}

/** A word of the command line, such as `serve`. */
export interface CliCommand {
  /** The word after `colonnade`. */
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** The output of `colonnade NAME --help`, with its last line break. */
  help(): string;
  /** Runs with the arguments after the name. Returns the exit code, or undefined while the process serves. */
  run(args: readonly string[], output: CliOutput): Promise<number | undefined>;
}

/** The exit code for a command line or configuration that cannot be used. */
export const exitUsage = 2;

/** Prints a problem of the command line of a command and returns the exit code. */
export function misused(output: CliOutput, command: string, problem: string): number {
  output.problem(`colonnade: ${problem}\nFor the options: colonnade ${command} --help\n`);
  return exitUsage;
}

/** The exit code after Ctrl-C or SIGTERM. */
export const exitInterrupted = 130;
