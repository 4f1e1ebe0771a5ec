// Runs other programs: the only file that starts processes. No shell takes part.
import { spawn } from 'node:child_process';

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined when it did not end by itself: a signal, a program that cannot be started. */
  readonly exitCode: number | undefined;
  /** Why it did not end by itself, in words. */
  readonly problem: string | undefined;
  /** The last of what it wrote to both outputs, in the order in which it came. */
  readonly output: string;
}

/** Limits of a run. */
export interface ProgramLimits {
  /** It is ended after this long. */
  readonly timeoutMs: number;
  /** Bytes of output that are kept, the last ones. */
  readonly outputBytes: number;
  /** Ends the program when it is aborted. */
  readonly signal?: AbortSignal;
}

/** How long a program that was asked to end may take before it is killed. */
const graceMs = 5000;

/** Runs `words[0]` with the other words as its arguments, without input, to its end. Never rejects. */
export function runProgram(words: readonly string[], limits: ProgramLimits): Promise<ProgramEnd> {
  const [program = '', ...given] = words;
  return new Promise((resolve) => {
    const output = new Tail(limits.outputBytes);
    let problem: string | undefined;
    const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'] });
    const end = (reason: string) => {
      problem ??= reason;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
    };
    const timeout = setTimeout(
      () => end(`it took longer than ${limits.timeoutMs / 60_000} minutes`),
      limits.timeoutMs,
    );
    const abort = () => end('it was cancelled');
    limits.signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
    child.once('error', (error) => {
      problem ??= error.message;
    });
    child.once('close', (exitCode, signal) => {
      clearTimeout(timeout);
      limits.signal?.removeEventListener('abort', abort);
      if (signal !== null) problem ??= `it was ended by ${signal}`;
      resolve({
        exitCode: problem === undefined ? (exitCode ?? undefined) : undefined,
        problem,
        output: output.text(),
      });
    });
    if (limits.signal?.aborted === true) abort();
  });
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
