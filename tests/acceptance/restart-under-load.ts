// Restarts servers behind a load balancer one after the other, while clients send commands.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { startBalancer } from './balancer.js';
import { waitFor } from './ops-client.js';
import { makeTemporaryDirectory, type RunningServer, type StartOptions } from './start-server.js';

/** Sends a command; the result is the text of its reply, which rejects without one. */
export function send(url: string, command: unknown, agent: Agent | false = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', token: 'T' };
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(command));
  });
}

/** Sends a command, whose reply must not have errors. */
export async function succeed(url: string, command: unknown, agent: Agent | false = false): Promise<string> {
  const text = await send(url, command, agent);
  assert.doesNotMatch(text, /"errors":/);
  return text;
}

/** What is restarted, and the load meanwhile. */
export interface RestartPlan {
  /** Starts a server on the cluster; the caller stops it in the end. */
  readonly start: (args: readonly string[], options: StartOptions) => Promise<RunningServer>;
  readonly path: string;
  /** What a client sends one after the other, with a number that only it has. */
  readonly commands: (id: number) => readonly unknown[];
}

/**
 * Restarts both of two servers, under load all the time; fails when a request fails. Gives the URL of a server, and the
 * numbers whose commands were all answered.
 */
export async function restartUnderLoad({ start, path, commands }: RestartPlan) {
  const dataDirs = [makeTemporaryDirectory(), makeTemporaryDirectory()];
  const drain = ['--drain-seconds', '2'];
  const running: RunningServer[] = [];
  for (const dataDir of dataDirs) running.push(await start(drain, { dataDir }));
  const balancer = await startBalancer(running.map(({ url }) => url));
  const bothInUse = () => waitFor('both servers in use', async () => balancer.healthy().length === 2);
  const load = startLoad(`${balancer.url}${path}`, commands);
  try {
    for (const [at, server] of running.entries()) {
      await bothInUse();
      const before = load.rounds();
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      await waitFor('requests meanwhile', async () => load.rounds() > before + 20);
      const { port } = new URL(server.url);
      await start([...drain, `--port=${port}`], { dataDir: dataDirs[at] ?? '' });
    }
    await bothInUse();
  } finally {
    const { failures } = await load.end();
    balancer.close();
    assert.deepEqual(failures, []);
  }
  const { ids } = await load.end();
  return { url: running[0]?.url ?? '', ids };
}

/** Sends commands over a few connections that are kept alive, until it is ended. */
function startLoad(url: string, commands: (id: number) => readonly unknown[]) {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  const ids: number[] = [];
  let [isEnding, nextId] = [false, 1000];
  const loop = async () => {
    while (!isEnding && failures.length < 10) {
      const id = nextId++;
      try {
        for (const command of commands(id)) await succeed(url, command, agent);
        ids.push(id);
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const loops = Array.from({ length: 8 }, loop);
  return {
    rounds: () => ids.length,
    end: async () => {
      isEnding = true;
      await Promise.all(loops);
      agent.destroy();
      return { failures, ids };
    },
  };
}
