// Starts real server processes for tests and leaves neither processes nor files behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a process that has ended left behind. */
export interface FinishedRun extends ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
}

/** How to start the server. */
export interface StartOptions {
  /** Further options of `colonnade serve`. Ports are picked free unless given here. */
  readonly args?: readonly string[];
  /** Further environment variables. Those of the test's own process with our prefix are not passed on. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Kept when given; without it the server gets a new directory that goes away with it. */
  readonly dataDir?: string;
  /** Options of Node itself, for all threads: those that NODE_OPTIONS can have. */
  readonly nodeArgs?: readonly string[];
  /** The modules as they were compiled, not bundled: what `nodeArgs` import are then the server's own modules. */
  readonly isUnbundled?: boolean;
  /** A program and its arguments that replaces itself by the command line that follows them. */
  readonly launcher?: readonly string[];
}

/** A server process under test. */
export interface RunningServer {
  /** The table data service: `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly opsUrl: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Resolves when the process is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** What it wrote so far. */
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, then waits. Fails when the process has not left after 15 s, and kills it then. */
  stop(): Promise<ProcessEnd>;
}

/** The bundled command line, as a user starts it. */
export const colonnadePath = fileURLToPath(new URL('../../server/colonnade.js', import.meta.url));
const unbundledPath = fileURLToPath(new URL('../../src/bin/colonnade.js', import.meta.url));

/** What hangs is given up after this time. It is longer on a machine that others use at the same time. */
const readyTimeoutMs = Number(process.env['COLONNADE_TEST_PATIENCE_MS'] ?? 60_000);
/** Commands such as backups rest beside other work. */
const commandTimeoutMs = 180_000;
const stopTimeoutMs = 30_000;

/**
 * Starts `colonnade serve` and waits until both ports are announced. Fails with the process's output when it ends
 * before.
 */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const dataDir = options.dataDir ?? makeTemporaryDirectory();
  const args = ['serve', '--data-dir', dataDir, ...portArgs(options.args ?? []), ...(options.args ?? [])];
  const child = spawnColonnade(args, options);
  const output = collectOutput(child);
  const ended = endOf(child).then((end) => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    return end;
  });
  const [url, opsUrl] = await waitForUrls(child, output, ended);
  return {
    url,
    opsUrl,
    pid: child.pid ?? 0,
    dataDir,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM');
      return withTimeout(ended, stopTimeoutMs, () => {
        child.kill('SIGKILL');
        return `the server did not stop:\n${output.stderr}`;
      });
    },
  };
}

/** Starts a server for some work and stops it afterwards, whether the work failed or not. */
export async function withServer(
  options: StartOptions | undefined,
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startServer(options);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

/** Runs `colonnade ARGS` to its end, with a text on its standard input; `launcher`: as for a server. */
export async function runColonnade(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input?: string,
  launcher: readonly string[] = [],
): Promise<FinishedRun> {
  const child = spawnColonnade(args, { environment, launcher }, input === undefined ? 'ignore' : 'pipe');
  child.stdin?.end(input);
  const output = collectOutput(child);
  const end = await withTimeout(endOf(child), commandTimeoutMs, () => {
    child.kill('SIGKILL');
    return `colonnade ${args.join(' ')} did not end:\n${output.stdout}${output.stderr}`;
  });
  return { ...end, ...output };
}

/** A new directory that is removed when the test's process ends, at the latest. */
export function makeTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-test-'));
  temporaryDirectories.push(directory);
  return directory;
}

const temporaryDirectories: string[] = [];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const directory of temporaryDirectories) rmSync(directory, { recursive: true, force: true });
});

/**
 * The variables of this process without those that a server reads as options, and without authorities of other
 * machines: Node reads their certificates at each start, which can take a tenth of it.
 */
export function environmentOfTests(): Readonly<Record<string, string | undefined>> {
  const isForServers = (name: string) => !name.startsWith('COLONNADE_') && name !== 'NODE_EXTRA_CA_CERTS';
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isForServers(name)));
}

function spawnColonnade(
  args: readonly string[],
  options: StartOptions,
  input: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const path = options.isUnbundled === true ? unbundledPath : colonnadePath;
  const nodeLine = [process.execPath, path, ...args];
  const [program = process.execPath, ...programArgs] = [...(options.launcher ?? []), ...nodeLine];
  // Threads do not have the arguments of their process, but they have the options of the environment.
  const nodeOptions = options.nodeArgs === undefined ? {} : { NODE_OPTIONS: options.nodeArgs.join(' ') };
  const child = spawn(program, programArgs, {
    env: { ...environmentOfTests(), ...options.environment, ...nodeOptions },
    stdio: [input, 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
}

function portArgs(given: readonly string[]): string[] {
  const has = (name: string) => given.some((arg) => arg === name || arg.startsWith(`${name}=`));
  return ['--port', '--ops-port'].filter((name) => !has(name)).map((name) => `${name}=0`);
}

interface Output {
  stdout: string;
  stderr: string;
}

function collectOutput(child: ChildProcess): Output {
  const output: Output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-1_000_000);
    });
  }
  return output;
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

async function waitForUrls(
  child: ChildProcess,
  output: Output,
  ended: Promise<ProcessEnd>,
): Promise<readonly [string, string]> {
  const announced = new Promise<readonly [string, string]>((resolve) => {
    child.stdout?.on('data', () => {
      const [url, opsUrl] = [...output.stdout.matchAll(/ on (https?:\S+)\n/g)].map((match) => match[1]);
      if (url !== undefined && opsUrl !== undefined) resolve([url, opsUrl]);
    });
  });
  const endedBefore = ended.then(({ code, signal }) => {
    throw new Error(`the server ended (${code ?? signal}) before it was ready:\n${output.stderr}`);
  });
  // Code that waits for `ended` later must not see this as an unhandled rejection.
  endedBefore.catch(() => {});
  return withTimeout(Promise.race([announced, endedBefore]), readyTimeoutMs, () => {
    child.kill('SIGKILL');
    return `the server was not ready in time:\n${output.stdout}${output.stderr}`;
  });
}

async function withTimeout<Result>(
  work: Promise<Result>,
  timeoutMs: number,
  onTimeout: () => string,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(onTimeout())), timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
