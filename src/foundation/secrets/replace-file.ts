// Replaces a file wholly or not at all: a crash leaves the old one or the new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** The disk refused a file. `code` is the operating system's. */
export class FileNotWritten extends Error {
  readonly code: string;

  constructor(path: string, code: string, cause: Error) {
    const reason = codesOfNoRoom.has(code) ? 'there is no room left on the disk' : cause.message;
    super(`${basename(path)} cannot be written: ${reason}`, { cause });
    this.code = code;
  }
}

const codesOfNoRoom: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Returns when the new content is on disk. Only the owner can read the file. When it fails, the old one stays; only if
 * the disk fails at the very end, when the name is made durable, the new one may be there.
 * @throws FileNotWritten
 */
export function replaceFile(path: string, content: Uint8Array): void {
  try {
    replace(path, content);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new FileNotWritten(path, String(error.code), error);
  }
}

function replace(path: string, content: Uint8Array): void {
  const unfinished = `${path}.new`;
  const directory = openSync(dirname(path), 'r');
  try {
    try {
      writeDurably(unfinished, content);
      renameSync(unfinished, path);
    } catch (error) {
      removeUnfinished(unfinished);
      throw error;
    }
    fsyncSync(directory); // the name has to be there, too
  } finally {
    closeSync(directory);
  }
}

function writeDurably(path: string, content: Uint8Array): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, content); // all of it: a single write on a disk that is nearly full may take a part
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeUnfinished(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is overwritten the next time; the caller must get the error that made the writing fail.
  }
}
