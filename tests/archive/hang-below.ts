// Is loaded into a process under test. Calls of the file system below the directory HANGS_BELOW hang, as those of a
// file server that does not answer, as long as there is a FIFO beside the directory, at its path with `.fifo`: they
// open it first. The call of the system itself waits then, on a thread of the pool of Node.
import { existsSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const below = process.env['HANGS_BELOW'] ?? '';
const fifo = `${below}.fifo`;
const names = ['open', 'readdir', 'stat', 'mkdir', 'link', 'rename', 'rm', 'rmdir'] as const;
const { open } = promises;

function isBelow(path: unknown): boolean {
  return below !== '' && typeof path === 'string' && (path === below || path.startsWith(`${below}/`));
}

async function waitForWriter(): Promise<void> {
  try {
    await (await open(fifo, 'r')).close();
  } catch (error) {
    // It was removed meanwhile, so nothing hangs any more.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

for (const name of names) {
  const call: unknown = promises[name];
  if (typeof call !== 'function') throw new TypeError(`no ${name}`);
  const hanging = async (...given: readonly unknown[]): Promise<unknown> => {
    if (isBelow(given[0]) && existsSync(fifo)) await waitForWriter();
    return call(...given);
  };
  Object.assign(promises, { [name]: hanging });
}
syncBuiltinESMExports();
