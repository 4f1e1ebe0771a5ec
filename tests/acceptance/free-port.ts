// A port that nobody listens on.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports that no system gives to a program that asks for any free one, so other tests do not get them in between. */
const firstPort = 10_000;
const endOfPorts = 32_000;
const attempts = 100;

/** For a program that cannot pick a free port itself. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const port = randomInt(firstPort, endOfPorts);
    if (await isFree(port)) return port;
  }
  throw new Error(`${attempts} ports in a row are in use`);
}

/** Whether a program could listen on it now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
