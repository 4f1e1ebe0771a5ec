// Distinguishes what is missing from what this user may not see.
import { accessSync, constants, statSync } from 'node:fs';

/**
 * Whether a file or directory is there. `existsSync` is false, too, for what this user may not see.
 * @throws Error of the file system if it cannot be read
 */
export function isThere(path: string): boolean {
  try {
    const { R_OK, X_OK } = constants;
    accessSync(path, statSync(path).isDirectory() ? R_OK | X_OK : R_OK);
    return true;
  } catch (error) {
    const { code = '', syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    if (code !== 'EACCES') throw error;
    const problem = `${path} cannot be read: run the command as the user that owns it (EACCES)`;
    throw Object.assign(new Error(problem, { cause: error }), { code, syscall });
  }
}
