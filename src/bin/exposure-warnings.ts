// Warnings about what other machines reach: what crosses the network unencrypted, and what can be guessed.
import type { Config } from '../foundation/config/options.js';
import { isLoopbackHost } from '../foundation/http/hosts.js';

/** The options that matter. */
export type ExposedConfig = Pick<
  Config,
  'host' | 'opsHost' | 'token' | 'metricsToken' | 'opsPassword' | 'archiveEndpoint'
>;

/** A guess takes a server far less than a millisecond, and no delay follows a wrong one. */
const leastTokenLength = 16;
/** Delays follow wrong passwords. */
const leastPasswordLength = 12;

/** Sentences for the log. */
export function exposureWarnings(config: ExposedConfig, hasTls: boolean): readonly string[] {
  const [isOpen, isOpsOpen] = [!isLoopbackHost(config.host), !isLoopbackHost(config.opsHost)];
  const { token, metricsToken, opsPassword, archiveEndpoint } = config;
  const warnings = [
    [
      isOpsOpen && !hasTls,
      'passwords and sessions cross the network unencrypted: there is no TLS on --ops-host',
    ],
    [isOpen && !hasTls, 'tokens and rows cross the network unencrypted: there is no TLS on --host'],
    [
      archiveEndpoint !== undefined && isPlainElsewhere(archiveEndpoint),
      'the archive, with all rows and secrets, crosses the network unencrypted: --archive-endpoint begins with http',
    ],
    [isOpen && isShort(token, leastTokenLength), shortText('--token', leastTokenLength)],
    [isOpsOpen && isShort(metricsToken, leastTokenLength), shortText('--metrics-token', leastTokenLength)],
    [
      isOpsOpen && isShort(opsPassword, leastPasswordLength),
      shortText('--ops-password', leastPasswordLength),
    ],
  ] as const;
  return warnings.flatMap(([isGiven, text]) => (isGiven ? [text] : []));
}

function isPlainElsewhere(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''));
}

function isShort(secret: string | undefined, least: number): boolean {
  return secret !== undefined && secret.length < least;
}

function shortText(option: string, least: number): string {
  return `${option} has fewer than ${least} characters, and can be guessed: openssl rand -hex 32 makes a better one`;
}
