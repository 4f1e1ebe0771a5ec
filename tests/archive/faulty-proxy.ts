// A proxy in front of an object store that fails as networks and stores do.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../seeded-random.js';

/** What happens to requests; `share` of them, from 0 to 1, meet it, and the others are passed on. */
export type ProxyFault = AnyFault & {
  /** Requests for one address meet the fault at most so often one after another. */
  readonly mostInARow?: number;
};

type AnyFault =
  | { readonly kind: 'slow'; readonly share: number; readonly delayMs: number }
  | { readonly kind: 'status'; readonly share: number; readonly status: 500 | 503 }
  /** The store gets a part of the body, and the client no reply. */
  | { readonly kind: 'cutUpload'; readonly share: number }
  /** The store does what it was asked, and the client gets a part of the reply. */
  | { readonly kind: 'cutReply'; readonly share: number }
  /** The store does what it was asked, and the client gets no reply. */
  | { readonly kind: 'lostReply'; readonly share: number }
  /** What a store answers if its clock and that of the client differ by more than a quarter of an hour. */
  | { readonly kind: 'wrongClock'; readonly share: number }
  /** Nothing listens. */
  | { readonly kind: 'refused' };

/** The proxy, which listens until `close`. */
export interface FaultyProxy {
  readonly url: string;
  /** How many requests met a fault. */
  readonly faultCount: () => number;
  /** Begins a fault in place of the present one; undefined for none. */
  setFault(fault: ProxyFault | undefined): Promise<void>;
  close(): Promise<void>;
}

/** Opens a proxy in front of the store at an address such as `http://127.0.0.1:7070`. */
export async function openFaultyProxy(target: string, random: SeededRandom): Promise<FaultyProxy> {
  let fault: ProxyFault | undefined;
  let count = 0;
  const inARow = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const address = `${incoming.method} ${incoming.url}`;
    const before = inARow.get(address) ?? 0;
    const mayMeet = before < (fault?.mostInARow ?? Number.POSITIVE_INFINITY);
    const isMet = fault !== undefined && 'share' in fault && mayMeet && random.chance(fault.share);
    const met = isMet ? fault : undefined;
    inARow.set(address, isMet ? before + 1 : 0);
    if (isMet) count += 1;
    // The connection of a client that ended is destroyed already.
    incoming.on('error', () => outgoing.destroy());
    void answer(target, incoming, outgoing, met).catch(() => outgoing.destroy());
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    faultCount: () => count,
    setFault: async (next) => {
      fault = next;
      if (next?.kind === 'refused' && server.listening) await stopListening(server);
      if (next?.kind !== 'refused' && !server.listening) await listen(server, port);
    },
    close: async () => {
      if (server.listening) await stopListening(server);
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

async function answer(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: ProxyFault | undefined,
): Promise<void> {
  const body = await bodyOf(incoming);
  if (fault?.kind === 'slow') await delay(fault.delayMs);
  if (fault?.kind === 'status') return fail(outgoing, fault.status, 'ServiceUnavailable');
  if (fault?.kind === 'wrongClock') return fail(outgoing, 403, 'RequestTimeTooSkewed');
  if (fault?.kind === 'cutUpload') {
    sendHalf(target, incoming, body);
    outgoing.destroy();
    return;
  }
  const reply = await passOn(target, incoming, body);
  const content = await bodyOf(reply);
  if (fault?.kind === 'lostReply') {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(reply.statusCode ?? 500, withoutLengthOfParts(reply));
  if (fault?.kind !== 'cutReply') {
    outgoing.end(content);
    return;
  }
  outgoing.write(content.subarray(0, content.length / 2), () => outgoing.destroy());
}

/** The reply is sent as a whole; its length stays, so that a client can see that it was cut. */
function withoutLengthOfParts({ headers }: IncomingMessage) {
  const { 'transfer-encoding': _, ...others } = headers;
  return others;
}

function fail(outgoing: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(text);
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return Buffer.concat(parts);
}

/** The headers stay as they are, because they are signed, with the name of the host. */
function passOn(target: string, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, headers, url } = incoming;
    request(`${target}${url}`, { method, headers, agent: false }, resolve).on('error', reject).end(body);
  });
}

/** The store sees a connection that ends within the body. */
function sendHalf(target: string, { method, headers, url }: IncomingMessage, body: Buffer): void {
  const sent = request(`${target}${url}`, { method, headers, agent: false });
  sent.on('error', () => {}); // it is destroyed below
  sent.write(body.subarray(0, body.length / 2), () => sent.destroy());
}
