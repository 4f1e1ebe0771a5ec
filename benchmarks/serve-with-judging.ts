// The server, and beside it a thread that judges and keeps the metrics of a large cluster as the operations thread
// would.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import { opsThreadLimits } from '../src/bin/ops/open-ops-service.js';
import { opsThreadNiceness } from '../src/bin/ops/ops-messages.js';
import { serve } from '../src/bin/serve.js';
import { runCommandLine } from '../src/cli/run-command-line.js';
import { serveCommand } from '../src/cli/serve.js';
import { giveWay } from '../src/foundation/threads/give-way.js';
import { simulate } from './simulated-cluster.js';

/** More often than the default interval, so that a short run meets ticks. */
const tickIntervalMs = 2_000;

if (isMainThread) {
  new Worker(new URL(import.meta.url), { resourceLimits: opsThreadLimits });
  await runCommandLine(process.argv.slice(2), [serveCommand((config) => serve(config))], 'benchmark', {
    out: (text) => process.stdout.write(text),
    problem: (text) => process.stderr.write(text),
  });
} else {
  giveWay(opsThreadNiceness);
  const file = join(mkdtempSync(join(tmpdir(), 'colonnade-bench-judging-')), 'ops.db');
  const simulation = simulate({ nodes: 1000, metrics: 150, rules: 100, file });
  setInterval(() => simulation.tick(), tickIntervalMs);
}
