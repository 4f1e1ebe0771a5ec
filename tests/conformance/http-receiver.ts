// A receiver of channels that speak HTTP.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelReceiver, ReceivedMessage, ReceiverMood } from './describe-channel.js';

/** A request as it came. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What makes a receiver one of a certain service. */
export interface HttpReceiverOptions {
  /** With its leading slash; secret. */
  readonly path: string;
  readonly secrets: readonly string[];
  settings(url: string): Readonly<Record<string, unknown>>;
  /** Takes a request apart. Throws at one that has not the published format. */
  read(request: ReceivedRequest): ReceivedMessage;
  /** How it says yes. Default 200 `ok`. */
  readonly yes?: { readonly status: number; readonly body: string };
}

/** Starts a receiver on a free port. */
export async function startHttpReceiver(options: HttpReceiverOptions): Promise<ChannelReceiver> {
  const received: ReceivedMessage[] = [];
  const faults: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: chunks.join(''),
    };
    switch (receiver.mood) {
      case 'accept':
        try {
          received.push(options.read(request));
          response.writeHead(options.yes?.status ?? 200).end(options.yes?.body ?? 'ok');
        } catch (error) {
          faults.push(error instanceof Error ? error.message : String(error));
          response.writeHead(400).end();
        }
        break;
      case 'busy':
        response.writeHead(503).end('later');
        break;
      case 'refuse':
        response.writeHead(404).end(`no ${request.path} ${JSON.stringify(request.headers)}\nsecond line`);
        break;
      case 'stall':
        break;
      case 'cut':
        incoming.socket.destroy();
        break;
      case 'lie':
        incoming.socket.end('250 this is not HTTP\r\n\r\n');
        break;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const settingsFor = (host: string) => options.settings(`http://${host}:${port}${options.path}`);
  const receiver: ChannelReceiver & { mood: ReceiverMood } = {
    mood: 'accept',
    settings: settingsFor('127.0.0.1'),
    secrets: options.secrets,
    received,
    faults,
    settingsFor,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
