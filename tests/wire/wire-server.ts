// Sends raw text to a real server over HTTP and compares the raw text of its replies.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before } from 'node:test';
import { isOnCluster, serverArgs } from '../acceptance/server-args.js';
import {
  makeTemporaryDirectory,
  type RunningServer,
  type StartOptions,
  startServer,
} from '../acceptance/start-server.js';
import { defineUserType } from '../acceptance/user-types.js';
import { withoutOrder } from './without-order.js';

/** What is sent. A request is a POST of JSON unless it says otherwise. */
export interface WireRequest {
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly method?: string;
  /** Instead of the content type JSON; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back, its text as it was. */
export interface WireReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Posts a body and checks the reply. Line breaks in `body` and `reply`, with the spaces behind them, are for the reader
 * only. In `reply` an error or warning stands as `<FAMILY SCOPE CODE: title>`; its message must contain `facts`.
 */
export type Exchange = (body: string, reply: string, ...facts: readonly string[]) => Promise<void>;

/** Ways to talk to one server. */
export interface WireServer {
  at(path: string): Exchange;
  send(parts: WireRequest): Promise<WireReply>;
  /** Sends a request to the operations port. */
  sendToOps(parts: WireRequest): Promise<WireReply>;
  /** Carries a statement of the native query language out, which must succeed; gives the reply's text. */
  cql(query: string): Promise<string>;
  /** The running process. */
  process(): RunningServer;
  /** Stops the server and starts another on the same data. */
  restart(): Promise<void>;
}

/** How the server starts. */
export interface WireServerOptions extends Pick<StartOptions, 'args' | 'nodeArgs' | 'isUnbundled'> {
  /** User-defined types that the statements need, with their keyspaces. */
  readonly userTypes?: readonly string[];
  /** Statements of the native query language that must succeed before the first test. */
  readonly statements?: readonly string[];
  /** Path and body of commands that must succeed after them. */
  readonly prepare?: readonly (readonly [path: string, body: string])[];
  /** What has to be done before the server starts. */
  readonly beforeStart?: () => Promise<void>;
  /** True for a server that no suite had before. */
  readonly isNew?: boolean;
}

/**
 * A server for the suite it is declared in. The suites of a process with the same options have one in turn, each empty;
 * one that is new, or for which something has to be done before, is started before the first test and stopped after the
 * last one.
 */
export function useWireServer({
  userTypes = [],
  statements = [],
  prepare = [],
  beforeStart,
  isNew = false,
  ...options
}: WireServerOptions = {}): WireServer {
  const isShared = !isNew && beforeStart === undefined;
  const server = isShared ? sharedServer(options) : new ServerInTurns(options);
  server.announceSuite();
  const send = (parts: WireRequest) => sendTo(server.running().url, parts);
  const sendToOps = (parts: WireRequest) => sendTo(server.running().opsUrl, parts);
  const cql = async (query: string) => {
    const { status, text } = await sendToOps({ path: '/local/cql', body: JSON.stringify({ query }) });
    assert.equal(status, 200, `${query}: ${text}`);
    return text;
  };
  before(async () => {
    await beforeStart?.();
    await server.beginSuite();
    for (const type of userTypes) await defineUserType(type);
    for (const statement of statements) await cql(statement);
    for (const [path, body] of prepare) {
      const { text } = await send({ path, body });
      assert.ok(!text.includes('"errors"'), text);
    }
  });
  after(() => server.endSuite());
  return {
    send,
    sendToOps,
    cql,
    process: () => server.running(),
    at:
      (path) =>
      async (body, reply, ...facts) => {
        const { status, text } = await send({ path, body: unbroken(body) });
        const shown = isOnCluster() && isUnsorted(body) ? withoutOrder : (whole: string) => whole;
        assert.equal(shown(shortened(text)), shown(unbroken(reply)), text);
        for (const fact of facts) assert.ok(messagesIn(text).includes(fact), `${fact} is not in ${text}`);
        assert.equal(status, 200);
      },
    restart: () => server.restart(),
  };
}

/** A server process that suites have one after the other. It runs until the last suite that was announced ends. */
class ServerInTurns {
  readonly #options: StartOptions;
  #dataDir: string | undefined;
  #running: RunningServer | undefined;
  #suitesToCome = 0;
  #isTaken = false;

