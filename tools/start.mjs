// What `npm start` runs: builds when needed, then serves in this very process.
import { buildIfStale } from './build.mjs';

buildIfStale();
stopWithParent();
process.argv.splice(2, 0, 'serve');
await import('../dist/src/bin/colonnade.js');

/**
 * npm starts us through a shell, and a signal to npm ends both of them and not us: a server that nobody knows of would
 * stay behind with its ports. So it stops when its parent is gone.
 */
function stopWithParent() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}
