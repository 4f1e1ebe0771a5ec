// Reads the options that `colonnade export` and `colonnade import` both take.
import type { GivenOptions } from '../../files/csv-options.js';
import { type DataAddress, dataAddress, dataPortOptions } from '../data-port.js';
import { withArguments } from '../read-arguments.js';
import { outputOptions } from '../result-output.js';

/** What both commands get. */
export interface MoveOptions {
  /** A directory or file, or the value of the option that replaces it. */
  readonly place: string;
  readonly address: DataAddress;
  /** Undefined if the option is absent. */
  readonly keyspace: string | undefined;
  /** Undefined for all tables. */
  readonly tables: readonly string[] | undefined;
  readonly allowsUnsupported: boolean;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** The options of one command. */
export interface OwnOptions {
  /** The option that names the keyspace. */
  readonly keyspace: string;
  /** The options that replace the directory. */
  readonly insteadOfDirectory?: readonly string[];
  /** Options with a value. */
  readonly texts?: readonly string[];
  /** Options with a value that can be given several times. */
  readonly lists?: readonly string[];
  /** Options without one. */
  readonly flags?: readonly string[];
}

/** The options, completed by `complete`; a text is the problem. */
export function readMoveOptions<Options extends MoveOptions>(
  args: readonly string[],
  own: OwnOptions,
  complete: (options: MoveOptions, values: GivenOptions) => Options | string,
): Options | string {
  return withArguments(args, acceptedBy(own), ({ values: read, positionals }) => {
    const values: Readonly<Record<string, unknown>> = read;
    const text = (name: string) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    };
    const { insteadOfDirectory: others = [] } = own;
    const replacing = others.filter((name) => text(name) !== undefined);
    const [place, ...more] = [...replacing.map(text), ...positionals];
    if (place === undefined || more.length > 0)
      return replacing.length === 0
        ? 'give one directory'
        : `give ${['a directory', ...others.map((name) => `--${name}`)].join(' or ')}, and only one of them`;
    const flag = (name: string) => values[name] === true;
    const list = (name: string) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : undefined;
    };
    const shared = { url: text('url'), token: text('token'), config: text('config') };
    const address = dataAddress(
      { ...shared, retries: text('retries') },
      { keyspace: `--${own.keyspace} NAME` },
    );
    if (typeof address === 'string') return address;
    const tables = namesIn('--tables', text('tables'));
    if (typeof tables === 'string') return tables;
    const keyspaces = namesIn(`--${own.keyspace}`, text(own.keyspace));
    if (typeof keyspaces === 'string') return keyspaces;
    const allowsUnsupported = flag('allow-unsupported');
    const outputs = { isJson: flag('json'), isQuiet: flag('quiet') };
    const keyspace = text(own.keyspace);
    const options = { place, address, keyspace, tables, allowsUnsupported, ...outputs };
    return complete(options, { text, list, flag });
  });
}

function acceptedBy({ keyspace, insteadOfDirectory = [], texts = [], lists = [], flags = [] }: OwnOptions) {
  const ofType = <Type extends 'string' | 'boolean'>(type: Type, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { type }]));
  const options = {
    ...dataPortOptions,
    ...outputOptions,
    ...ofType('string', [keyspace, 'tables', ...texts, ...insteadOfDirectory]),
    ...Object.fromEntries(lists.map((name) => [name, { type: 'string' as const, multiple: true }])),
    ...ofType('boolean', ['allow-unsupported', ...flags]),
  };
  return { options, allowPositionals: true };
}

/** The names in a list with commas; undefined if the option is absent. Another string is the problem. */
function namesIn(option: string, text: string | undefined): readonly string[] | undefined | string {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => /^\w+$/.test(name))
    ? names
    : `${option} is "${text}"; names have letters, digits and underscores`;
}
