// Compiles the TypeScript sources, and the graph's AssemblyScript sources (*.as.ts), into dist/, and bundles the server and the console. With --if-stale only when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { bundle } from './bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', '.built');
const cache = join(root, 'node_modules', '.cache', 'colonnade');
const folders = ['src', 'console', 'tests', 'benchmarks', 'examples', 'tools'];
const sources = [...folders, 'package.json', 'tsconfig.json'];

/** Builds unless the build is newer than every source; calls `onBuild` before. Ends the process with the compiler's status when it fails. */
export async function buildIfStale(onBuild = () => {}) {
  if (existsSync(stamp) && newestOf(sources) <= statSync(stamp).mtimeMs) return;
  onBuild();
  await build();
}

export async function build() {
  // Stale output of a deleted source would still be imported or run as a test.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const startedAt = new Date();
  const compiler = join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
  for (const project of [root, join(root, 'console')]) runOrExit([compiler, '-p', project]);
  await buildConsole(cache);
  buildGraph();
  await bundle(join(root, 'dist', 'src'), join(root, 'dist', 'server'));
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt); // a source saved while the compiler ran is newer than the build
}

/**
 * AssemblyScript to WebAssembly with vector instructions, on a shared memory (`makeGraphMemory` says why). The compiler
 * takes longer than the rest of the build: what it made of the same sources before is taken from a cache.
 */
function buildGraph() {
  const vectors = join(root, 'src', 'data-service', 'engine', 'embedded', 'vectors');
  const compiler = join(dirname(resolve('assemblyscript/package.json')), 'bin', 'asc.js');
  const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'];
  const features = ['threads', 'simd', 'bulk-memory'].flatMap((feature) => ['--enable', feature]);
  const effort = ['--optimizeLevel', '3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort='];
  const options = [...effort, ...memory, ...features];
  const folder = join(vectors, 'graph');
  const sources = readdirSync(folder).sort();
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const path of [...sources.map((name) => join(folder, name)), resolve('assemblyscript/package.json')])
    hash.update(readFileSync(path));
  const made = join(cache, `graph-${hash.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(made)) {
    mkdirSync(cache, { recursive: true });
    // Under another name first: a compiler that is interrupted leaves an incomplete file.
    const half = `${made}.${process.pid}`;
    runOrExit([compiler, join(folder, 'graph.as.ts'), '--outFile', half, ...options]);
    renameSync(half, made);
  }
  copyFileSync(made, join(root, 'dist', relative(root, vectors), 'graph.wasm'));
}

function resolve(name) {
  return createRequire(import.meta.url).resolve(name);
}

function runOrExit(args) {
  const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
}

function newestOf(names) {
  return Math.max(...names.map((name) => newestIn(join(root, name))));
}

function newestIn(path) {
  if (!existsSync(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  // A directory's own time counts too: it changes when a file in it is removed.
  // Libraries that a benchmark installed are not sources.
  const names = readdirSync(path).filter((name) => name !== 'node_modules');
  return names.reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), status.mtimeMs);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--if-stale')) await buildIfStale();
  else await build();
}
