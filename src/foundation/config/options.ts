// The table of options. Help, docs, environment variables and config members are made from it.
import { logLevels } from '../telemetry/logger.js';
import { archiveOptions } from './archive-options.js';
import { cassandraOptions } from './engines/cassandra.js';
import { embeddedOptions } from './engines/embedded.js';
import { defaultEngine, engineNames, engines } from './engines/registry.js';
import { type Option, optional, required, secret } from './option.js';
import {
  choiceKind,
  hostKind,
  hostListKind,
  integerKind,
  longSecretKind,
  networkListKind,
  nodeMapKind,
  pageUrlKind,
  passwordKind,
  portKind,
  textKind,
  userNameKind,
  usersKind,
  wordsKind,
} from './option-kinds.js';

/** Every option, by the name of its member in the config file and in `Config`; in the order of the help. */
export const options = {
  dataDir: required({
    name: 'data-dir',
    kind: textKind('DIR'),
    default: './colonnade-data',
    help:
      'Directory of the data. It is created if it does not exist; one process at a time can use it. A ' +
      'relative path starts at the working directory.',
  }),
  acceptDataLoss: required({
    name: 'accept-data-loss',
    kind: choiceKind(['no', 'yes']),
    default: 'no',
    help:
      'What to do at the start if data is lost: the data file is missing or empty but files that belong to it exist, ' +
      'or the write-ahead log is damaged before its end. With no the server does not start and changes nothing; with ' +
      'yes it starts with the remaining data and logs what is lost.',
  }),
  host: required({
    name: 'host',
    kind: hostKind,
    default: '127.0.0.1',
    help:
      'Address of the table data service. An address that other machines can reach needs --token, or ' +
      '--cassandra-require-user yes.',
  }),
  port: required({
    name: 'port',
    kind: portKind,
    default: 8181,
    help: 'Port of the table data service; 0 picks a free one.',
  }),
  opsHost: required({
    name: 'ops-host',
    kind: hostKind,
    default: '127.0.0.1',
    help:
      'Address of the operations port; --host does not change it. An address that other machines can reach needs ' +
      'users: --ops-users or --ops-user. With 0.0.0.0, list the host names that clients use in ' +
      '--allowed-hosts.',
  }),
  opsPort: required({
    name: 'ops-port',
    kind: portKind,
    default: 8888,
    help: 'Port of the operations service; 0 picks a free one.',
  }),
  opsDir: optional({
    name: 'ops-dir',
    kind: textKind('DIR'),
    help:
      'Directory of the operations service: events, rules, alerts and their history. One process at a time can use ' +
      'it. Default: ops in the data directory.',
  }),
  opsUsers: required({
    name: 'ops-users',
    kind: usersKind,
    default: [],
    help:
      'Users of the operations port: a viewer can read, an operator can do everything. Without users everybody who ' +
      'can reach the port can do everything. In the config file: {"ops": {"users": [{"name": "ada", "role": ' +
      '"operator", "password_hash": "…"}]}}; "colonnade hash-password" makes the hash. On SIGHUP the server reads ' +
      'the config file again, and logs out users that were removed or have another role or password.',
  }),
  opsUser: optional({
    name: 'ops-user',
    kind: userNameKind,
    help: 'Name of one more operator of the operations port; its password is --ops-password.',
  }),
  opsPassword: optional({
    name: 'ops-password',
    kind: passwordKind,
    help:
      'Password of --ops-user. Other users of the machine can see the command line: prefer the environment or the ' +
      'config file.',
  }),
  tlsCert: optional({
    name: 'tls-cert',
    kind: textKind('FILE'),
    help:
      'File with the certificate of the server, then its intermediate certificates, as PEM. With --tls-cert and ' +
      '--tls-key both ports accept only TLS. On SIGHUP the server reads both files again.',
  }),
  tlsKey: optional({
    name: 'tls-key',
    kind: textKind('FILE'),
    help: 'Private key of the certificate, as PEM.',
  }),
  workers: required({
    name: 'workers',
    kind: integerKind('COUNT', 1, 64),
    default: 1,
    help:
      'How many processes serve the data port of --engine cassandra together, to use as many processors. The limits ' +
      'of docs/limits.md apply to each of them. With more than 1, the process that was started runs the operations ' +
      'service, starts the workers, and starts another one for each that ends. Signals are for that process.',
  }),
  drainSeconds: required({
    name: 'drain-seconds',
    kind: integerKind('SECONDS', 0, 300),
    default: 0,
    help:
      'How long the server still takes requests after SIGTERM or SIGINT, while /health/ready answers 503 and replies ' +
      'close their connections, so that a load balancer can send its clients to other servers. The stop then takes ' +
      'up to 10 seconds. A second signal ends the server at once.',
  }),
  pageStateSecret: optional({
    name: 'page-state-secret',
    kind: longSecretKind,
    help:
      'Signs page states. Servers with the same secret accept the page states of each other. Without it the key is a ' +
      'file in the data directory. Prefer the environment or the config file to the command line.',
  }),
  token: secret({
    name: 'token',
    help:
      'The token that every request must carry in its Token header. Without this option requests ' +
      'need no token, and only this machine can reach the server. With --engine cassandra the header may also name a ' +
      'user of the cluster. Other users of the machine can see the ' +
      'command line: prefer the environment or the config file.',
  }),
  engine: required({
    name: 'engine',
    kind: choiceKind(engineNames),
    default: defaultEngine,
    help: `Where rows are kept: ${engineNames.map((name) => engines[name].help).join(', ')}.`,
  }),
  ...archiveOptions,
  ...embeddedOptions,
  ...cassandraOptions,
  dialect: required({
    name: 'dialect',
    kind: choiceKind(['strict', 'extended']),
    default: 'strict',
    help:
      'strict is the API that docs/differences.md describes. extended adds what the public Data API has beyond it: ' +
      'user-defined types, static and frozen columns, maps with keys of all types, filters and indexes on the ' +
      'members of lists, sets and maps, text search in tables, further forms of literals, and ' +
      'an embedding provider for each vector column. A data directory can be opened in both.',
  }),
  collections: required({
    name: 'collections',
    kind: choiceKind(['on', 'off']),
    default: 'on',
    help:
      'Whether clients can create and use collections of JSON documents. With off their commands are unknown; ' +
      'existing collections are kept.',
  }),
  region: required({
    name: 'region',
    kind: textKind('NAME'),
    default: 'local',
    help:
      'The region of this server. An embedding provider with a list of regions is available only in these regions. ' +
      'The built-in provider is available in the region local.',
  }),
  providersFile: optional({
    name: 'providers-file',
    kind: textKind('FILE'),
    help:
      'JSON file that changes embedding providers or adds your own: {"providers": {"openai": ' +
      '{"enabled": false}}}. docs/embedding-providers.md describes it.',
  }),
  models: optional({
    name: 'models',
    kind: textKind('DIR'),
    help:
      'Directory of trained models for the embedding provider "local": one directory for each, named as the model. ' +
      '"colonnade models fetch" adds one. docs/local-models.md describes them.',
  }),
  keyStoreSecret: secret({
    name: 'key-store-secret',
    help:
      'Encrypts the key store, which holds keys of embedding providers. Without it the key of the key store ' +
      'is a file in the data directory. Prefer the environment or the config file to the command line.',
  }),
  config: optional({
    name: 'config',
    kind: textKind('FILE'),
    help:
      'JSON file with an object of options, named as here or in camelCase: {"port": 9000, "dataDir": ' +
      '"/var/lib/colonnade"}.',
  }),
  logLevel: required({
    name: 'log-level',
    kind: choiceKind(logLevels),
    default: 'info',
    help: 'The least severe log entries to write. Logs are JSON lines on standard error.',
  }),
  requestTimeoutSeconds: required({
    name: 'request-timeout-seconds',
    kind: integerKind('SECONDS', 1, 3600),
    default: 60,
    help:
      'How long a client may take to send one request, and to read its reply. The connection of a slower ' +
      'client is closed; a slow request gets the status 408 first.',
  }),
  maxConnections: required({
    name: 'max-connections',
    kind: integerKind('COUNT', 1, 100_000),
    default: 4096,
    help:
      'Maximum number of open connections to the data port; further ones are closed. If the system lets the ' +
      'process open fewer files (ulimit -n), the limit is lower, and the server logs this at the start.',
  }),
  requestMemoryMb: required({
    name: 'request-memory-mb',
    kind: integerKind('MEGABYTES', 64, 16_384),
    default: 256,
    help:
      'Memory for the bodies of requests and replies at the data port, half of it for each. ' +
      'Requests that do not fit wait, or get the status 503 with Retry-After.',
  }),
  allowedHosts: required({
    name: 'allowed-hosts',
    kind: hostListKind,
    default: [],
    help:
      'Additional host names that requests may use, besides loopback, --host and --ops-host, for instance behind a ' +
      'proxy. Requests with another Host are refused, at the data port only while it has no --token.',
  }),
  consoleUrl: optional({
    name: 'console-url',
    kind: pageUrlKind,
    help:
      'Address at which people open the web console, perhaps of a proxy: the operations port serves its host and ' +
      'pages, and notices link to it. Without it they have no link.',
  }),
  metricsToken: secret({
    name: 'metrics-token',
    help: 'Bearer token for GET /metrics when the operations port is not bound to a loopback address.',
  }),
  metricsIntervalSeconds: required({
    name: 'metrics-interval-seconds',
    kind: integerKind('SECONDS', 1, 60),
    default: 10,
    help:
      'How often the operations service reads metrics and evaluates alert rules. One reading is one sample of an ' +
      'alert rule.',
  }),
  notifyRetryHours: required({
    name: 'notify-retry-hours',
    kind: integerKind('HOURS', 1, 720),
    default: 24,
    help:
      'How long the service tries to deliver the notification of an event, or of the end of an alert, to a receiver ' +
      'that cannot be reached. It tries to deliver the notification of a firing alert until the alert ends.',
  }),
  nodetool: optional({
    name: 'nodetool',
    kind: wordsKind,
    help:
      'The nodetool command line for actions on Cassandra nodes, as a JSON array of words. {host} and {port} are ' +
      'replaced by the host and port of the node: ["nodetool", "-h", "{host}", "-p", "{port}"]. It runs without a ' +
      'shell and cannot be set over HTTP. Its environment has only paths, the locale and variables that begin with ' +
      'JAVA_, JDK_, JVM_, CASSANDRA_ or NODETOOL_.',
  }),
  nodetoolNodes: optional({
    name: 'nodetool-nodes',
    kind: nodeMapKind,
    help:
      'JMX addresses of nodes that do not use their own address and the JMX port of their cluster: ' +
      '{"10.0.0.1": "127.0.0.1:7199"}.',
  }),
  denyAddress: required({
    name: 'deny-address',
    kind: networkListKind,
    default: [],
    help:
      'Addresses and networks, such as 10.0.0.0/8, that the operations service must not connect to when a ' +
      'receiver or a cluster was named over HTTP. Link-local, metadata, unspecified and multicast addresses are ' +
      'always denied.',
  }),
  allowAddress: required({
    name: 'allow-address',
    kind: networkListKind,
    default: [],
    help: 'Exceptions to --deny-address. Addresses that are always denied stay denied.',
  }),
} satisfies Record<string, Option>;

type Options = typeof options;

/** The value of every option. */
export type Config = { readonly [Key in keyof Options]: Options[Key]['default'] };

/** The options as a list, each with the key of its member. */
export const optionList: readonly (Option & { readonly key: string })[] = Object.entries(options).map(
  ([key, option]) => ({ key, ...option }),
);

/** The environment variable: `COLONNADE_DATA_DIR`. */
export function environmentName(option: Pick<Option, 'name'>): string {
  return `${environmentPrefix}${option.name.toUpperCase().replaceAll('-', '_')}`;
}

/** The prefix of the environment variables of this server. */
export const environmentPrefix = 'COLONNADE_';
