// Reads the configuration from its four sources. The only reader of process.env.
import { readFileSync } from 'node:fs';
import { isLoopbackHost, shareAddresses } from '../http/hosts.js';
import type { JsonObject } from '../json/json-value.js';
import { cleanEnvironment } from '../processes/clean-environment.js';
import { readCommandLine } from './command-line-source.js';
import { readConfigFile, readMembers } from './config-file-source.js';
import type { ConfigSources, SourceReading } from './config-source.js';
import { engines, enginesWith } from './engines/registry.js';
import { type clientVariables, readEnvironment } from './environment-source.js';
import type { Option } from './option.js';
import { type Config, optionList } from './options.js';

/** The configuration cannot be used. The message lists every problem, one per line, and shows no secret. */
export class ConfigProblems extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`${count} in the configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

/** For servers that take options from the environment. */
const tokenAdvice = ' (better: the variable COLONNADE_TOKEN)';

const processSources: ConfigSources = {
  environment: process.env,
  // Without `fatal`, a path in another encoding would name another file. A byte order mark is left out.
  readFile: (path) => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)),
};

/** The environment for other programs, without the secrets of this server. */
export function programEnvironment(): Readonly<Record<string, string>> {
  return cleanEnvironment(process.env);
}

/** A variable of the command line: other users of the machine cannot see it, as they can see its options. */
export function clientVariable(name: (typeof clientVariables)[number]): string | undefined {
  return process.env[name] || undefined;
}

/** The options of Node itself, from the command line or the environment. */
export function nodeOptions(): readonly string[] {
  return [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)];
}

/**
 * The configuration for command line arguments (those after the command). An option overrides its environment variable,
 * the variable overrides the config file, and the file overrides the default.
 * @throws ConfigProblems
 */
export function loadConfig(args: readonly string[], sources: ConfigSources = processSources): Config {
  return chooseConfig([readCommandLine(args), readEnvironment(sources.environment)], sources.readFile);
}

/**
 * The configuration for a command that works on the files of a server and opens no port: users and tokens may be in an
 * environment that only the server has. @throws ConfigProblems
 */
export function loadFilesConfig(args: readonly string[], sources: ConfigSources = processSources): Config {
  const readings = [readCommandLine(args), readEnvironment(sources.environment)];
  return chooseConfig(readings, sources.readFile, { opensPorts: false });
}

/** The configuration of another server, of which only the config file is known. @throws ConfigProblems */
export function loadConfigFile(path: string): Config {
  return loadConfig([`--config=${path}`], { ...processSources, environment: {} });
}

/**
 * The configuration of a server that a program starts: `members` override the config file that they name, and the file
 * overrides `defaults`, by the key of the option. The environment has no effect. `source` is the name of the members in
 * messages. @throws ConfigProblems
 */
export function loadConfigMembers(
  members: JsonObject,
  source: string,
  defaults: Readonly<Record<string, string>>,
): Config {
  const given = Object.entries(defaults).map(
    ([key, text]) => [key, { origin: `the default of ${key}`, text }] as const,
  );
  const reading: SourceReading = { values: new Map(given), problems: [] };
  return chooseConfig([readMembers(members, source)], processSources.readFile, {
    rest: [reading],
    isInProgram: true,
  });
}

/** Names options in a message as the members of a program: `"dataDir"` instead of `--data-dir`. */
export function withMemberNames(message: string): string {
  return optionList.reduce(
    (text, { key, name }) => text.replaceAll(new RegExp(`(?<![\\w-])--${name}(?![\\w-])`, 'g'), `"${key}"`),
    message.replaceAll(tokenAdvice, ''),
  );
}

interface Choosing {
  /** The config file overrides these. */
  readonly rest?: readonly SourceReading[];
  /** The server is part of a program. */
  readonly isInProgram?: boolean;
  /** Default: true. */
  readonly opensPorts?: boolean;
}

/** `sources` may name a config file. Each overrides those behind it, and all override the file. */
function chooseConfig(
  sources: readonly SourceReading[],
  readFile: ConfigSources['readFile'],
  { rest = [], isInProgram = false, opensPorts = true }: Choosing = {},
): Config {
  const path = sources.map(({ values }) => values.get('config')).find((given) => given !== undefined);
  const files = path === undefined ? [] : [readConfigFile(path, readFile)];
  const readings = [...sources, ...files, ...rest];
  const problems = readings.flatMap((reading) => reading.problems);
  const values = Object.fromEntries(
    optionList.map((option) => [option.key, chosenValue(option, readings, problems)]),
  );
  // `chosenValue` gives each option its default or the value that its kind parsed.
  const config = values as Config;
  const hasToken = readings.some((reading) => reading.values.has('token'));
  if (opensPorts) problems.push(...contradictionsOf(config, hasToken));
  problems.push(...contradictionsOfEngine(config, values));
  problems.push(...contradictionsOfWorkers(config, isInProgram));
  if (problems.length > 0) throw new ConfigProblems(problems);
  return config;
}

/**
 * An invalid value is a problem even if another source overrides it: it would take effect when that source is removed.
 */
function chosenValue(
  option: Option & { readonly key: string },
  readings: readonly SourceReading[],
  problems: string[],
): unknown {
  const given = readings.flatMap((reading) => reading.values.get(option.key) ?? []);
  const parsed = given.map(({ origin, text }) => {
    const value = text === '' ? undefined : option.kind.parse(text);
    if (value === undefined) problems.push(`${origin} ${refusal(option, text)}`);
    return value;
  });
  return parsed[0] ?? option.default;
}

function refusal(option: Option, text: string): string {
  const { isSecret, wanted } = option.kind;
  if (text === '') return `is empty; it must be ${wanted}`;
  return isSecret ? `must be ${wanted}` : `is "${text}"; it must be ${wanted}`;
}

/** `hasToken`: a source gave a token, valid or not. */
function contradictionsOf(config: Config, hasToken: boolean): string[] {
  const problems: string[] = [];
  if (!isLoopbackHost(config.host) && !hasToken && config.cassandraRequireUser === 'no') {
    problems.push(
      `--host is "${config.host}", which other machines can reach, and there is no --token: ` +
        `set one that clients must send, such as the output of openssl rand -hex 32${tokenAdvice}, ` +
        'or bind a loopback address such as 127.0.0.1',
    );
  }
  const hasUsers = config.opsUsers.length > 0 || config.opsUser !== undefined;
  if (!isLoopbackHost(config.opsHost) && !hasUsers) {
    problems.push(
      `--ops-host is "${config.opsHost}", which other machines can reach, and the operations port has no users: ` +
        'add users with --ops-users or --ops-user, or bind a loopback address such as 127.0.0.1',
    );
  }
  if ((config.opsUser === undefined) !== (config.opsPassword === undefined)) {
    problems.push('--ops-user and --ops-password belong together: set both or neither');
  }
  if (config.opsUsers.some(({ name }) => name === config.opsUser)) {
    problems.push(`--ops-user is "${config.opsUser}", which is also in --ops-users: choose another name`);
  }
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    problems.push('--tls-cert and --tls-key belong together: set both or neither');
  }
  const { host, opsHost } = config;
  if (config.port !== 0 && config.port === config.opsPort && shareAddresses(host, opsHost)) {
    const place = host === opsHost ? host : `${host} and ${opsHost}, which share an address`;
    problems.push(`--port and --ops-port are both ${config.port} on ${place}: choose different ones`);
  }
  return problems;
}

/** `values`: those of `config`, for options that only an engine names. */
function contradictionsOfEngine(config: Config, values: Readonly<Record<string, unknown>>): string[] {
  const problems: string[] = [];
  const { engine } = config;
  const { capabilities, needs } = engines[engine];
  if (config.archive !== undefined && engines[engine].rowsFile === undefined)
    problems.push(
      `--archive is "${config.archive}", and --engine is "${engine}", whose rows are not in the data directory: ` +
        'leave it out, and back up the cluster',
    );
  if (config.follow !== undefined && engines[engine].rowsFile === undefined)
    problems.push(
      `--follow is "${config.follow}", and --engine is "${engine}", whose rows are not in the data directory: leave ` +
        'it out, and let the nodes of the cluster keep copies',
    );
  if (config.follow !== undefined && config.archive !== undefined)
    problems.push(
      '--follow and --archive are both set: a server that follows an archive writes to it only after it is promoted',
    );
  for (const [key, advice] of Object.entries(needs)) {
    const value = values[key];
    if (value === undefined || (Array.isArray(value) && value.length === 0))
      problems.push(`--engine is "${engine}": ${advice}`);
  }
  if (config.cassandraRequireUser === 'yes' && !capabilities.hasUsers)
    problems.push(
      `--cassandra-require-user is "yes", and --engine is "${engine}", which has no users: choose ` +
        `--engine ${enginesWith('hasUsers')}`,
    );
  if (config.cassandraPassword !== undefined && config.cassandraUsername === undefined)
    problems.push('--cassandra-password belongs to --cassandra-username: set both or neither');
  if ((config.cassandraTlsCert === undefined) !== (config.cassandraTlsKey === undefined))
    problems.push('--cassandra-tls-cert and --cassandra-tls-key belong together: set both or neither');
  const files = [config.cassandraTlsCa, config.cassandraTlsCert, config.cassandraTlsKey];
  if (config.cassandraTls === 'no' && files.some((file) => file !== undefined))
    problems.push(
      '--cassandra-tls is "no", and --cassandra-tls-ca, -cert or -key is set: choose --cassandra-tls yes to encrypt ' +
        'connections to nodes',
    );
  return problems;
}

function contradictionsOfWorkers({ engine, workers }: Config, isInProgram: boolean): string[] {
  if (workers === 1) return [];
  if (isInProgram)
    return [
      `--workers is ${workers}: workers are processes of the command "colonnade serve", leave the option out`,
    ];
  if (engines[engine].capabilities.hasWorkers) return [];
  return [
    `--workers is ${workers}, and --engine is "${engine}", whose data file one process uses: choose ` +
      `--engine ${enginesWith('hasWorkers')}, or --workers 1`,
  ];
}
