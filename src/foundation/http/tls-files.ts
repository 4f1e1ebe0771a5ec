// Reads certificates and keys from the files that the options name.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigProblems } from '../config/load-config.js';
import type { Config } from '../config/options.js';
import type { Logger } from '../telemetry/logger.js';
import type { TlsIdentity } from './server.js';

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
      return readPemFile(option, path);
    } catch (error) {
      if (!(error instanceof ConfigProblems)) throw error;
      problems.push(...error.problems);
      return '';
    }
  };
  const identity = { cert: read('tls-cert', tlsCert), key: read('tls-key', tlsKey) };
  if (problems.length > 0) throw new ConfigProblems(problems);
  try {
    createSecureContext(identity);
  } catch (error) {
    const problem = likelyProblem(identity) ?? messageOf(error);
    throw new ConfigProblems([`${tlsCert} and ${tlsKey} cannot be used for TLS: ${problem}`]);
  }
  return identity;
}

/**
 * The text of a PEM file. Node.js takes an empty text as if the option were not given, so an empty file is refused.
 * @throws ConfigProblems
 */
export function readPemFile(option: string, path: string): string {
  let text: string;
  try {
    text = new TextDecoder().decode(readFileSync(path)); // without a byte order mark
  } catch (error) {
    throw new ConfigProblems([`--${option} is "${path}", which cannot be read: ${messageOf(error)}`]);
  }
  if (text.trim() === '') throw new ConfigProblems([`--${option} is "${path}", which is empty`]);
  return text;
}

/** Logs a warning if clients refuse the certificate because of its dates. */
export function warnOfDates(
  { cert }: TlsIdentity,
  { tlsCert }: Pick<Config, 'tlsCert'>,
  nowMs: number,
  logger: Pick<Logger, 'warn'>,
): void {
  const { validFrom, validTo } = new X509Certificate(cert);
  if (nowMs > Date.parse(validTo))
    logger.warn({ tlsCert, validTo }, 'the certificate has expired: clients refuse it');
  else if (nowMs < Date.parse(validFrom))
    logger.warn({ tlsCert, validFrom }, 'the certificate is not valid yet: clients refuse it');
}

/** In words what OpenSSL only names; undefined for a rare problem. */
function likelyProblem({ cert, key }: TlsIdentity): string | undefined {
  const certificate = orUndefined(() => new X509Certificate(cert));
  if (certificate === undefined)
    return 'the first file has no certificate as PEM, which begins with -----BEGIN CERTIFICATE-----';
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key))
    return 'the key is encrypted; this makes one that is not: openssl pkey -in KEY -out NEW_KEY';
  const privateKey = orUndefined(() => createPrivateKey(key));
  if (privateKey === undefined)
    return 'the second file has no private key as PEM, which begins with -----BEGIN PRIVATE KEY-----';
  return certificate.checkPrivateKey(privateKey)
    ? undefined
    : 'the key belongs to another certificate than the first one in the file; intermediate certificates come after it';
}

function orUndefined<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined; // the caller has the error of TLS itself
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
