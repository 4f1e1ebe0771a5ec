// Builds the console with Vite, and compresses its files there; or serves its sources beside a running server.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** What a page is built of: its own sources, and how files of rows are read and written. */
const sources = ['console', 'src/files', 'src/foundation/json'].map((name) => join(root, name));
/** Smaller files fit into one packet with their head. */
const compressFromBytes = 1024;

/** Bundles the console into `target`. What was built of the same sources and packages before is taken from `cache`. */
export async function buildConsole(cache, target) {
  const made = join(cache, `console-${hashOfSources()}`);
  if (!existsSync(made)) {
    const [{ build }, { consoleConfig }] = await loadVite();
    const half = `${made}.${process.pid}`;
    mkdirSync(cache, { recursive: true });
    await build({ ...consoleConfig, build: { ...consoleConfig.build, outDir: half } });
    compressFiles(join(half, 'console'));
    if (!existsSync(made)) renameSync(half, made);
  }
  cpSync(made, target, { recursive: true });
}

/** Writes `NAME.br` and `NAME.gz` beside each file, at the best levels, because this happens once. */
function compressFiles(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    if (bytes.length < compressFromBytes) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const path of [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)])
    hash.update(readFileSync(path));
  const names = sources
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const name of names) hash.update(name.slice(root.length)).update(readFileSync(name));
  return hash.digest('hex').slice(0, 16);
}

function loadVite() {
  return Promise.all([import('vite'), import('../console/vite.config.mjs')]);
}

async function develop() {
  const [{ createServer }, { consoleConfig }] = await loadVite();
  const server = await createServer({ ...consoleConfig, logLevel: 'info' });
  await server.listen();
  server.printUrls();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await develop();
