// A webhook receiver for real servers: it takes notices, or fails, stalls, lies, and comes back.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NoticeJson } from '../../src/ops-service/notifications/notice.js';

/** `slow` takes the notice and answers a little later; `forget` takes it and cuts the connection. */
export type Mood = 'take' | 'slow' | 'forget' | 'fail' | 'stall' | 'lie';

/** A receiver on a free port. */
export interface NoticeReceiver {
  readonly url: string;
  /** Everything that was taken, in order, copies included. */
  readonly notices: readonly NoticeJson[];
  mood: Mood;
  /** Resolves when what was taken is as wanted; the test's time limit ends it. */
  until(isSo: (notices: readonly NoticeJson[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

const slowMs = 30;

export async function startNoticeReceiver(): Promise<NoticeReceiver> {
  const notices: NoticeJson[] = [];
  let wakers: (() => void)[] = [];
  const take = (body: string) => {
    notices.push(JSON.parse(body));
    for (const wake of wakers.splice(0)) wake();
  };
  const server = createServer(async (incoming, response) => {
    const chunks: string[] = [];
    try {
      for await (const chunk of incoming.setEncoding('utf8')) chunks.push(String(chunk));
    } catch {
      return; // the sender was killed in the middle
    }
    const body = chunks.join('');
    switch (receiver.mood) {
      case 'take':
        take(body);
        response.end();
        break;
      case 'slow':
        take(body);
        setTimeout(() => response.end(), slowMs);
        break;
      case 'forget':
        take(body);
        incoming.socket.destroy();
        break;
      case 'fail':
        response.writeHead(503).end();
        break;
      case 'stall':
        break;
      case 'lie':
        incoming.socket.end('SMTP 250 fine\r\n');
        break;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const receiver: NoticeReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    notices,
    mood: 'take',
    until: async (isSo) => {
      while (!isSo(notices)) await new Promise<void>((resolve) => wakers.push(resolve));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      wakers = [];
    },
  };
  return receiver;
}
