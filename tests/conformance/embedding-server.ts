// A local HTTP server in a provider's place: it speaks the provider's published format, or misbehaves as requested.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderDialect } from './embedding-dialects.js';
import type { ReceivedRequest } from './received-request.js';

/** What the server does with one request instead of answering it properly. */
export type Misbehaviour = (response: ServerResponse, request: ReceivedRequest) => void;

/** A server that runs until it is closed. */
export interface EmbeddingServer {
  /** `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** Every request so far. */
  readonly received: readonly ReceivedRequest[];
  /** For the next requests, one each; those after them are answered properly. */
  misbehave(...next: readonly Misbehaviour[]): void;
  close(): Promise<void>;
}

/** The vector that the server gives for a text; different texts have different ones. */
export function vectorFor(text: string, dimension: number): readonly number[] {
  let state = 17;
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return Array.from({ length: dimension }, (_, at) => ((state + at * 7) % 1000) / 1024 - 0.5);
}

/** Starts a server for a dialect. */
export function startEmbeddingServer(dialect: ProviderDialect): Promise<EmbeddingServer> {
  return startProviderServer(({ body }) =>
    dialect.reply(dialect.textsIn(body).map((text) => vectorFor(text, dialect.dimension))),
  );
}

/** Starts a server in the place of any provider: `answer` gives the JSON of a reply. */
export async function startProviderServer(
  answer: (request: ReceivedRequest) => unknown,
): Promise<EmbeddingServer> {
  const received: ReceivedRequest[] = [];
  const misbehaviours: Misbehaviour[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await receive(incoming);
    received.push(request);
    const misbehaviour = misbehaviours.shift();
    if (misbehaviour !== undefined) return misbehaviour(response, request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    misbehave: (...next) => misbehaviours.push(...next),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with a status, a body and headers. */
export function answering(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Misbehaviour {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Never answers. */
export const silent: Misbehaviour = () => {};

/** Promises more than comes, and hangs up. */
export const cutShort: Misbehaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"data":[');
  setTimeout(() => response.destroy(), 5);
};

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // no encoding was set
  const text = Buffer.concat(chunks).toString();
  const body = JSON.parse(text) as Record<string, unknown>; // our own providers send objects
  return { path: incoming.url ?? '', headers: incoming.headers, text, body };
}
