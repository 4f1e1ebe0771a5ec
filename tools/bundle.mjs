// Puts the modules of the server together: one file for each of its threads and a few for what is imported later.
// Loading some two hundred files one by one takes longer than everything else that happens at a start.
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';

const embedded = 'data-service/engine/embedded';

/**
 * The entries: the command line, the library, and every thread or process that is started by its file name. Each list is
 * bundled alone. Entries of one list share files; the two threads that every start waits for are one file each, with
 * what they use and nothing else: Node takes about half a millisecond for each file, and V8 reads all of its text.
 */
const bundles = [
  ['bin/colonnade', 'bin/library'],
  ['bin/ops/ops-thread'],
  [`${embedded}/writes/writer-thread`],
  [
    'archive/shipping/shipping-thread',
    'bin/following/follow-thread',
    'bin/large-requests/large-request-thread',
    'bin/workers/data-worker',
    'data-service/embedding/local/model-thread',
    'data-service/embedding/local/transformer-process',
    `${embedded}/writes/text-analysis-thread`,
    `${embedded}/reads/page-thread`,
    `${embedded}/scans/scan-thread`,
    `${embedded}/maintenance/check-process`,
    `${embedded}/maintenance/table-sizes-thread`,
    `${embedded}/vectors/vector-thread`,
  ],
];
/** What is read from beside the module that wants it. */
const files = [`${embedded}/vectors/graph.wasm`, `${embedded}/postings/words.wasm`];

/** From the compiled modules in `compiled` to `target`, all side by side: threads find each other's files there. */
export async function bundle(compiled, target) {
  let cache;
  for (const entries of bundles) {
    const made = await rollup({
      input: Object.fromEntries(
        entries.map((entry) => [entry.split('/').pop(), join(compiled, `${entry}.js`)]),
      ),
      external: isExternal,
      plugins: [requirePackages, { name: 'source-maps', load: loadWithMap }],
      cache,
      onwarn: (warning) => {
        throw new Error(warning.message);
      },
    });
    await made.write({
      dir: target,
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    cache = made.cache;
    await made.close();
  }
  for (const file of files) copyFileSync(join(compiled, file), join(target, file.split('/').pop()));
  // npm does it only for the first `npx colonnade` in a clone, not after a later build.
  chmodSync(join(target, 'colonnade.js'), 0o755);
}

/** Packages stay packages: they are updated and audited as such. */
function isExternal(id) {
  return /^[^./\0]/.test(id) && !isCommonJs(id);
}

/**
 * Imports of CommonJS packages become calls of `require`. For an import, Node searches the text of such a package for the
 * names that it exports, on each thread, and V8 optimizes that search: it took a fifth of a start.
 */
const requirePackages = {
  name: 'require-packages',
  resolveId: (id) => (isCommonJs(id) ? `\0${id}` : null),
  load(id) {
    if (!id.startsWith('\0')) return null;
    const name = JSON.stringify(id.slice(1));
    const code = `import { createRequire } from 'node:module';\nexport default createRequire(import.meta.url)(${name});`;
    return { code, syntheticNamedExports: true };
  },
};

/** Whether a name is that of a package that Node loads as CommonJS for an import. */
function isCommonJs(id) {
  if (/^[./\0]|^node:/.test(id)) return false;
  const url = import.meta.resolve(id);
  if (!url.startsWith('file:')) return false;
  const path = fileURLToPath(url);
  if (extname(path) !== '.js') return extname(path) === '.cjs';
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type !== 'module';
}

/** With the compiler's map, so that a stack trace leads to the TypeScript source. */
function loadWithMap(path) {
  const map = `${path}.map`;
  return {
    code: readFileSync(path, 'utf8'),
    map: existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')) : null,
  };
}
