// Starts Apache Cassandra nodes on loopback addresses, for the tests and for trying out a real cluster.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { type CassandraJars, resolveCassandraJars } from './cassandra-jars.js';
import { cassandraYaml, type NodePlace, type NodeSecurity } from './cassandra-yaml.js';
import { nodeArguments, nodetoolArguments } from './java-options.js';

/** A node that was started. */
export interface CassandraNode {
  readonly place: NodePlace;
  readonly pid: number;
  /** Ends it in order (SIGTERM), resolves when the process has gone. */
  stop(): Promise<void>;
  /** Sends a signal: SIGSTOP suspends it, SIGCONT resumes it, SIGKILL ends it immediately. */
  signal(signal: NodeJS.Signals): void;
  /** Starts it again with the data it has; resolves when it answers. */
  restart(): Promise<void>;
  /** The last characters of each of its two logs; without a number 3,000, for the message of a test that fails. */
  readLog(characters?: number): string;
}

/** The nodes of one cluster; the first is the seed. */
export interface CassandraNodes {
  readonly nodes: readonly CassandraNode[];
  /** The argument vector that runs nodetool for a node: program first, `-h` and `-p` included. */
  nodetool(node: CassandraNode): readonly string[];
  /** Runs nodetool; resolves to what it printed. */
  runNodetool(node: CassandraNode, ...words: readonly string[]): Promise<string>;
  /** Adds a node to the cluster; resolves when it answers. */
  addNode(): Promise<CassandraNode>;
  stop(): Promise<void>;
}

const startTimeoutMs = 180_000;
const pollMs = 250;
const lowestPort = 20_000;
const highestPort = 32_000;

/** Which nodes are started, and how. */
export interface StartedNodes {
  /** A new folder for the files of the nodes. */
  readonly directory: string;
  /** The folder of the pom and the logback files. */
  readonly toolFolder: string;
  readonly nodeCount: number;
  /** How many nodes there will be in all, counting those added later. Default: `nodeCount`. */
  readonly plannedCount?: number;
  /** Default: everyone is let in, and nothing is encrypted. */
  readonly security?: NodeSecurity;
  /** Changes of the schema are faster, and lost where a node is killed. Default: false. */
  readonly forgetsSchema?: boolean;
  /** Less processor time for nodes that run for minutes, more for others. Default: false. */
  readonly compilesSimply?: boolean;
  /** A node acknowledges what is on disk: it loses nothing where it is killed. Default: false. */
  readonly syncsWrites?: boolean;
  /** Further environment variables of the node with this address. Default: none. */
  readonly environmentOf?: (address: string) => Readonly<Record<string, string>>;
  /** Ends the nodes that start, and rejects. Default: never. */
  readonly interruption?: AbortSignal;
}

/** Starts nodes one after another. */
export async function startCassandra(options: StartedNodes): Promise<CassandraNodes> {
  const jars = resolveCassandraJars(options.toolFolder);
  const [nativePort, storagePort] = [await freePort(), await freePort()];
  const nodes: RunningNode[] = [];
  const addNode = async () => {
    const address = `127.0.0.${nodes.length + 1}`;
    const place: NodePlace = {
      directory: join(options.directory, `node${nodes.length + 1}`),
      address,
      seed: '127.0.0.1',
      nativePort,
      storagePort,
      jmxPort: await freePort(),
      nodeCount: options.plannedCount ?? options.nodeCount,
      security: options.security ?? {},
      forgetsSchema: options.forgetsSchema ?? false,
      compilesSimply: options.compilesSimply ?? false,
      syncsWrites: options.syncsWrites ?? false,
    };
    const environment = options.environmentOf?.(address) ?? {};
    const node = new RunningNode(place, jars, options.toolFolder, environment);
    nodes.push(node);
    await node.restart(options.interruption);
    return node;
  };
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (let count = 0; count < options.nodeCount; count += 1) await addNode();
  } catch (error) {
    await stop();
    throw error;
  }
  const logback = join(options.toolFolder, 'logback-nodetool.xml');
  const nodetool = (node: CassandraNode) => [
    'java',
    ...nodetoolArguments({ classPath: jars.classPath, logback }),
    '-h',
    '127.0.0.1',
    '-p',
    String(node.place.jmxPort),
  ];
  const runNodetool = async (node: CassandraNode, ...words: readonly string[]) => {
    const [program = '', ...given] = nodetool(node);
    return (await promisify(execFile)(program, [...given, ...words], { maxBuffer: 1 << 24 })).stdout;
  };
  return { nodes, nodetool, runNodetool, addNode, stop };
}

class RunningNode implements CassandraNode {
  readonly place: NodePlace;
  readonly #arguments: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(
    place: NodePlace,
    jars: CassandraJars,
    toolFolder: string,
    environment: Readonly<Record<string, string>>,
  ) {
    this.place = place;
    this.#environment = environment;
    for (const name of ['data', 'commitlog', 'logs', 'conf', 'tmp']) {
      mkdirSync(join(place.directory, name), { recursive: true });
    }
    const yaml = join(place.directory, 'conf', 'cassandra.yaml');
    writeFileSync(yaml, cassandraYaml(place));
    this.#arguments = nodeArguments(place, { ...jars, yaml, logback: join(toolFolder, 'logback.xml') });
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`the node at ${this.place.address} does not run`);
    return this.#child.pid;
  }

  async restart(interruption?: AbortSignal): Promise<void> {
    interruption?.throwIfAborted();
    const output = openSync(join(this.place.directory, 'logs', 'stdout.log'), 'a');
    const env = { ...process.env, ...this.#environment };
    const child = spawn('java', this.#arguments, { env, stdio: ['ignore', output, output] });
    this.#child = child;
    const deadline = Date.now() + startTimeoutMs;
    while (!(await answersCql(this.place))) {
      if (child.exitCode !== null)
        throw new Error(`the node at ${this.place.address} ended:\n${this.readLog()}`);
      if (Date.now() > deadline)
        throw new Error(`the node at ${this.place.address} is not ready:\n${this.readLog()}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      interruption?.throwIfAborted();
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await gone;
    clearTimeout(force);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  readLog(characters = 3_000): string {
    return ['stdout.log', 'system.log']
      .map((name) => {
        try {
          return readFileSync(join(this.place.directory, 'logs', name), 'utf8').slice(-characters);
        } catch {
          return '';
        }
      })
      .join('\n');
  }
}

/** Asks for the options that the node supports (protocol 4, OPTIONS); any answer will do. */
function answersCql({ address, nativePort, security: { tls } }: NodePlace): Promise<boolean> {
  const place = { host: address, port: nativePort, timeout: 2000 };
  return new Promise((resolve) => {
    const socket = tls === undefined ? connect(place) : connectTls({ ...place, rejectUnauthorized: false });
    const begun = tls === undefined ? 'connect' : 'secureConnect';
    const settle = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.on(begun, () => socket.write(Buffer.from([4, 0, 0, 1, 5, 0, 0, 0, 0])));
    socket.on('data', () => settle(true));
    socket.on('timeout', () => settle(false));
    // The node asks for a certificate: it is there.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => settle(code === noCertificate));
    // Accepted and closed without a word: by a node that is just ending, or by a stranger on its port.
    socket.on('close', () => settle(false));
  });
}

const noCertificate = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

/**
 * A port that nobody listens on. A node binds it seconds later: the range is below the one from which systems take
 * the ports of outgoing connections, which could take it in between.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
