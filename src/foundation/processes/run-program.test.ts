// Checks how programs end: by themselves, too late, cancelled, never started.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runProgram } from './run-program.js';

const limits = { timeoutMs: 60_000, outputBytes: 1000 };
const node = (script: string) => [process.execPath, '-e', script];

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

  it('gets its words as they are', async () => {
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))';
    const end = await runProgram([...node(script), '--', '$(id)', '; ls', 'a b'], limits);
    assert.deepEqual(JSON.parse(end.output), ['$(id)', '; ls', 'a b']);
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
