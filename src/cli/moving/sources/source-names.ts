// What the name of a source says.
import { basename } from 'node:path';

/** The names of standard input; to open one of them again fails if it is a socket. */
const standardInput: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Whether a path is a name of standard input. */
export function isStandardInput(path: string): boolean {
  return standardInput.has(path);
}

/** The file of the progress of an import. For a source that has no directory of the user it is in the current one. */
export function progressPathOf(path: string): string {
  if (isStandardInput(path)) return 'standard-input.import-progress.json';
  return /^\/(?:dev|proc)\//.test(path)
    ? `${basename(path)}.import-progress.json`
    : `${path}.import-progress.json`;
}
