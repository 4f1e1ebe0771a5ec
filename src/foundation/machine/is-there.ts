// Distinguishes what is missing from what this user may not see.
import { opendirSync, statSync } from 'node:fs';

/**
 * True for a file, or a directory that this user can read; false for what does not exist. `existsSync` is false, too,
 * for what this user may not see.
 * @throws Error with the code EACCES for what cannot be looked up or listed, and other errors of the file system
 */
export function isThere(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) opendirSync(path).closeSync();
    return true;
  } catch (error) {
    const { code = '', syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    if (code !== 'EACCES') throw error;
    const problem = `${path} cannot be read: run the command as the user that owns it (EACCES)`;
    throw Object.assign(new Error(problem, { cause: error }), { code, syscall });
  }
}
