#!/usr/bin/env node
// The command line's entry.
import { hashPasswordCommand } from '../cli/hash-password.js';
import { runCommandLine } from '../cli/run-command-line.js';
import { serveCommand } from '../cli/serve.js';
import { readPassword } from './read-password.js';
import { readVersion } from './read-version.js';
import { serve } from './serve.js';

try {
  const code = await runCommandLine(
    process.argv.slice(2),
    [serveCommand((config) => serve(config)), hashPasswordCommand(readPassword)],
    readVersion(),
    {
      out: (text) => process.stdout.write(text),
      problem: (text) => process.stderr.write(text),
    },
  );
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  process.stderr.write(`colonnade: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1); // a half-started server may have left something running
}
