// Loaded into a server by `node --import`: ends its writer thread, as a bug would, when END_WRITER_WHEN is a file.
import { existsSync, readFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const path = process.env['END_WRITER_WHEN'];
// Only the writer's settings have this member.
const isWriter = !isMainThread && typeof workerData === 'object' && 'commitDelayMs' in workerData;
if (isWriter && path !== undefined) {
  const timer = setInterval(() => {
    if (!existsSync(path)) return;
    clearInterval(timer);
    if (readFileSync(path, 'utf8') === 'exit') process.exit(0); // of this thread
    throw new Error('the writer was made to fail');
  }, 10);
  timer.unref();
}
