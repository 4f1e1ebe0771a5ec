// Replaces a file wholly or not at all: a crash leaves the old one or the new one.
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns when the new content is on disk. Only the owner can read the file. */
export function replaceFile(path: string, content: Uint8Array): void {
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory); // the name has to be there, too
  } finally {
    closeSync(directory);
  }
}
