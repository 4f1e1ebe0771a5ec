// Runs other programs: the only file that starts processes. No shell takes part.
import { type ChildProcess, spawn } from 'node:child_process';

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined when it did not end by itself: a signal, a program that cannot be started. */
  readonly exitCode: number | undefined;
  /** Why it did not end by itself, in words. */
  readonly problem: string | undefined;
  /** The last of what it wrote to both outputs, in the order in which it came. */
  readonly output: string;
}

/** How a program is run. */
export interface ProgramRun {
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** It is ended after this long. */
  readonly timeoutMs: number;
  /** Bytes of output that are kept, the last ones. */
  readonly outputBytes: number;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
  /** How long a program that was asked to end, and what it started, may take before they are killed; 5 s. */
  readonly graceMs?: number;
}

const ordinaryGraceMs = 5000;
/** How long the outputs of a program that has ended are read on, when something it started keeps them open. */
const outputGraceMs = 500;

/**
 * Runs `words[0]` with the other words as its arguments, without input, to its end. What it started and left behind is
 * not waited for; it is ended together with a program that does not end by itself (not on Windows). Never rejects.
 */
export function runProgram(words: readonly string[], run: ProgramRun): Promise<ProgramEnd> {
  const [program = '', ...given] = words;
  return new Promise((resolve) => {
    const output = new Tail(run.outputBytes);
    let problem: string | undefined;
    let killing: NodeJS.Timeout | undefined;
    let outputGrace: NodeJS.Timeout | undefined;
    const child = spawn(program, given, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: hasGroups,
      env: run.environment,
    });
    const end = (reason: string) => {
      problem ??= reason;
      signalGroup(child, 'SIGTERM');
      killing ??= setTimeout(() => signalGroup(child, 'SIGKILL'), run.graceMs ?? ordinaryGraceMs).unref();
    };
    const timeout = setTimeout(
      () => end(`it took longer than ${run.timeoutMs / 60_000} minutes`),
      run.timeoutMs,
    );
    const abort = () => end('it was cancelled');
    run.signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
    child.on('error', (error) => {
      problem ??= error.message;
    });
    child.once('exit', () => {
      clearTimeout(timeout);
      run.signal?.removeEventListener('abort', abort);
      outputGrace = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, outputGraceMs);
    });
    child.once('close', (exitCode, signal) => {
      for (const timer of [timeout, outputGrace]) clearTimeout(timer);
      // What it started may still be there, and pay no heed to SIGTERM.
      if (!isGroupThere(child)) clearTimeout(killing);
      run.signal?.removeEventListener('abort', abort);
      if (signal !== null) problem ??= `it was ended by ${signal}`;
      resolve({
        exitCode: problem === undefined ? (exitCode ?? undefined) : undefined,
        problem,
        output: output.text(),
      });
    });
    if (run.signal?.aborted === true) abort();
  });
}

/** Each program leads its own process group there, so that ending a script also ends the programs that it started. */
const hasGroups = process.platform !== 'win32';

/** Signals a program and what it started. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (hasGroups && child.pid !== undefined) {
      process.kill(-child.pid, signal);
      return;
    }
  } catch {
    // Nothing of the group is left, or it may not be signalled: the child shows which.
  }
  child.kill(signal);
}

function isGroupThere({ pid }: ChildProcess): boolean {
  if (!hasGroups || pid === undefined) return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false; // the group is empty
  }
}

/** The last bytes of a stream. */
class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > 2 * this.#limit) this.#cut();
  }

  text(): string {
    this.#cut();
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  #cut(): void {
    const kept = Buffer.concat(this.#chunks).subarray(-this.#limit);
    this.#chunks = [kept];
    this.#length = kept.length;
  }
}
