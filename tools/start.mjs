// What `npm start` runs: builds when needed, then serves in this very process.
import { buildIfStale } from './build.mjs';

await buildIfStale(() =>
  process.stdout.write('Building Colonnade, once after each change of its sources …\n'),
);
stopWithParent();
// Node from 22.15 on starts this file a second time with the same arguments, to set up the allocator.
if (process.argv[2] !== 'serve') process.argv.splice(2, 0, 'serve');
await import('../dist/server/colonnade.js');

/**
 * npm starts us through a shell, and a signal to npm ends both of them and not us: a server that nobody knows of would
 * stay behind with its ports. So it stops when its parent is gone.
 */
function stopWithParent() {
  const parent = process.ppid;
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
      isStopping = true; // npm has passed it on already
    });
  }
  // Once: a second signal would end the server without what it has begun.
  const watch = setInterval(() => {
    if (process.ppid === parent || isStopping) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}
