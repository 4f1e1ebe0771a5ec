// Random secrets that the server generates and keeps in the data directory.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.js';

/**
 * The bytes of a secret file, created at the first use and readable by the owner only.
 * @throws Error for a file of another size: it was truncated or is a different file
 */
export function loadOrMakeSecret(directory: string, fileName: string, sizeBytes: number): Buffer {
  const path = join(directory, fileName);
  const secret = readFileIfThere(path) ?? makeSecret(path, sizeBytes);
  const problem = problemOfSize(path, secret, sizeBytes);
  if (problem === undefined) return secret;
  throw new Error(problem);
}

/** A sentence about a secret file that cannot be used; a missing one is made by the next start. */
export function secretProblem(directory: string, fileName: string, sizeBytes: number): string | undefined {
  const path = join(directory, fileName);
  const secret = readFileIfThere(path);
  return secret === undefined ? undefined : problemOfSize(path, secret, sizeBytes);
}

function problemOfSize(path: string, { length }: Buffer, sizeBytes: number): string | undefined {
  if (length === sizeBytes) return undefined;
  return `${path} has ${length} bytes instead of ${sizeBytes}; delete it, and the server creates a new one`;
}

/** The content of a file; undefined if it does not exist. */
export function readFileIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function makeSecret(path: string, sizeBytes: number): Buffer {
  const secret = randomBytes(sizeBytes);
  replaceFile(path, secret);
  return secret;
}