  constructor(options: StartOptions) {
    this.#options = options;
  }

  running(): RunningServer {
    assert.ok(this.#running);
    return this.#running;
  }

  announceSuite(): void {
    this.#suitesToCome += 1;
  }

  async beginSuite(): Promise<void> {
    assert.ok(!this.#isTaken, 'two suites want the server at the same time: one of them needs isNew');
    this.#isTaken = true;
    const isNew = this.#running === undefined;
    if (isNew) await this.#start();
    if (!isNew || isOnCluster()) await this.#makeEmpty();
  }

  async endSuite(): Promise<void> {
    this.#isTaken = false;
    this.#suitesToCome -= 1;
    if (this.#suitesToCome > 0) return;
    await this.#running?.stop();
    this.#running = undefined;
  }

  async restart(): Promise<void> {
    await this.#running?.stop();
    await this.#start();
  }

  async #start(): Promise<void> {
    this.#dataDir ??= makeTemporaryDirectory();
    const args = [...serverArgs(), ...(this.#options.args ?? [])];
    this.#running = await startServer({ dataDir: this.#dataDir, ...this.#options, args });
  }

  /** Makes the server like a new one: with the keyspace `default_keyspace` and nothing in it. */
  async #makeEmpty(): Promise<void> {
    const { url } = this.running();
    const { args = [] } = this.#options;
    const token = args.includes('--token') ? args[args.indexOf('--token') + 1] : undefined;
    const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { token }) };
    const send = (body: string) => sendTo(url, { path: '/v1', body, headers });
    const { status } = JSON.parse((await send('{"findKeyspaces":{}}')).text);
    for (const name of status.keyspaces) await send(`{"dropKeyspace":{"name":"${name}"}}`);
    await send('{"createKeyspace":{"name":"default_keyspace"}}');
  }
}

const sharedServers = new Map<string, ServerInTurns>();

/** The server that suites with these options share. */
function sharedServer(options: StartOptions): ServerInTurns {
  const name = JSON.stringify(options);
  const server = sharedServers.get(name) ?? new ServerInTurns(options);
  sharedServers.set(name, server);
  return server;
}

/** A reply's text with every error and warning as `<FAMILY SCOPE CODE: title>`. */
export function shortened(text: string): string {
  return text.replaceAll(problem, (_, family: string, scope: string, code: string, title: string) => {
    return `<${family} ${scope === '' ? '' : `${scope} `}${code}: ${title}>`;
  });
}

/** The messages of all errors and warnings in a reply's text. */
export function messagesIn(text: string): string {
  return [...text.matchAll(problem)].map((found) => JSON.parse(`"${found[5]}"`)).join('\n');
}

const id = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const string = '"((?:[^"\\\\]|\\\\.)*)"';
/** The members of an error, no more and no fewer, in their order. */
const problem = new RegExp(
  `\\{"id":"${id}","family":${string},"scope":${string},"errorCode":${string},"title":${string},"message":${string}(?:,"documentIds":\\[[^\\]]*\\])?\\}`,
  'g',
);

/** The rows of such a read have the order of the engine. */
function isUnsorted(body: string): boolean {
  return /^\s*\{\s*"find"/.test(body) && !body.includes('"sort"');
}

/** The text without the line breaks that are for the reader only. */
export function unbroken(text: string): string {
  return text.replaceAll(/\n\s*/g, '');
}

function sendTo(url: string, { path, body = '', method = 'POST', headers }: WireRequest): Promise<WireReply> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      {
        method,
        headers: { 'content-length': bytes.length, ...(headers ?? { 'content-type': 'application/json' }) },
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
        });
        reply.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}
