// Runs actions with the management API for Apache Cassandra, which runs beside each node
// (https://github.com/k8ssandra/management-api-for-apache-cassandra, doc/openapi.json).

import { type OutgoingReply, SendFailure, type SendRequest } from '../../../foundation/http/send-request.js';
import type { Clock } from '../../../foundation/telemetry/clock.js';
import { endOf, shortened } from '../../../foundation/text/shorten-text.js';
import type { NodeAction, NodeActionOutcome } from '../cluster.js';
import { actionTimeoutMs, maxDetailBytes, type NodeActions } from './node-actions.js';

/** How the API of a node is called. */
export interface ManagementApiParts {
  readonly port: number;
  readonly sendRequest: SendRequest;
  readonly clock: Clock;
  /** Resolves after the time, or as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const requestTimeoutMs = 30_000;
const pollMs = 1000;
/** A job counts as lost if its state could not be read this many times in a row. */
const maxFailedPolls = 30;
const maxReplyBytes = 1024 * 1024;

interface Call {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
}

/** Each action starts a job on the node; its state is polled until it has ended. */
export function managementApiActions(parts: ManagementApiParts): NodeActions {
  return {
    async run(action, signal) {
      try {
        return await new Run(parts, action, signal).toItsEnd();
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error;
        return failed(`the management API of ${action.node} does not answer: ${error.message}`);
      }
    },
  };
}

class Run {
  readonly #parts: ManagementApiParts;
  readonly #action: NodeAction;
  readonly #signal: AbortSignal;

  constructor(parts: ManagementApiParts, action: NodeAction, signal: AbortSignal) {
    this.#parts = parts;
    this.#action = action;
    this.#signal = signal;
  }

  async toItsEnd(): Promise<NodeActionOutcome> {
    const reply = await this.#send(callOf(this.#action));
    const text = reply.body.toString('utf8').trim();
    if (reply.status === 200) return { state: 'success', detail: firstLine(text) };
    if (reply.status !== 202)
      return failed(`the management API answered ${reply.status}: ${firstLine(text)}`);
    const jobId = jobIdOf(text);
    return jobId === undefined ? failed('the management API named no job') : this.#follow(jobId);
  }

  async #follow(jobId: string): Promise<NodeActionOutcome> {
    const { clock, sleep } = this.#parts;
    const endMs = clock.monotonicMs() + actionTimeoutMs;
    let failedPolls = 0;
    while (!this.#signal.aborted) {
      if (clock.monotonicMs() > endMs) return failed('it took longer than six hours; it may still run');
      const job = await this.#readJob(jobId);
      failedPolls = job === undefined ? failedPolls + 1 : 0;
      if (failedPolls >= maxFailedPolls)
        return failed(`nothing is known of the job ${jobId} any more; it may still run`);
      if (job?.status === 'COMPLETED') return { state: 'success', detail: cut(job.messages) };
      if (job?.status === 'ERROR') return failed(job.error ?? job.messages);
      await sleep(pollMs, this.#signal);
    }
    return { state: 'cancelled', detail: `it may still run on ${this.#action.node}` };
  }

  /** Undefined if the node does not report it; it may answer the next request. */
  async #readJob(jobId: string): Promise<Job | undefined> {
    const path = `/api/v0/ops/executor/job?job_id=${encodeURIComponent(jobId)}`;
    try {
      const reply = await this.#send({ method: 'GET', path });
      return reply.status === 200 ? readJob(reply.body.toString('utf8')) : undefined;
    } catch (error) {
      if (error instanceof SendFailure) return undefined;
      throw error;
    }
  }

  #send({
    method,
    path,
    body,
  }: Call | { method: 'GET'; path: string; body?: undefined }): Promise<OutgoingReply> {
    const { node } = this.#action;
    const host = node.includes(':') ? `[${node}]` : node;
    return this.#parts.sendRequest({
      method,
      url: `http://${host}:${this.#parts.port}${path}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: requestTimeoutMs,
      maxBodyBytes: maxReplyBytes,
    });
  }
}

function callOf({ action, keyspace, tables }: NodeAction): Call {
  switch (action) {
    case 'flush':
      return post('/api/v1/ops/tables/flush', { keyspace_name: keyspace, tables, jobs: 0 });
    case 'cleanup':
      return post('/api/v1/ops/keyspace/cleanup', { keyspace_name: keyspace, tables, jobs: 0 });
    case 'compact': {
      const body = { keyspace_name: keyspace, tables, split_output: false, user_defined: false };
      return post('/api/v1/ops/tables/compact', body);
    }
    case 'repair':
      return { method: 'PUT', path: '/api/v2/repairs', body: { keyspace, tables, full_repair: true } };
  }
}

function post(path: string, body: object): Call {
  return { method: 'POST', path, body };
}

/** The id of a job is plain text, the id of a repair is in an object. */
function jobIdOf(text: string): string | undefined {
  if (!text.startsWith('{')) return text === '' ? undefined : text;
  const reply = parseObject(text);
  return typeof reply?.['repair_id'] === 'string' ? reply['repair_id'] : undefined;
}

interface Job {
  readonly status: string;
  readonly error: string | undefined;
  readonly messages: string;
}

function readJob(text: string): Job | undefined {
  const job = parseObject(text);
  if (job === undefined || typeof job['status'] !== 'string') return undefined;
  const changes = Array.isArray(job['status_changes']) ? job['status_changes'] : [];
  return {
    status: job['status'],
    error: typeof job['error'] === 'string' && job['error'] !== '' ? job['error'] : undefined,
    messages: changes.map((change) => String(change?.message ?? change?.status ?? '')).join('\n'),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined; // not a reply of this API: the caller reports it
  }
}

function failed(detail: string): NodeActionOutcome {
  return { state: 'error', detail: cut(detail) };
}

/** The reply of another server is not shown in full, because any program may listen at the address. */
function firstLine(text: string): string {
  return shortened(text.split('\n')[0] ?? '', 200).trim();
}

function cut(text: string): string {
  return endOf(text, maxDetailBytes).trim();
}
