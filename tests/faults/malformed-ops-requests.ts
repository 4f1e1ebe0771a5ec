// Malformed requests to the operations port are the sender's fault, whatever they hold: many of them from a seed.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { TestContext } from 'node:test';
import { parseJson } from '../../src/foundation/json/parse-json.js';
import { startServer } from '../acceptance/start-server.js';
import { newSeed, type SeededRandom, seededRandom } from '../seeded-random.js';
import { mutateBody } from './mutate.js';

const atOnce = 8;

const bodies = [
  '{"id":"a","cassandra":{"seed_hosts":"10.0.0.1, b","native_port":9042,"username":"u","password":"p"},' +
    '"actions":{"kind":"nodetool","port":7199},"metrics":{"prometheus":"http://{host}:9103/metrics"}}',
  '{"type":"rolling-avg","metric":"os-disk-usage","threshold":85.0,"comparator":">","duration":1.5,"enabled":1,' +
    '"notify_interval":0,"resolve_threshold":80,"no_data":"keep","level":"WARN","annotations":{"a":"b"}}',
  '{"type":"node-down","dc":"datacenter1","duration":0}',
  '{"type":"percentile","metric":"read-histogram","percentile":99,"threshold":5,"window":5}',
  '{"type":"webhook","levels":["WARN"],"rules":[],"events":false,"url":"http://127.0.0.1:1/x","format":"json"}',
  '{"type":"email","url":"smtp://127.0.0.1:1","from":"a@b.c","to":["d@e.f"]}',
  '{"matchers":{"node":"127.0.0.1"},"start":1,"end":2,"author":"a","comment":"c"}',
  '{"username":"ada","password":"right horse"}',
  '{"ips":["127.0.0.1"],"action":"flush","is_rolling":true,"sleep":0}',
  '{"query":"SELECT * FROM ks.t"}',
  '{"providerKey":"k"}',
  '["t"]',
  'true',
].map((text) => parseJson(text, { maxDepth: 10, maxNumberLength: 50 }));

const words = [
  'local',
  '127.0.0.1',
  'a',
  'nothing',
  '',
  '.',
  '..',
  '%',
  '%00',
  '%2F',
  '%zz',
  '%C3%BC',
  "';--",
];
const values = [
  '1',
  '0',
  '-1',
  '',
  'x',
  '1e9',
  '99999999999999999999',
  '%',
  '%00',
  'a%26b',
  '60',
  'max',
  'true',
];
const contentTypes = [
  'application/json',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  'text/plain',
  'x',
  '',
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
}

interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Every operation that the service says it has. */
async function operationsOf(opsUrl: string): Promise<readonly Operation[]> {
  type Described = Readonly<Record<string, { parameters: { name: string; in: string }[] }>>;
  const document: { paths: Record<string, Described> } = JSON.parse(
    await (await fetch(`${opsUrl}/openapi.json`)).text(),
  );
  return Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, { parameters }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    })),
  );
}

function drawRequest(random: SeededRandom, operations: readonly Operation[]): Outgoing {
  const operation = random.pick(operations);
  const params = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'cluster_id' && !random.oneIn(5) ? 'local' : random.pick(words),
  );
  const names = [...operation.parameters, random.pick(['x', '__proto__', 'count', ''])];
  const query = random
    .some(names, random.below(4))
    .map((name) => `${name}=${random.pick(values)}${random.oneIn(10) ? `&${name}=1` : ''}`);
  const tail = random.oneIn(20) ? random.pick(['/', '//', '/x', '?', '#', '%']) : '';
  const hasBody = operation.method !== 'GET' && !random.oneIn(8);
  const path = `${params}${tail}${query.length > 0 ? '?' : ''}${query.join('&')}`;
  const headers = {
    ...(random.oneIn(3) ? { 'content-type': random.pick(contentTypes) } : {}),
    ...(random.oneIn(10) ? { 'last-event-id': random.pick(values) } : {}),
    ...(random.oneIn(10) ? { cookie: random.pick(['opscenter-session=x', '=', ';;']) } : {}),
    ...(random.oneIn(30) ? { host: random.pick(['', 'evil.example', '[::1']) } : {}),
  };
  return {
    method: random.oneIn(12) ? random.pick(methods) : operation.method,
    path: path.startsWith('/') ? path : `/${path}`,
    headers,
    body: hasBody ? mutateBody(random, random.pick(bodies), random.pick(bodies)) : undefined,
  };
}

/** The status; the body of a stream is not waited for. */
function statusOf(opsUrl: string, { method, path, headers, body }: Outgoing, agent: Agent): Promise<number> {
  // Without a length Node would send the body of a GET as if it were the next request.
  const all = { ...headers, 'content-length': String(body?.length ?? 0) };
  return new Promise((resolve, reject) => {
    const sent = request(opsUrl, { method, path, headers: all, agent }, (response) => {
      resolve(response.statusCode ?? 0);
      if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy();
      else response.resume();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** In a smaller sample, a usual status can be rare by chance. */
const enoughForMixture = 1_000;

/** Fails on a status of 500 and above, an error in the log, and in a large sample if a usual status is rare. */
export async function checkMalformedOpsRequests(count: number, test: TestContext): Promise<void> {
  const seed = newSeed();
  test.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const server = await startServer({ args: ['--log-level', 'error'] });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const statuses = new Map<number, number>();
  try {
    const operations = await operationsOf(server.opsUrl);
    for (let sent = 0; sent < count; sent += atOnce) {
      const batch = Array.from({ length: atOnce }, () => drawRequest(random, operations));
      const replies = await Promise.all(batch.map((outgoing) => statusOf(server.opsUrl, outgoing, agent)));
      replies.forEach((status, at) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const { method, path, body } = batch[at] ?? {};
        assert.ok(status < 500, `seed ${seed}: ${status} for ${method} ${path} ${body?.toString()}`);
      });
    }
    const ready = await fetch(`${server.opsUrl}/health/ready`);
    assert.equal(ready.status, 200);
  } finally {
    agent.destroy();
    await server.stop();
  }
  test.diagnostic([...statuses].map(([status, count]) => `${status}: ${count}`).join(', '));
  assert.equal(server.stderr(), '', `seed ${seed}: something was logged as an error`);
  if (count < enoughForMixture) return;
  for (const status of [200, 400, 404, 405]) {
    assert.ok((statuses.get(status) ?? 0) > count / 250, `seed ${seed}: few ${status}: the mixture is wrong`);
  }
}
