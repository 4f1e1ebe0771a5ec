// Random secrets that the server makes for itself and keeps in the data directory.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The bytes of a secret file, made at first use and readable by the owner only.
 * @throws Error for a file of another size: it was cut or is somebody else's
 */
export function loadOrMakeSecret(directory: string, fileName: string, sizeBytes: number): Buffer {
  const path = join(directory, fileName);
  const secret = readIfThere(path) ?? makeSecret(path, sizeBytes);
  if (secret.length === sizeBytes) return secret;
  throw new Error(
    `${path} has ${secret.length} bytes instead of ${sizeBytes}; delete it to have a new one made`,
  );
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all: a crash must not leave half a secret. */
function makeSecret(path: string, sizeBytes: number): Buffer {
  const secret = randomBytes(sizeBytes);
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(file, secret);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  return secret;
}
