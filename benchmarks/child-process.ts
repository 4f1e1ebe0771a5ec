// Starts the benchmarks' own processes, waits for what they say, and stops them.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LoadPlan, LoadReport } from './load-plan.js';

/** A server under test or a reference. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** The operations port; 0 for a reference that has none. */
  opsPort(): number;
  /** From the start of the process to its first reply to `/health/ready`. */
  readonly startToReadyMs: number;
  /** Resident memory now, in MB (2^20 bytes); NaN if the system does not show it. */
  residentMb(): number;
  /** Time of the processors used so far by all its threads, in seconds; NaN if the system does not show it. */
  cpuSeconds(): number;
  /** Asks it to end and waits until it has. */
  stop(): Promise<void>;
}

/** Longer than any start takes; a server that is not ready by then is given up. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;

/**
 * Starts `node entry …args` and waits until the first URL that it prints, of a line that is not about operations,
 * answers `/health/ready` with 200.
 */
export async function startServer(entry: string, args: readonly string[]): Promise<ServerProcess> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const giveUp = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  let opsPort = 0;
  const url = await firstUrl(child, (found) => {
    opsPort = Number(new URL(found).port);
  });
  while (!(await isReady(url))) await new Promise((resolve) => setTimeout(resolve, 2));
  clearTimeout(giveUp);
  return {
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    opsPort: () => opsPort,
    startToReadyMs: performance.now() - startMs,
    residentMb: () => residentMb(child.pid),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: () => stop(child),
  };
}

/** Runs a script of the benchmarks to its end and reads the JSON that it prints last. */
export async function runScript<Report>(script: string, argument: unknown): Promise<Report> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const status = await new Promise((resolve) => child.once('close', resolve));
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  // Our own script wrote it.
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Report;
}

/** Runs a load in a process of its own. */
export function runLoad(plan: LoadPlan): Promise<LoadReport> {
  return runScript<LoadReport>('load-generator.js', plan);
}

function firstUrl(child: ChildProcess, onOpsUrl: (url: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        if (said.length < 20) said.push(line);
        const url = /https?:\/\/[^\s"/]+:\d+/.exec(line)?.[0];
        if (url === undefined) return;
        if (/\b(ops|operations)\b/i.test(line)) onOpsUrl(url);
        else resolve(url);
      });
    }
    child.once('error', reject);
    child.once('close', (status) => {
      reject(new Error(`the server ended with ${status} before it was ready:\n${said.join('\n')}`));
    });
  });
}

async function isReady(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/health/ready`).catch(() => undefined);
  await reply?.arrayBuffer();
  return reply?.status === 200;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const giveUp = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await closed;
  clearTimeout(giveUp);
}

function residentMb(pid: number | undefined): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * Time of the processors that a process has used so far with all its threads; NaN if the system does not show it.
 * Field 14 and 15 of /proc/PID/stat, in hundredths of a second; the name before them may hold blanks.
 */
export function cpuSecondsOf(pid: number | undefined): number {
  try {
    return cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

/** The seconds of its threads whose names start so. A thread that ends takes its time along. */
export function threadSecondsOf(pid: number, nameStart: string): number {
  const directory = `/proc/${pid}/task`;
  const stats = readdirSync(directory).map((thread) => {
    try {
      return readFileSync(`${directory}/${thread}/stat`, 'utf8');
    } catch {
      return ''; // it has just ended
    }
  });
  return stats
    .filter((stat) => stat.includes(`(${nameStart}`))
    .reduce((sum, stat) => sum + cpuSecondsIn(stat), 0);
}

/** From the line that Linux keeps of a process or a thread. */
function cpuSecondsIn(stat: string): number {
  const [, behindName = ''] = stat.split(') ');
  const fields = behindName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
