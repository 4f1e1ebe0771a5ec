#!/usr/bin/env node
// The entry point of the command line.
import { exitInterrupted } from '../cli/cli-command.js';
import { nodeProblem } from '../cli/node-problem.js';
import { runCommandLine } from '../cli/run-command-line.js';
import { serveCommand } from '../cli/serve.js';
import { restartForAllocator } from '../foundation/machine/restart-for-allocator.js';
import { readVersion } from './parts/read-version.js';

// A program that reads the output, such as `head`, may close the pipe early: the command then ends, because nothing
// reads the rest. A running server has a listener of its own, and continues after any error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || process.stdout.listenerCount('error') > 1) return;
  process.stderr.write(`colonnade: standard output cannot be written: ${error.message}\n`);
  process.exit(1);
});
// Problems and progress that nobody can read do not end the work: its result is on standard output.
process.stderr.on('error', () => {});

const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`colonnade: ${problem}\n`);
  process.exit(1);
}
const version = readVersion();

const serve = serveCommand(async (config, readConfigAgain) => {
  await (await import('./serve.js')).serve(config, { readConfigAgain });
});

async function run(args: readonly string[]): Promise<number | undefined> {
  // Before the configuration is read: a pipe that --config names has its text only once.
  if (args[0] === serve.name) restartForAllocator(process);
  // A server starts without the code of the other commands.
  const others = args[0] === serve.name ? [] : (await import('./commands.js')).commandsBesideServe(version);
  return runCommandLine(args, [serve, ...others], version, {
    out: (line) => process.stdout.write(line),
    problem: (line) => process.stderr.write(line),
    isTerminal: process.stderr.isTTY,
  });
}

// No `await` at the top level: in the bundle, modules that are imported later may be part of this file and wait for it.
run(process.argv.slice(2)).then(
  (code) => {
    if (code === exitInterrupted) process.exit(code); // work that cannot be stopped may continue
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`colonnade: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1); // a failed start may leave threads running
  },
);
