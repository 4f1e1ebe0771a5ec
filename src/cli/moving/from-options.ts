// Reads the options of `colonnade import` for the server from which it reads tables or collections.
import type { GivenOptions } from '../../files/csv-options.js';
import { ConfigProblems, clientVariable, loadConfigFile } from '../../foundation/config/load-config.js';
import type { DataAddress } from '../data-port.js';
import { headerProblem, isServerUrl, type OperationsPort } from '../operations-port.js';
import { fileImportTexts } from './files/file-options.js';
import type { MoveOptions } from './move-options.js';

/**
 * What an import reads through a server: its tables, at the address of its data port, or the collections that the
 * public Data API server keeps in its cluster, at that of its operations port.
 */
export type FromOptions =
  | { readonly kind: 'server'; readonly address: DataAddress; readonly keyspace: string }
  | { readonly kind: 'public'; readonly address: OperationsPort; readonly keyspace: string };

/** The options that name the server. One of them replaces the directory. */
export const fromUrls = ['from', 'from-public'] as const;
/** Further options of an import that reads through a server. */
export const fromTexts = ['from-keyspace', 'from-token', 'from-config', 'from-session'] as const;

const advice = {
  url: '--from',
  token: '--from-token TOKEN, the variable COLONNADE_FROM_TOKEN, or --from-config FILE',
  keyspace: '--from-keyspace NAME',
};

/** The options; undefined if nothing is read through a server, another string is the problem. */
export function readFromOptions(
  options: MoveOptions,
  values: GivenOptions,
): FromOptions | undefined | string {
  const { text, flag } = values;
  const option = fromUrls.find((name) => text(name) !== undefined);
  const url = option === undefined ? undefined : text(option);
  if (option === undefined || url === undefined) {
    const given = fromTexts.find((name) => text(name) !== undefined);
    return given === undefined
      ? undefined
      : `--${given} needs the address of a server: --from URL or --from-public URL`;
  }
  if (!isServerUrl(url)) return `--${option} is "${url}"; it must be http://HOST:PORT`;
  const ofFile = fileImportTexts.find((name) => text(name) !== undefined);
  if (ofFile !== undefined)
    return `--${ofFile} is for a file: choose tables of a server with --tables NAME,NAME`;
  if (flag('dry-run')) return '--dry-run is for a file, with --table or --collection';
  const keyspace = text('from-keyspace') ?? 'default_keyspace';
  if (!/^\w+$/.test(keyspace))
    return `--from-keyspace is "${keyspace}"; names have letters, digits and underscores`;
  return option === 'from'
    ? serverAt(url, keyspace, options, values)
    : withToken(values, (token) => {
        const session = text('from-session') ?? clientVariable('COLONNADE_FROM_SESSION');
        const address = { url, token, session };
        return { kind: 'public', address, keyspace };
      });
}

function serverAt(
  url: string,
  keyspace: string,
  { address: target, keyspace: toKeyspace }: MoveOptions,
  values: GivenOptions,
): FromOptions | string {
  if (values.text('from-session') !== undefined) return '--from-session is for --from-public';
  if (new URL(url).origin === new URL(target.url).origin && keyspace === (toKeyspace ?? keyspace))
    return (
      `--from and the target are the same keyspace ${keyspace} of ${url}: ` +
      'give the target as --url URL, or another --to-keyspace NAME'
    );
  return withToken(values, (token) => {
    const address = { url, token, retries: target.retries, advice };
    return { kind: 'server', address, keyspace };
  });
}

/** What `use` makes of the token of the server; a string is the problem. */
function withToken(
  { text }: GivenOptions,
  use: (token: string | undefined) => FromOptions,
): FromOptions | string {
  const [token, config] = [text('from-token'), text('from-config')];
  const problem =
    headerProblem('--from-token', token) ??
    headerProblem('--from-session', text('from-session')) ??
    headerProblem('COLONNADE_FROM_TOKEN', clientVariable('COLONNADE_FROM_TOKEN')) ??
    headerProblem('COLONNADE_FROM_SESSION', clientVariable('COLONNADE_FROM_SESSION'));
  if (problem !== undefined) return problem;
  try {
    const ofFile = config === undefined ? undefined : loadConfigFile(config).token;
    return use(token ?? clientVariable('COLONNADE_FROM_TOKEN') ?? ofFile);
  } catch (error) {
    if (error instanceof ConfigProblems) return error.message;
    throw error;
  }
}
