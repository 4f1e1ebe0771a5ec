// Reads the certificate and the key of the server from the files that the options name.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigProblems } from '../foundation/config/load-config.js';
import type { Config } from '../foundation/config/options.js';
import type { TlsIdentity } from '../foundation/http/server.js';

/**
 * The content of the files, which has been checked; undefined without TLS.
 * @throws ConfigProblems that name the files and the problem
 */
export function readTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<Config, 'tlsCert' | 'tlsKey'>): TlsIdentity | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const problems: string[] = [];
  const read = (option: string, path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      problems.push(`--${option} is "${path}", which cannot be read: ${messageOf(error)}`);
      return '';
    }
  };
  const identity = { cert: read('tls-cert', tlsCert), key: read('tls-key', tlsKey) };
  if (problems.length > 0) throw new ConfigProblems(problems);
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new ConfigProblems([`${tlsCert} and ${tlsKey} cannot be used for TLS: ${messageOf(error)}`]);
  }
  return identity;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
