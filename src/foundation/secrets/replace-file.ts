// Replaces a file wholly or not at all: a crash leaves the old one or the new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Returns when the new content is on disk. Only the owner can read the file. When it fails, the old one stays. */
export function replaceFile(path: string, content: Uint8Array): void {
  const unfinished = `${path}.new`;
  try {
    writeDurably(unfinished, content);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  const directory = openSync(dirname(path), 'r');
  try {
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
