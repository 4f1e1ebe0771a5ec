// Creates a directory with its parents.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates what is missing of a path, for the owner only: one directory after another, because `mkdirSync` with
 * `recursive` never returns on Node 20 if a parent refuses new directories (`/proc/x`).
 * @throws Error of the file system
 */
export function makeDirectories(path: string): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    const error = new Error(`${path} is not a directory`);
    throw Object.assign(error, { code: 'ENOTDIR', syscall: 'mkdir' }); // as the file system reports other failures
  }
  makeDirectories(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
