// What the tests of `colonnade export` and `colonnade import` share: servers, commands, rows, a server in between.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before } from 'node:test';
import {
  colonnadePath,
  environmentOfTests,
  type FinishedRun,
  makeTemporaryDirectory,
  type RunningServer,
  runColonnade,
  startServer,
} from './start-server.js';

/** Two servers and what tests do with them. */
export interface ServerPair {
  source(): RunningServer;
  target(): RunningServer;
  /** The options of an import into a keyspace of the target. */
  to(keyspace: string): readonly string[];
  /** Creates a keyspace of the source and returns its name. */
  keyspace(name: string): Promise<string>;
  /** Creates a table of the source; `path`: that of its keyspace. */
  createTable(path: string, name: string, definition: object): Promise<void>;
  /** The replies of both servers to a command. */
  both(path: string, targetPath: string, command: string): Promise<readonly string[]>;
}

/** Starts two servers for the suite that it is declared in. */
export function useServerPair(): ServerPair {
  let servers: readonly RunningServer[] = [];
  before(async () => {
    servers = await Promise.all([startServer(), startServer()]);
  });
  after(() => Promise.all(servers.map((server) => server.stop())));
  const at = (place: number) => {
    const server = servers[place];
    assert.ok(server, 'the servers run within tests only');
    return server;
  };
  const [source, target] = [() => at(0), () => at(1)];
  return {
    source,
    target,
    to: (keyspace) => ['--url', target().url, '--to-keyspace', keyspace],
    keyspace: (name) => createKeyspace(source().url, name),
    createTable: (path, name, definition) => createTable(source().url, path, name, definition),
    both: async (path, targetPath, command) => [
      await send(source().url, path, command),
      await send(target().url, targetPath, command),
    ],
  };
}

/** Creates a keyspace and returns its name. */
export async function createKeyspace(url: string, name: string): Promise<string> {
  await send(url, '', `{"createKeyspace":{"name":"${name}"}}`);
  return name;
}

/** Creates a table; `path`: that of its keyspace. */
export async function createTable(
  url: string,
  path: string,
  name: string,
  definition: object,
): Promise<void> {
  await send(url, path, JSON.stringify({ createTable: { name, definition } }));
}

/** The path of a directory for an export, which does not exist yet. */
export function newExportDirectory(): string {
  return join(makeTemporaryDirectory(), 'export');
}

/** Sends a command and returns the text of the reply, which must have no errors unless `mayFail`. */
export async function send(url: string, path: string, command: string, mayFail = false): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: command });
  const text = await reply.text();
  assert.ok(mayFail || !text.includes('"errors":'), `${command.slice(0, 200)}: ${text.slice(0, 500)}`);
  return text;
}

/** Runs a statement of the native query language. */
export async function query(opsUrl: string, statement: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: statement });
  const reply = await fetch(`${opsUrl}/local/cql`, { method: 'POST', headers, body });
  assert.equal(reply.status, 200, await reply.text());
}

/** Inserts rows, given as texts, a hundred at a time. */
export async function insertAll(url: string, path: string, rows: readonly string[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 100)
    await send(url, path, `{"insertMany":{"documents":[${rows.slice(at, at + 100).join(',')}]}}`);
}

/** The texts of all pages of a table, without page states. */
export async function rowsOf(url: string, path: string, filter = '{}'): Promise<string> {
  let rows = '';
  let pageState: string | null = null;
  do {
    const text: string = await send(
      url,
      path,
      `{"find":{"filter":${filter},"options":{"pageState":${JSON.stringify(pageState)}}}}`,
    );
    const found: RegExpExecArray | null =
      /^\{"data":\{"documents":(.*),"nextPageState":(null|"[^"]*")\}/s.exec(text);
    assert.ok(found);
    rows += `${found[1]}\n`;
    pageState = JSON.parse(found[2] ?? 'null');
  } while (pageState !== null);
  return rows;
}

/** Runs the command line and expects the exit code. */
export async function move(args: readonly string[], code = 0): Promise<FinishedRun> {
  const run = await runColonnade(args);
  assert.equal(run.code, code, `${args.join(' ')}: ${run.stdout}${run.stderr}`);
  return run;
}

/** A command line that runs. */
export interface BegunRun {
  readonly child: ChildProcess;
  /** The exit code. */
  readonly ended: Promise<number | null>;
  /** What it has written so far. */
  stderr(): string;
}

/** Starts the command line and returns the process; the test ends it with a signal. */
export function begin(args: readonly string[]): BegunRun {
  const child = spawn(process.execPath, [colonnadePath, ...args], {
    env: environmentOfTests(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, stderr: () => stderr };
}

/** Runs the command line until a gate holds a request of it, and kills it there. */
export async function killWhenHeld(args: readonly string[], held: Promise<void>): Promise<void> {
  const { child, ended, stderr } = begin(args);
  const endedBefore = ended.then(() => assert.fail(`${args.join(' ')} ended before: ${stderr()}`));
  await Promise.race([held, endedBefore]);
  child.kill('SIGKILL');
  await ended;
}

/** What a gate does with a request: sends it on, holds it until `release`, cuts the connection, or answers this. */
export type Verdict = 'pass' | 'hold' | 'cut' | number;

/** A server between the command line and the real one. */
export interface Gate {
  readonly url: string;
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
  /** Sends on what is held. */
  release(): void;
  /** How many requests with this command arrived. */
  count(command: string): number;
  close(): void;
}

/** `judge` gets the name of the command and how many of them arrived before. */
export async function openGate(
  target: string,
  judge: (command: string, before: number) => Verdict,
): Promise<Gate> {
  const counts = new Map<string, number>();
  let noteHeld = () => {};
  const held = new Promise<void>((resolve) => {
    noteHeld = resolve;
  });
  const heldRequests: (() => void)[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const command = /^\{"(\w+)"/.exec(body.subarray(0, 40).toString())?.[1] ?? '';
    const before = counts.get(command) ?? 0;
    counts.set(command, before + 1);
    const verdict = judge(command, before);
    const pass = () => passOn(target, incoming.url ?? '', body, outgoing);
    if (verdict === 'hold') {
      heldRequests.push(pass);
      noteHeld();
    } else if (verdict === 'cut') incoming.socket.destroy();
    else if (verdict === 'pass') pass();
    else outgoing.writeHead(verdict, { 'retry-after': '0' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    held,
    release: () => {
      for (const pass of heldRequests.splice(0)) pass();
    },
    count: (command) => counts.get(command) ?? 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function passOn(target: string, path: string, body: Buffer, outgoing: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  request(`${target}${path}`, { method: 'POST', headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.pipe(outgoing);
  })
    // The server is gone: so is the connection of the request.
    .on('error', () => outgoing.destroy())
    .end(body);
}
