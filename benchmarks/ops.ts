// `npm run bench:ops`: what the operations service costs, and how fast it is.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, formatFigures } from './figures.js';
import { measureEvents } from './ops-events.js';
import { measureIdle } from './ops-idle.js';
import { measureJudging } from './ops-judging.js';
import type { OpsMeasurement } from './ops-measurement.js';
import { measureNotices } from './ops-notices.js';

/** By the names that the command line takes. */
const measurements: Readonly<Record<string, OpsMeasurement>> = {
  events: measureEvents,
  idle: measureIdle,
  judging: measureJudging,
  notices: measureNotices,
};

const names = Object.keys(measurements);
const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    /** A tenth or less makes a trial; the targets are for 1. */
    scale: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(`usage: npm run bench:ops -- [--scale 1] [${names.join('|')}]...`);
else await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'colonnade-bench-ops-'));
  try {
    for (const name of positionals.length === 0 ? names : positionals) {
      const measure = measurements[name];
      if (measure === undefined) throw new Error(`there is no "${name}"; there are: ${names.join(', ')}`);
      const figures = await measure({ directory: join(directory, name), scale: Number(options.scale) });
      console.log(`\n${name}\n\n${formatFigures(figures)}`);
    }
    console.log(`\n${describeMachine()}; scale ${options.scale}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
