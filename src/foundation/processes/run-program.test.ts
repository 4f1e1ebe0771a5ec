// Checks how programs end: by themselves, too late, cancelled, never started.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runProgram } from './run-program.js';

const limits = { timeoutMs: 60_000, outputBytes: 1000, environment: process.env };
const node = (script: string) => [process.execPath, '-e', script];

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** The content of a file, as soon as it ends with a line break. */
async function lineOf(path: string): Promise<string> {
  for (;;) {
    try {
      const text = readFileSync(path, 'utf8');
      if (text.endsWith('\n')) return text.trim();
    } catch {
      // it is not there yet
    }
    await pause();
  }
}

/** Whether a process exists and has not ended: a process that ended exists until its exit code is read. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

describe('a program', () => {
  it('ends with its code and both of its outputs', async () => {
    const end = await runProgram(
      node('console.log("out"); console.error("err"); process.exitCode = 3'),
      limits,
    );
    assert.equal(end.exitCode, 3);
    assert.equal(end.problem, undefined);
    assert.deepEqual(end.output.trim().split('\n').sort(), ['err', 'out']);
  });

  it('has a problem where it has no valid path', async () => {
    for (const [program, problem] of [
      [`${process.execPath}/nodetool`, /ENOTDIR/],
      [`/${'n'.repeat(300)}`, /ENAMETOOLONG/],
    ] as const) {
      const end = await runProgram([program], limits);
      assert.equal(end.exitCode, undefined);
      assert.match(end.problem ?? '', problem);
    }
  });

  it('gets its words as they are', async () => {
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const end = await runProgram([...node(script), '--', '$(id)', '; ls', 'a b'], limits);
    assert.deepEqual(JSON.parse(end.output), ['$(id)', '; ls', 'a b']);
  });

  it('gets the environment that it is given, and nothing else', async () => {
    const environment = { PATH: process.env['PATH'], GIVEN: 'a b' };
    const end = await runProgram(node('console.log(JSON.stringify(process.env))'), {
      ...limits,
      environment,
    });
    assert.deepEqual(JSON.parse(end.output), environment);
  });

  it('leaves the last of its output', async () => {
    const end = await runProgram(node('for (let i = 0; i < 5000; i += 1) console.log(i)'), limits);
    assert.equal(end.output.length, 1000);
    assert.match(end.output, /4999\n$/);
  });

  it('is ended when it takes too long', async () => {
    const end = await runProgram(node('setInterval(() => {}, 1000)'), { ...limits, timeoutMs: 300 });
    assert.equal(end.exitCode, undefined);
    assert.match(end.problem ?? '', /took longer/);
  });

  it('is ended when it is cancelled, also before it began', async () => {
    const cancel = new AbortController();
    const running = runProgram(node('setInterval(() => {}, 1000)'), { ...limits, signal: cancel.signal });
    cancel.abort();
    assert.equal((await running).problem, 'it was cancelled');
    const late = await runProgram(node('setInterval(() => {}, 1000)'), { ...limits, signal: cancel.signal });
    assert.equal(late.problem, 'it was cancelled');
  });

  it('may not be there', async () => {
    const end = await runProgram(['/no/such/program'], limits);
    assert.equal(end.exitCode, undefined);
    assert.match(end.problem ?? '', /ENOENT/);
  });
});

describe('what a program started', {
  skip: process.platform === 'win32' && 'its programs are those of Unix',
  timeout: 30_000,
}, () => {
  /** `ignoring` ignores SIGTERM and has closed its outputs; both write their process id to the file `$0`. */
  const scripts = {
    heedful: 'sleep 60 & echo $! > "$0"; wait; true',
    ignoring: 'trap "" TERM; sleep 60 >/dev/null 2>&1 & echo $! > "$0"; trap - TERM; wait',
  };
  for (const [kind, graceMs] of [
    ['heedful', 60_000],
    ['ignoring', 200],
  ] as const) {
    it(`is ended with it when it is ${kind}`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'run-program-'));
      const file = join(directory, 'pid');
      const cancel = new AbortController();
      const words = ['sh', '-c', scripts[kind], file];
      const running = runProgram(words, { ...limits, graceMs, signal: cancel.signal });
      const pid = Number(await lineOf(file));
      assert.ok(isRunning(pid));
      cancel.abort();
      assert.equal((await running).problem, 'it was cancelled');
      while (isRunning(pid)) await pause();
      rmSync(directory, { recursive: true });
    });
  }

  it('is not waited for when it keeps the outputs of a program that took too long', async () => {
    const script = 'trap "" TERM; sleep 60 & echo $!; trap - TERM; wait';
    const end = await runProgram(['sh', '-c', script], { ...limits, graceMs: 60_000, timeoutMs: 300 });
    assert.match(end.problem ?? '', /took longer/);
    const pid = Number(end.output);
    assert.ok(isRunning(pid));
    process.kill(pid, 'SIGKILL');
  });

  it('is neither waited for nor ended when the program ends by itself', async () => {
    const end = await runProgram(['sh', '-c', 'sleep 60 & echo $!'], limits);
    assert.equal(end.exitCode, 0);
    const pid = Number(end.output);
    assert.ok(isRunning(pid));
    process.kill(pid);
  });
});
