// Opens files that must be regular ones: to open a FIFO waits for its other end, and a device may have no end.
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';

/** A path leads to something else than a regular file. It has the member `syscall`, as errors of the file system. */
export class NotRegularFile extends Error {
  readonly syscall = 'open';

  constructor(path: string, found: Kinds) {
    super(`${path} is ${kindOf(found)} and not a regular file`);
  }
}

type Kinds = Pick<
  Stats,
  'isFIFO' | 'isSocket' | 'isDirectory' | 'isCharacterDevice' | 'isBlockDevice' | 'isFile'
>;

/** What a path leads to, with its article: `a FIFO`. */
export function kindOf(found: Kinds): string {
  if (found.isFile()) return 'a file';
  if (found.isFIFO()) return 'a FIFO';
  if (found.isDirectory()) return 'a directory';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}

/** The flag with which a FIFO opens without its other end; Windows has none. */
const withoutWaiting = constants.O_NONBLOCK ?? 0;
/** Opens to read, without a wait for the other end of a FIFO. */
export const readFlags = constants.O_RDONLY | withoutWaiting;
/** Opens to append to a file, which is created if it does not exist, without a wait for a reader. */
export const appendFlags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | withoutWaiting;
/** Opens to write a file from its beginning, without a wait for a reader. */
export const replaceFlags = constants.O_WRONLY | constants.O_TRUNC | constants.O_CREAT | withoutWaiting;

/** Opens a file to read it. @throws NotRegularFile, errors of the file system */
export function openRegularFile(path: string): number {
  const file = openSync(path, readFlags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new NotRegularFile(path, found);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The content of a file. @throws NotRegularFile, errors of the file system */
export function readRegularFile(path: string): Buffer {
  const file = openRegularFile(path);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Does nothing if there is a regular file or nothing at a path. @throws NotRegularFile */
export function expectRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new NotRegularFile(path, found);
}
