// The server on a disk whose flush takes 2 ms longer: what a laptop's disk does to the figures.

import { serve } from '../src/bin/serve.js';
import { runCommandLine } from '../src/cli/run-command-line.js';
import { serveCommand } from '../src/cli/serve.js';

const commitDelayMs = 2;

await runCommandLine(
  process.argv.slice(2),
  [serveCommand((config) => serve(config, { commitDelayMs }))],
  'benchmark',
  {
    out: (text) => process.stdout.write(text),
    problem: (text) => process.stderr.write(text),
  },
);
