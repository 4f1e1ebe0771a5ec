// Reads the certificate and the key of the server from the files that the options name.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../foundation/config/options.js';
import type { TlsIdentity } from '../foundation/http/server.js';

/**
 * What the files hold, tried out; undefined when TLS is not asked for.
 * @throws Error that names the files and what is wrong with them
 */
export function readTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): TlsIdentity | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const identity = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    createSecureContext(identity);
    return identity;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`${tlsCert} and ${tlsKey} cannot be used for TLS: ${problem}`, { cause: error });
  }
}
