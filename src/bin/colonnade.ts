#!/usr/bin/env node
// The command line's entry.
import { readFileSync } from 'node:fs';
import { runCommandLine } from '../cli/run-command-line.js';
import { serveCommand } from '../cli/serve.js';
import { serve } from './serve.js';

try {
  const code = await runCommandLine(
    process.argv.slice(2),
    [serveCommand((config) => serve(config))],
    version(),
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

function version(): string {
  const json: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json ? String(json.version) : 'unknown';
}
