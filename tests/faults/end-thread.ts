// Loaded into a server by `node --import`: ends one of its threads, as a bug would, when END_THREAD_WHEN is a file.
import { existsSync, readFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env['END_THREAD_WHEN'];
/** A member that only the settings of the thread have: `commitDelayMs` of the writer, `opsDir` of the operations. */
const member = process.env['END_THREAD_WITH'] ?? '';
const isMeant = !isMainThread && typeof workerData === 'object' && member in workerData;
if (isMeant && path !== undefined) {
  const timer = setInterval(() => {
    if (!existsSync(path)) return;
    clearInterval(timer);
    if (readFileSync(path, 'utf8') === 'exit') process.exit(0); // of this thread
    throw new Error('the thread was made to fail');
  }, 10);
  timer.unref();
}
