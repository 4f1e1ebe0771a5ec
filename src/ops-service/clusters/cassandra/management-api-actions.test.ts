// Checks actions against a server that speaks the management API's published format.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sendRequest } from '../../../foundation/http/send-request.js';
import type { ActionName, NodeAction } from '../cluster.js';
import { managementApiActions } from './management-api-actions.js';

describe('actions by the management API', () => {
  let server: Server;
  let port = 0;
  /** The requests, as `METHOD path body`. */
  let asked: string[] = [];
  /** The reply to the first request, and then the replies about the job, one after another. */
  let begin: readonly [status: number, body: string] = [202, 'job-1'];
  let jobs: (readonly [status: number, body: string])[] = [];

  before(async () => {
    server = createServer(async (request: IncomingMessage, response) => {
      const body = await text(request);
      asked.push(`${request.method} ${request.url} ${body}`.trim());
      const [status, reply] = request.method === 'GET' ? (jobs.shift() ?? [500, '']) : begin;
      response.writeHead(status).end(reply);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());
  beforeEach(() => {
    asked = [];
    begin = [202, 'job-1'];
    jobs = [job('COMPLETED')];
  });

  const job = (status: string, error?: string) =>
    [
      200,
      JSON.stringify({ id: 'job-1', status, error, status_changes: [{ status, message: `now ${status}` }] }),
    ] as const;

  function run(action: Partial<NodeAction>, signal = new AbortController().signal, ownPort = port) {
    let now = 0;
    const actions = managementApiActions({
      port: ownPort,
      sendRequest,
      clock: { nowMs: () => now, monotonicMs: () => now },
      sleep: async (ms) => {
        now += ms;
      },
    });
    return actions.run(
      { action: 'flush', node: '127.0.0.1', keyspace: 'shop', tables: [], ...action },
      signal,
    );
  }

  const bodies: Readonly<Record<ActionName, string>> = {
    flush: 'POST /api/v1/ops/tables/flush {"keyspace_name":"shop","tables":["a"],"jobs":0}',
    cleanup: 'POST /api/v1/ops/keyspace/cleanup {"keyspace_name":"shop","tables":["a"],"jobs":0}',
    compact:
      'POST /api/v1/ops/tables/compact {"keyspace_name":"shop","tables":["a"],"split_output":false,"user_defined":false}',
    repair: 'PUT /api/v2/repairs {"keyspace":"shop","tables":["a"],"full_repair":true}',
  };
  for (const [action, expected] of Object.entries(bodies)) {
    it(`begin a ${action} and follow its job`, async () => {
      begin = [202, action === 'repair' ? '{"repair_id":"job-1"}' : 'job-1'];
      jobs = [job('WAITING'), [404, ''], job('WAITING'), job('COMPLETED')];
      // The keys of the table of bodies are the names of the actions.
      const outcome = await run({ action: action as ActionName, tables: ['a'] });
      assert.deepEqual(outcome, { state: 'success', detail: 'now COMPLETED' });
      assert.deepEqual(asked, [expected, ...Array(4).fill('GET /api/v0/ops/executor/job?job_id=job-1')]);
    });
  }

  it('may have nothing to do', async () => {
    begin = [200, 'OK'];
    assert.deepEqual(await run({ action: 'cleanup' }), { state: 'success', detail: 'OK' });
  });

  it('fail with the message of the node', async () => {
    begin = [400, 'keyspace shop does not exist'];
    assert.match((await run({})).detail, /400: keyspace shop does not exist/);
    begin = [202, 'job-1'];
    jobs = [job('WAITING'), job('ERROR', 'disk full')];
    assert.deepEqual(await run({}), { state: 'error', detail: 'disk full' });
    begin = [202, '{"unexpected":1}'];
    assert.equal((await run({ action: 'repair' })).state, 'error');
  });

  it('give up a job whose state is not known, and say that it may still run', async () => {
    jobs = [];
    const outcome = await run({});
    assert.equal(outcome.state, 'error');
    assert.match(outcome.detail, /may still run/);
  });

  it('end when cancelled, and say that the node may continue', async () => {
    const cancel = new AbortController();
    jobs = [job('WAITING'), job('WAITING')];
    const running = run({}, cancel.signal);
    cancel.abort();
    assert.deepEqual(await running, { state: 'cancelled', detail: 'it may still run on 127.0.0.1' });
  });

  it('say so where nothing listens', async () => {
    const outcome = await run({}, undefined, 1);
    assert.equal(outcome.state, 'error');
    assert.match(outcome.detail, /does not answer/);
  });
});
