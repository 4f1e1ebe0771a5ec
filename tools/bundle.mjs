// Puts the modules of the server together: one file for each of its threads and a few for what they share. Loading some
// two hundred files one by one takes longer than everything else that happens at a start.
import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rollup } from 'rollup';

const embedded = 'data-service/engine/embedded';

/** The entries: the command line, the library, and every thread or process that is started by its file name. */
const entries = [
  'bin/colonnade',
  'bin/library',
  'archive/shipping/shipping-thread',
  'bin/ops/ops-thread',
  'bin/large-requests/large-request-thread',
  'bin/workers/data-worker',
  'data-service/embedding/local/model-thread',
  'data-service/embedding/local/transformer-process',
  `${embedded}/writes/writer-thread`,
  `${embedded}/writes/text-analysis-thread`,
  `${embedded}/reads/page-thread`,
  `${embedded}/scans/scan-thread`,
  `${embedded}/maintenance/check-process`,
  `${embedded}/maintenance/table-sizes-thread`,
  `${embedded}/vectors/vector-thread`,
];
/** What is read from beside the module that wants it. */
const files = [`${embedded}/vectors/graph.wasm`, `${embedded}/postings/words.wasm`];

/** From the compiled modules in `compiled` to `target`, all side by side: threads find each other's files there. */
export async function bundle(compiled, target) {
  const made = await rollup({
    input: Object.fromEntries(
      entries.map((entry) => [entry.split('/').pop(), join(compiled, `${entry}.js`)]),
    ),
    external: /^[^./]/, // packages stay packages: they are updated and audited as such
    plugins: [{ name: 'source-maps', load: loadWithMap }],
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
  await made.close();
  for (const file of files) copyFileSync(join(compiled, file), join(target, file.split('/').pop()));
  // npm does it only for the first `npx colonnade` in a clone, not after a later build.
  chmodSync(join(target, 'colonnade.js'), 0o755);
}

/** With the compiler's map, so that a stack trace leads to the TypeScript source. */
function loadWithMap(path) {
  const map = `${path}.map`;
  return {
    code: readFileSync(path, 'utf8'),
    map: existsSync(map) ? JSON.parse(readFileSync(map, 'utf8')) : null,
  };
}
