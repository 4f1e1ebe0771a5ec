#!/usr/bin/env node
// The entry point of the command line.
import { text } from 'node:stream/consumers';
import { cqlCommand } from '../cli/cql.js';
import { hashPasswordCommand } from '../cli/hash-password.js';
import { keysCommand } from '../cli/keys.js';
import { runCommandLine } from '../cli/run-command-line.js';
import { serveCommand } from '../cli/serve.js';
import { sendRequest } from '../foundation/http/send-request.js';
import { readPassword, readSecrets } from './read-password.js';
import { readVersion } from './read-version.js';

// A reader that has seen enough closes the pipe, as `head` does: what is left of the output is not wanted. A server
// that runs listens as well, and continues whatever the error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && process.stdout.listenerCount('error') === 1) throw error;
});

// No `await` at the top level: in the bundle, modules that are imported later may be in this file and wait for it.
runCommandLine(
  process.argv.slice(2),
  [
    serveCommand(async (config, readConfigAgain) =>
      (await import('./serve.js')).serve(config, { readConfigAgain }),
    ),
    cqlCommand({ sendRequest, readInput: process.stdin.isTTY ? undefined : () => text(process.stdin) }),
    hashPasswordCommand(readPassword),
    keysCommand({ sendRequest, readSecrets }),
  ],
  readVersion(),
  {
    out: (line) => process.stdout.write(line),
    problem: (line) => process.stderr.write(line),
  },
).then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`colonnade: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1); // a failed start may leave threads running
  },
);
