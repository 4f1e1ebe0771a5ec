// A load balancer for tests: passes TCP connections on to servers whose health check succeeds.
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A running balancer. */
export interface Balancer {
  readonly url: string;
  /** The servers that are in use now. */
  healthy(): readonly string[];
  close(): void;
}

const checkIntervalMs = 100;

/** Balances between servers, given by their URLs. One is in use as long as its `/health/ready` answers 200. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const healthy = new Set<string>();
  const check = async (url: string) => {
    if (await isReady(url)) healthy.add(url);
    else healthy.delete(url);
  };
  const checking = setInterval(() => urls.forEach((url) => void check(url)), checkIntervalMs);
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const targets = [...healthy];
    const target = targets[count % targets.length];
    count += 1;
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await Promise.all(urls.map(check));
  const { port } = server.address() as AddressInfo; // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    healthy: () => [...healthy],
    close: () => {
      clearInterval(checking);
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = get(`${url}/health/ready`, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(false));
  });
}
