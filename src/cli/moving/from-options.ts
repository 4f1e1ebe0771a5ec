// Reads the options of `colonnade import` for the server from which it reads tables.
import type { GivenOptions } from '../../files/csv-options.js';
import { ConfigProblems, loadConfigFile } from '../../foundation/config/load-config.js';
import type { DataAddress } from '../data-port.js';
import { isServerUrl, tokenProblem } from '../operations-port.js';
import { fileImportTexts } from './files/file-options.js';
import type { MoveOptions } from './move-options.js';

/** The server that an import reads. */
export interface FromOptions {
  readonly address: DataAddress;
  readonly keyspace: string;
}

/** Options of an import for it. */
export const fromTexts = ['from-keyspace', 'from-token', 'from-config'] as const;

const advice = {
  url: '--from',
  token: '--from-token TOKEN, or --from-config FILE',
  keyspace: '--from-keyspace NAME',
};

/** The options; undefined if tables are not read from a server, another string is the problem. */
export function readFromOptions(
  { address: target, keyspace: toKeyspace }: MoveOptions,
  { text, flag }: GivenOptions,
): FromOptions | undefined | string {
  const url = text('from');
  if (url === undefined) {
    const given = fromTexts.find((option) => text(option) !== undefined);
    return given === undefined ? undefined : `--${given} needs the address of a server: --from URL`;
  }
  if (!isServerUrl(url)) return `--from is "${url}"; it must be http://HOST:PORT`;
  const ofFile = fileImportTexts.find((option) => text(option) !== undefined);
  if (ofFile !== undefined)
    return `--${ofFile} is for a file: choose tables of a server with --tables NAME,NAME`;
  if (flag('dry-run')) return '--dry-run is for a file, with --table or --collection';
  const keyspace = text('from-keyspace') ?? 'default_keyspace';
  if (!/^\w+$/.test(keyspace))
    return `--from-keyspace is "${keyspace}"; names have letters, digits and underscores`;
  if (new URL(url).origin === new URL(target.url).origin && keyspace === (toKeyspace ?? keyspace))
    return (
      `--from and the target are the same keyspace ${keyspace} of ${url}: ` +
      'give the target as --url URL, or another --to-keyspace NAME'
    );
  try {
    const config = text('from-config');
    const problem = tokenProblem('--from-token', text('from-token'));
    if (problem !== undefined) return problem;
    const token = text('from-token') ?? (config === undefined ? undefined : loadConfigFile(config).token);
    return { address: { url, token, retries: target.retries, advice }, keyspace };
  } catch (error) {
    if (error instanceof ConfigProblems) return error.message;
    throw error;
  }
}
