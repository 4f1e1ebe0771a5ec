// Replaces a file wholly or not at all: a crash leaves the old one or the new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Returns when the new content is on disk. Only the owner can read the file. When it fails, the old one stays; only if
 * the disk fails at the very end, when the name is made durable, the new one may be there.
 */
export function replaceFile(path: string, content: Uint8Array): void {
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
    // It is overwritten the next time; what made the writing fail is what the caller must hear of.
  }
}
