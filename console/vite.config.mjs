// How the console is built (`tools/build-console.mjs`), and served while it is developed (`npm run console`).
import { fileURLToPath } from 'node:url';

const opsAddress = process.env.COLONNADE_CONSOLE_SERVER ?? 'http://127.0.0.1:8888';

/** Paths that are files of the console; all others go to a running server. */
const ownPaths =
  /^\/($|\?|@|app\/|data\/[^?]*\.(tsx?|css)|json\/|net\/|operations\/|parts\/|state\/|styles\/|node_modules\/|index\.html)/;

export const consoleConfig = {
  configFile: false,
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsDir: 'console',
    // The Content-Security-Policy of the port allows no `data:` address.
    assetsInlineLimit: 0,
    // One file for the whole page: a part that is loaded again after a failure never stands there without its styles.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: { '^/.*': { target: opsAddress, bypass: ({ url }) => (ownPaths.test(url) ? url : undefined) } },
  },
};
