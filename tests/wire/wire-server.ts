// Sends raw text to a real server over HTTP and compares the raw text of its replies.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before } from 'node:test';
import {
  makeTemporaryDirectory,
  type RunningServer,
  type StartOptions,
  startServer,
} from '../acceptance/start-server.js';

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
  /** As `send`, to the operations port. */
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
  /** Statements of the native query language that must succeed before the first test. */
  readonly statements?: readonly string[];
  /** Path and body of commands that must succeed after them. */
  readonly prepare?: readonly (readonly [path: string, body: string])[];
  /** What has to be done before the server starts. */
  readonly beforeStart?: () => Promise<void>;
}

/** A server for the suite it is declared in: started before its first test, stopped after its last one. */
export function useWireServer({
  statements = [],
  prepare = [],
  beforeStart,
  ...options
}: WireServerOptions = {}): WireServer {
  const dataDir = makeTemporaryDirectory();
  let running: RunningServer | undefined;
  const start = async () => {
    running = await startServer({ dataDir, ...options });
  };
  const send = (parts: WireRequest) => sendTo(running?.url ?? '', parts);
  const sendToOps = (parts: WireRequest) => sendTo(running?.opsUrl ?? '', parts);
  const cql = async (query: string) => {
    const { status, text } = await sendToOps({ path: '/local/cql', body: JSON.stringify({ query }) });
    assert.equal(status, 200, `${query}: ${text}`);
    return text;
  };
  before(async () => {
    await beforeStart?.();
    await start();
    for (const statement of statements) await cql(statement);
    for (const [path, body] of prepare) {
      const { text } = await send({ path, body });
      assert.ok(!text.includes('"errors"'), text);
    }
  });
  after(() => running?.stop());
  return {
    send,
    sendToOps,
    cql,
    process: () => {
      assert.ok(running);
      return running;
    },
    at:
      (path) =>
      async (body, reply, ...facts) => {
        const { status, text } = await send({ path, body: unbroken(body) });
        assert.equal(shortened(text), unbroken(reply), text);
        for (const fact of facts) assert.ok(messagesIn(text).includes(fact), `${fact} is not in ${text}`);
        assert.equal(status, 200);
      },
    restart: async () => {
      await running?.stop();
      await start();
    },
  };
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
  `\\{"id":"${id}","family":${string},"scope":${string},"errorCode":${string},"title":${string},"message":${string}\\}`,
  'g',
);

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
