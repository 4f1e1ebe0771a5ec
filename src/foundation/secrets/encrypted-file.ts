// A file whose content only this server can read: AES-256-GCM, always replaced as a whole.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './replace-file.js';
import { loadOrMakeSecret, readFileIfThere } from './secret-file.js';

/** The source of the file's key. */
export type KeySource =
  /** A secret of the operator; `option` is its option, for messages. */
  | { readonly kind: 'secret'; readonly secret: string; readonly option: string }
  /** A file next to it, created at the first use; only the owner can read it. */
  | { readonly kind: 'file'; readonly fileName: string; readonly option: string };

export interface EncryptedFile {
  /** Undefined if there is none yet. */
  read(): Buffer | undefined;
  /** Returns when the new content is on disk. */
  replace(content: Uint8Array): void;
}

/** The size of the key of a file, in bytes. */
export const keyBytes = 32;
const cipherName = 'aes-256-gcm';
/** About 60 ms and 32 MiB, once at the start. */
const scryptCost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** The form of the file; bytes are in base64. */
interface Sealed {
  readonly version: 1;
  readonly key: KeySource['kind'];
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly content: string;
}

/**
 * Opens a file of a directory, which need not exist yet.
 * @throws Error for a file that is damaged, or that has another key
 */
export function openEncryptedFile(directory: string, fileName: string, source: KeySource): EncryptedFile {
  const path = join(directory, fileName);
  const stored = readFileIfThere(path);
  const sealed = stored === undefined ? undefined : parseSealed(stored, path);
  if (sealed !== undefined) refuseOtherKind(sealed, directory, path, source);
  const salt = sealed?.salt ?? randomBytes(16).toString('base64');
  let key: Buffer | undefined;
  const loadKey = () => {
    key ??= keyFrom(source, directory, salt);
    return key;
  };
  let content = sealed === undefined ? undefined : unseal(sealed, loadKey(), path, source);
  return {
    read: () => content,
    replace: (next) => {
      replaceFile(path, Buffer.from(JSON.stringify(seal(next, loadKey(), source.kind, salt))));
      content = Buffer.from(next);
    },
  };
}

/**
 * Which kind of key a file of a directory has; undefined if there is none yet.
 * @throws Error for a file that is damaged
 */
export function keyKindOf(directory: string, fileName: string): KeySource['kind'] | undefined {
  const path = join(directory, fileName);
  const stored = readFileIfThere(path);
  return stored === undefined ? undefined : parseSealed(stored, path).key;
}

function keyFrom(source: KeySource, directory: string, salt: string): Buffer {
  if (source.kind === 'file') return loadOrMakeSecret(directory, source.fileName, keyBytes);
  return scryptSync(source.secret, Buffer.from(salt, 'base64'), keyBytes, scryptCost);
}

function refuseOtherKind(sealed: Sealed, directory: string, path: string, source: KeySource): void {
  if (sealed.key === 'secret' && source.kind === 'file')
    throw new Error(`${path} was encrypted with a secret: set it with ${source.option}`);
  if (sealed.key === 'file' && source.kind === 'secret')
    throw new Error(`${path} was encrypted with its key file: start without ${source.option}`);
  if (source.kind === 'file' && !existsSync(join(directory, source.fileName)))
    throw new Error(
      `${path} exists, but its key file ${source.fileName} does not: restore the key file, or delete ${path}`,
    );
}

function seal(content: Uint8Array, key: Buffer, kind: KeySource['kind'], salt: string): Sealed {
  const iv = randomBytes(12); // must never repeat for one key
  const cipher = createCipheriv(cipherName, key, iv).setAAD(headOf(kind, salt));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return {
    version: 1,
    key: kind,
    salt,
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    content: sealed.toString('base64'),
  };
}

function unseal(sealed: Sealed, key: Buffer, path: string, { kind, option }: KeySource): Buffer {
  const bytes = (text: string) => Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv(cipherName, key, bytes(sealed.iv), { authTagLength: 16 });
    decipher.setAAD(headOf(sealed.key, sealed.salt)).setAuthTag(bytes(sealed.tag));
    return Buffer.concat([decipher.update(bytes(sealed.content)), decipher.final()]);
  } catch (error) {
    const reason =
      kind === 'secret'
        ? `${option} is not the secret it was written with`
        : 'its key file is a different one';
    throw new Error(`${path} cannot be decrypted: ${reason}, or it is damaged`, { cause: error });
  }
}

/** Authenticated like the content. */
function headOf(kind: KeySource['kind'], salt: string): Buffer {
  return Buffer.from(`1 ${kind} ${salt}`);
}

function parseSealed(stored: Buffer, path: string): Sealed {
  try {
    const json: unknown = JSON.parse(stored.toString());
    if (isSealed(json)) return json;
  } catch (error) {
    throw new Error(`${path} is damaged: it is not JSON`, { cause: error });
  }
  throw new Error(`${path} is damaged, or another version wrote it`);
}

function isSealed(json: unknown): json is Sealed {
  if (typeof json !== 'object' || json === null) return false;
  const members = json as Record<string, unknown>; // an object; each member is checked
  const texts = ['salt', 'iv', 'tag', 'content'].every((name) => typeof members[name] === 'string');
  return members['version'] === 1 && ['secret', 'file'].includes(String(members['key'])) && texts;
}
