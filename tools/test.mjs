// What `npm test` runs: build, linter, then every compiled test. Arguments narrow it to files that contain one of them.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = process.argv.slice(2);

await buildIfStale();
if (wanted.length === 0)
  runOrExit([createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome'), 'check', '.']);

const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .map((name) => relative(process.cwd(), join(root, 'dist', name)))
  .sort();
if (files.length === 0) {
  console.error(`no test file contains any of: ${wanted.join(', ')}`);
  process.exit(1);
}
// Many tests wait for processes and timers: two files at a time even on two cores, where Node would take one.
const concurrency = Math.max(2, availableParallelism() - 1);
runOrExit(['--test', `--test-concurrency=${concurrency}`, '--test-timeout=600000', ...files]);

function runOrExit(args) {
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
