// Opens the secrets of the table data service: the key store, and the key that signs page states.
import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { type KeyStore, openKeyStore } from '../../data-service/embedding/key-store.js';
import type { PageStateKey } from '../../data-service/query/page-state.js';
import type { Config } from '../../foundation/config/options.js';
import { expectRegularFile } from '../../foundation/machine/regular-file.js';
import {
  type KeySource,
  keyBytes,
  keyKindOf,
  openEncryptedFile,
} from '../../foundation/secrets/encrypted-file.js';
import { loadOrMakeSecret, secretProblem } from '../../foundation/secrets/secret-file.js';

/** What the service needs of its secrets. */
export interface DataServiceSecrets {
  readonly keys: Pick<KeyStore, 'get'>;
  /** Called once the engine is open. @throws Error for a key file that cannot be used */
  readonly pageStateKey: () => PageStateKey;
}

/** The secrets of the data directory. */
export interface StoredSecrets extends DataServiceSecrets {
  readonly keys: KeyStore;
}

const pageStateKeyBytes = 32;

/** The files of secrets in the data directory, and of what is encrypted with them. Each is replaced as a whole. */
export const secretFiles = ['page-state.key', 'key-store.key', 'key-store.enc'];

/**
 * A sentence about the damage of one of these files in a directory. A key store with a secret is only decrypted if the
 * secret is known.
 */
export function problemOfSecretFile(
  directory: string,
  name: string,
  config: Pick<Config, 'keyStoreSecret'>,
): string | undefined {
  try {
    expectRegularFile(join(directory, name));
    if (name === 'page-state.key') return secretProblem(directory, name, pageStateKeyBytes);
    if (name === 'key-store.key') return secretProblem(directory, name, keyBytes);
    const kind = keyKindOf(directory, name);
    const source = keySource({ keyStoreSecret: kind === 'secret' ? config.keyStoreSecret : undefined });
    if (kind === source.kind) openKeyStore(openEncryptedFile(directory, name, source));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Opens the secrets; the data directory must exist.
 * @throws Error for a key store that cannot be read
 */
export function openSecrets(config: Config): StoredSecrets {
  return {
    keys: openKeyStore(openEncryptedFile(config.dataDir, 'key-store.enc', keySource(config))),
    pageStateKey: () => pageStateKeyOf(config),
  };
}

/** Servers with the same secret have the same key. */
function pageStateKeyOf({ pageStateSecret, dataDir }: Config): PageStateKey {
  if (pageStateSecret === undefined) return loadOrMakeSecret(dataDir, 'page-state.key', pageStateKeyBytes);
  return new Uint8Array(hkdfSync('sha256', pageStateSecret, '', 'colonnade page state', pageStateKeyBytes));
}

function keySource({ keyStoreSecret }: Pick<Config, 'keyStoreSecret'>): KeySource {
  const option = '--key-store-secret';
  if (keyStoreSecret !== undefined) return { kind: 'secret', secret: keyStoreSecret, option };
  return { kind: 'file', fileName: 'key-store.key', option };
}
