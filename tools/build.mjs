// Compiles the TypeScript sources, and the AssemblyScript sources (*.as.ts), into dist/, and bundles the server and the console. With --if-stale only when a source is newer than the last build.
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
const dist = join(root, 'dist');
const stampName = '.built';
const cache = join(root, 'node_modules', '.cache', 'colonnade');
const folders = ['src', 'console', 'tests', 'benchmarks', 'examples', 'tools'];
const sources = [...folders, 'package.json', 'tsconfig.json'];

/** Builds unless the build is newer than every source; calls `onBuild` before. Ends the process with the compiler's status when it fails. */
export async function buildIfStale(onBuild = () => {}) {
  const stamp = join(dist, stampName);
  if (existsSync(stamp) && newestOf(sources) <= statSync(stamp).mtimeMs) return;
  onBuild();
  await build();
}

/**
 * Builds into a new directory, which takes the place of dist/ at the end. A source that does not compile leaves the last
 * build as it is; stale output of a deleted source, which would still be imported or run as a test, is gone.
 */
export async function build() {
  removeLeftovers();
  const next = join(root, `dist.${process.pid}`);
  process.once('exit', () => rmSync(next, { recursive: true, force: true })); // of a build that failed
  const startedAt = new Date();
  const compiler = join(dirname(resolve('typescript/package.json')), 'bin', 'tsc');
  runOrExit([compiler, '-p', root, '--outDir', next]);
  runOrExit([compiler, '-p', join(root, 'console'), '--outDir', join(next, 'console-modules')]);
  await buildConsole(cache, join(next, 'console'));
  buildAssembly(next, 'vectors', 'graph');
  buildAssembly(next, 'postings', 'words');
  await bundle(join(next, 'src'), join(next, 'server'));
  copyFileSync(join(root, 'src/bin/library-types.d.ts'), join(next, 'server/library.d.ts'));
  const stamp = join(next, stampName);
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt); // a source saved while the compiler ran is newer than the build
  const last = `${next}.last`;
  if (existsSync(dist)) renameSync(dist, last);
  renameSync(next, dist);
  rmSync(last, { recursive: true, force: true });
}

/** Removes what killed builds left. One of them can have had the id of this process, as in a container. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const [, pid] = /^dist\.(\d+)(?:\.last)?$/.exec(name) ?? [];
    if (pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid))))
      rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * AssemblyScript to WebAssembly with vector instructions, on a shared memory (`makeGraphMemory` says why): the sources
 * in the folder `name` of a part of the engine become one module, whose entry is `name.as.ts`. The compiler takes
 * longer than the rest of the build: what it made of the same sources before is taken from a cache.
 */
function buildAssembly(target, part, name) {
  const parent = join(root, 'src', 'data-service', 'engine', 'embedded', part);
  const compiler = join(dirname(resolve('assemblyscript/package.json')), 'bin', 'asc.js');
  const memory = ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'];
  const features = ['threads', 'simd', 'bulk-memory'].flatMap((feature) => ['--enable', feature]);
  const effort = ['--optimizeLevel', '3', '--converge', '--noAssert', '--runtime', 'stub', '--use', 'abort='];
  const options = [...effort, ...memory, ...features];
  const folder = join(parent, name);
  const sources = readdirSync(folder).sort();
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const path of [
    ...sources.map((source) => join(folder, source)),
    resolve('assemblyscript/package.json'),
  ])
    hash.update(readFileSync(path));
  const made = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(made)) {
    mkdirSync(cache, { recursive: true });
    // Under another name first: a compiler that is interrupted leaves an incomplete file.
    const half = `${made}.${process.pid}`;
    runOrExit([compiler, join(folder, `${name}.as.ts`), '--outFile', half, ...options]);
    renameSync(half, made);
  }
  copyFileSync(made, join(target, relative(root, parent), `${name}.wasm`));
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
