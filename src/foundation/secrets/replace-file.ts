// Replaces a file atomically: after a crash there is either the old file or the new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { replaceFlags } from '../machine/regular-file.js';

/** The system could not write a file. `code` is the operating system's. */
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
 * Returns when the new content is on disk. Only the owner can read the file. After a failure the old file remains; only
 * if the sync of the directory fails, the new file may be there instead.
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
    fsyncSync(directory); // the name must be on disk, too
  } finally {
    closeSync(directory);
  }
}

function writeDurably(path: string, content: Uint8Array): void {
  const file = openSync(path, replaceFlags, 0o600);
  try {
    writeFileSync(file, content); // writes everything: a single write on a nearly full disk may write only a part
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
