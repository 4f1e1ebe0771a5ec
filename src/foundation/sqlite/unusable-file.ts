// Says why a database file cannot be used at the start, and what to do.
import { DatabaseFailure, type DatabaseFailureKind } from './database-failure.js';

const access = 'let the user of the server read and write the file and its directory';
const nextSteps: Readonly<Partial<Record<DatabaseFailureKind, string>>> = {
  corrupt:
    'restore a backup into a new directory (colonnade restore BACKUP --data-dir DIR) and start with that one, ' +
    'or start with another --data-dir',
  full: 'make room on the disk of the file, and start again',
  io: access,
  readOnly: access,
};

/** The error for the user. `error` is what the opening or the migration of the file threw; it is the cause. */
export function unusableFile(path: string, error: unknown): Error {
  const problem = error instanceof Error ? error.message : String(error);
  const step = error instanceof DatabaseFailure ? nextSteps[error.kind] : undefined;
  const text = `${path} cannot be used: ${problem}${step === undefined ? '' : `: ${step}`}`;
  return new Error(text, { cause: error });
}
