// Places for data whose room ends soon, by the kernel's own word: a file size limit, or a small file system.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryDirectory, type RunningServer, type StartOptions } from '../acceptance/start-server.js';

/** A server started with `options` soon finds no room. */
export interface LimitedStorage {
  readonly options: StartOptions;
  /** Gives room to a running server; false where only a new one can have it. */
  makeRoom(server: RunningServer): boolean;
  remove(): void;
}

/** Every Linux: the files of the process may not grow beyond a few MB (EFBIG). */
export function limitedFileSize(dataDir = makeTemporaryDirectory(), blocks = 8_192): LimitedStorage {
  // Blocks of 512 bytes, in some shells of 1024. Only the soft limit: it can be raised again.
  const launcher = ['sh', '-c', `ulimit -S -f ${blocks} && exec "$@"`, 'sh'];
  return {
    options: { dataDir, launcher },
    makeRoom: ({ pid }) => spawnSync('prlimit', ['--pid', `${pid}`, '--fsize=unlimited:']).status === 0,
    remove: () => rmSync(dataDir, { recursive: true }),
  };
}

/** Undefined where this user may not mount: a file system in memory that another file fills (ENOSPC). */
export function smallFileSystem(): LimitedStorage | undefined {
  const mountPoint = makeTemporaryDirectory();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', mountPoint]).status !== 0)
    return undefined;
  const dataDir = join(mountPoint, 'data');
  mkdirSync(dataDir);
  const ballast = join(mountPoint, 'ballast');
  writeFileSync(ballast, Buffer.alloc(20 * 1024 * 1024));
  return {
    options: { dataDir },
    makeRoom: () => {
      rmSync(ballast);
      return true;
    },
    remove: () => {
      // Lazily: a server that a failed check left behind is killed when the test's process ends.
      spawnSync('umount', ['-l', mountPoint]);
    },
  };
}
