// Runs other programs, without a shell. The only file that starts programs.

import { type ChildProcess, spawn } from 'node:child_process';
import { endOfUtf8 } from '../text/shorten-utf8.js';

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined if it did not end by itself: a signal ended it, or it could not be started. */
  readonly exitCode: number | undefined;
  /** Why it did not end by itself. */
  readonly problem: string | undefined;
  /** The end of its two outputs, in the order in which the bytes arrived. */
  readonly output: string;
}

/** The settings of a run. */
export interface ProgramRun {
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program is ended after this time. */
  readonly timeoutMs: number;
  /** The number of bytes of output that are kept, from the end. */
  readonly outputBytes: number;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
  /** How long the program, and programs that it started, may take to end before they are killed. Default 5 s. */
  readonly graceMs?: number;
}

const ordinaryGraceMs = 5000;
/** How long the outputs of an ended program are still read if a program that it started keeps them open. */
const outputGraceMs = 500;

/**
 * Runs `words[0]` with the other words as its arguments, without input, until it ends. Programs that it started and
 * left running are not waited for; they are ended together with a program that does not end by itself (not on Windows).
 * Never rejects.
 */
export function runProgram(words: readonly string[], run: ProgramRun): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const started = startProgram(words, run);
    if ('problem' in started) {
      resolve({ exitCode: undefined, problem: started.problem, output: '' });
      return;
    }
    const { child } = started;
    const output = new Tail(run.outputBytes);
    let problem: string | undefined;
    let killing: NodeJS.Timeout | undefined;
    let outputGrace: NodeJS.Timeout | undefined;
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
      // Programs that it started may still run and ignore SIGTERM.
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

/** Some failures of a start are events, and others, such as ENOTDIR, are thrown. */
function startProgram([program = '', ...given]: readonly string[], { environment: env }: ProgramRun) {
  try {
    return { child: spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'], detached: hasGroups, env }) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Each program leads its own process group, so that ending a script also ends the programs that it started. */
const hasGroups = process.platform !== 'win32';

/** Signals a program and the programs that it started. */
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
    const kept = endOfUtf8(Buffer.concat(this.#chunks), this.#limit);
    this.#chunks = [kept];
    this.#length = kept.length;
  }
}
