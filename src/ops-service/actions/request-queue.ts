// The requests for actions of all clusters: queued, run one at a time per node, reported in events, stored.

import type { OpsRequest } from '../../descriptions/operations-replies.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { beginningOf, shortened } from '../../foundation/text/shorten-text.js';
import { type Cluster, type NodeActionOutcome, nodeActions } from '../clusters/cluster.js';
import { OpsError } from '../errors/ops-error.js';
import type { AppendEvent, Caller } from '../events/event.js';
import type { Store } from '../store/store.js';
import {
  type ActionRequest,
  type ActionTask,
  hasEnded,
  type NodePart,
  showRequest,
  wordsOf,
} from './action-request.js';
import { deleteRequest, loadRequests, saveRequest } from './request-store.js';

/** What the queue needs from outside. */
export interface RequestQueueParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  readonly clusters: { find(id: string): Pick<Cluster, 'act'> | undefined };
  readonly appendEvent: AppendEvent;
}

/** Requests of a cluster that have not ended. */
const maxQueued = 100;
/** Stored requests of a cluster. */
const maxKept = 1000;
/** See `NodeActionOutcome`. */
const maxDetailLength = 64 * 1024;

/** A request that has not ended. */
interface Active {
  readonly request: ActionRequest;
  readonly cancelling: AbortController;
  /** No further node starts before this time on the monotonic clock. */
  notBeforeMs: number;
}

/** Requests by age. A request that was under way when the process ended is marked as interrupted at the next start. */
export class RequestQueue {
  readonly #parts: RequestQueueParts;
  readonly #requests = new Map<string, ActionRequest>();
  readonly #active = new Map<string, Active>();
  /** `cluster\nnode` of the nodes on which an action runs. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  constructor(parts: RequestQueueParts) {
    this.#parts = parts;
    for (const request of loadRequests(parts.store)) {
      this.#requests.set(request.id, request);
      if (!hasEnded(request.state)) this.#interrupt(request);
    }
  }

  /** The requests of one cluster, newest first. */
  list(clusterId: string): readonly OpsRequest[] {
    return [...this.#requests.values()]
      .filter((request) => request.clusterId === clusterId)
      .reverse()
      .map(showRequest);
  }

  /** @throws OpsError `NotFound` */
  get(id: string): OpsRequest {
    return showRequest(this.#find(id));
  }

  /**
   * Queues a request and returns its id.
   * @throws OpsError `Conflict` with the id of an unfinished request for the same on the same node; `TooManyRequests`
   * when too many wait
   */
  add(clusterId: string, task: ActionTask, caller: Caller): string {
    const active = [...this.#active.values()].filter(({ request }) => request.clusterId === clusterId);
    const same = active.find(({ request }) => overlaps(request, task));
    if (same !== undefined) {
      const { id } = same.request;
      throw new OpsError('Conflict', `the request ${id} already does the same`, {
        details: [{ path: 'request_id', message: id }],
      });
    }
    if (active.length >= maxQueued) {
      throw new OpsError('TooManyRequests', `${maxQueued} requests are already waiting`, {
        retryAfterSeconds: 10,
      });
    }
    const request: ActionRequest = {
      id: this.#parts.newId(),
      clusterId,
      task,
      caller,
      state: 'queued',
      createdMs: this.#parts.clock.nowMs(),
      finishedMs: null,
      parts: task.nodes.map((node) => ({
        node,
        state: 'queued',
        startedMs: null,
        finishedMs: null,
        detail: '',
      })),
    };
    this.#requests.set(request.id, request);
    this.#active.set(request.id, {
      request,
      cancelling: new AbortController(),
      notBeforeMs: Number.NEGATIVE_INFINITY,
    });
    saveRequest(this.#parts.store, request, 'new');
    this.#forgetOld(clusterId);
    this.tick();
    return request.id;
  }

  /** Starts no further node, and stops running parts at their next step. @throws OpsError `NotFound`, `Conflict` */
  cancel(id: string): void {
    const request = this.#find(id);
    const active = this.#active.get(id);
    if (active === undefined) throw new OpsError('Conflict', `the request has ended: ${request.state}`);
    active.cancelling.abort();
    this.#endQueued(request, 'cancelled before it began');
    this.#settle(active);
    this.tick();
  }

  /** Forgets the requests of a removed cluster; running parts stop at their next step. */
  forgetCluster(clusterId: string): void {
    for (const request of [...this.#requests.values()]) {
      if (request.clusterId !== clusterId) continue;
      this.#active.get(request.id)?.cancelling.abort();
      this.#active.delete(request.id);
      this.#requests.delete(request.id);
      deleteRequest(this.#parts.store, request.id);
    }
  }

  /** Starts every part that can run now, oldest request first. The server calls it every second. */
  tick(): void {
    if (this.#isClosing) return;
    for (const active of [...this.#active.values()]) {
      for (const part of this.#due(active)) {
        const node = `${active.request.clusterId}\n${part.node}`;
        if (this.#busy.has(node)) continue;
        this.#busy.add(node);
        const running = this.#run(active, part).finally(() => {
          this.#busy.delete(node);
          this.#running.delete(running);
          this.tick();
        });
        this.#running.add(running);
      }
    }
  }

  /** Stops running parts at their next step; the next start marks them as interrupted. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { cancelling } of this.#active.values()) cancelling.abort();
    await Promise.all(this.#running);
  }

  #find(id: string): ActionRequest {
    const request = this.#requests.get(id);
    if (request !== undefined) return request;
    throw new OpsError('NotFound', `there is no request ${JSON.stringify(id)}`);
  }

  #due({ request, cancelling, notBeforeMs }: Active): readonly NodePart[] {
    if (cancelling.signal.aborted) return [];
    const queued = request.parts.filter(({ state }) => state === 'queued');
    if (!request.task.isRolling) return queued;
    const isFree = !request.parts.some(({ state }) => state === 'running');
    return isFree && this.#parts.clock.monotonicMs() >= notBeforeMs ? queued.slice(0, 1) : [];
  }

  async #run(active: Active, part: NodePart): Promise<void> {
    const { clock, store } = this.#parts;
    const { request } = active;
    request.state = 'running';
    part.state = 'running';
    part.startedMs = clock.nowMs();
    saveRequest(store, request);
    const { state, detail } = await this.#act(active, part.node);
    part.state = state;
    part.detail = beginningOf(detail, maxDetailLength);
    part.finishedMs = clock.nowMs();
    if (!this.#requests.has(request.id)) return; // deleted meanwhile, with its cluster
    // The pause is only between two nodes.
    active.notBeforeMs = clock.monotonicMs() + request.task.sleepSeconds * 1000;
    if (this.#isClosing && state === 'cancelled') {
      part.state = 'error';
      part.detail = interrupted;
    }
    this.#record(request, part);
    if (state !== 'success' && request.task.isRolling)
      this.#endQueued(request, 'not begun: a node before it failed');
    this.#settle(active);
  }

  async #act({ request, cancelling }: Active, node: string): Promise<NodeActionOutcome> {
    const { action, keyspace, tables } = request.task;
    const cluster = this.#parts.clusters.find(request.clusterId);
    if (cluster === undefined) return { state: 'error', detail: 'the cluster was removed' };
    try {
      return await cluster.act({ action, node, keyspace, tables }, cancelling.signal);
    } catch (err) {
      if (err instanceof OpsError) return { state: 'error', detail: err.message };
      this.#parts.logger.error({ err, request: request.id, node }, 'an action failed with an internal error');
      return { state: 'error', detail: 'an internal error, see the log' };
    }
  }

  /** Ends the request when no part waits or runs. */
  #settle({ request }: Active): void {
    const { clock, store } = this.#parts;
    const states = request.parts.map(({ state }) => state);
    if (states.every(hasEnded)) {
      const isCancelled = states.includes('cancelled') && !states.includes('error');
      request.state = isCancelled ? 'cancelled' : states.includes('error') ? 'error' : 'success';
      request.finishedMs = clock.nowMs();
      this.#active.delete(request.id);
    }
    saveRequest(store, request);
  }

  #endQueued(request: ActionRequest, detail: string): void {
    for (const part of request.parts) {
      if (part.state !== 'queued') continue;
      part.state = 'cancelled';
      part.detail = detail;
    }
  }

  /** Records the event of an action on a node: one for each part. */
  #record({ clusterId, task, caller }: ActionRequest, { node, state, detail }: NodePart): void {
    const outcome = { success: 'done', error: 'failed', cancelled: 'cancelled' }[String(state)] ?? state;
    const why = state === 'success' ? '' : `: ${shortened(detail.split('\n')[0] ?? '', 500)}`;
    this.#parts.appendEvent(clusterId, {
      action: nodeActions[task.action].event,
      level: state === 'error' ? 'ERROR' : 'INFO',
      message: `${wordsOf(task)} on ${node} ${outcome}${why}`,
      caller,
      sourceNode: node,
      success: state === 'success',
    });
  }

  /**
   * Ends a request that was unfinished when the process ended. If no part was running, only the event of the first open
   * part is recorded.
   */
  #interrupt(request: ActionRequest): void {
    const { clock, store } = this.#parts;
    const open = request.parts.filter(({ state }) => !hasEnded(state));
    const running = open.filter(({ state }) => state === 'running');
    for (const part of open) {
      part.state = 'error';
      part.detail = interrupted;
      part.finishedMs = clock.nowMs();
    }
    for (const part of running.length > 0 ? running : open.slice(0, 1)) this.#record(request, part);
    request.state = 'error';
    request.finishedMs = clock.nowMs();
    saveRequest(store, request);
  }

  #forgetOld(clusterId: string): void {
    const own = [...this.#requests.values()].filter((request) => request.clusterId === clusterId);
    for (const { id, state } of own.slice(0, Math.max(0, own.length - maxKept))) {
      if (!hasEnded(state)) continue;
      this.#requests.delete(id);
      deleteRequest(this.#parts.store, id);
    }
  }
}

const interrupted = 'interrupted by a restart';

/** Whether a request has the same task and is unfinished on a node of the new task. */
function overlaps({ task, parts }: ActionRequest, { action, keyspace, tables, nodes }: ActionTask): boolean {
  const isSame =
    task.action === action &&
    task.keyspace === keyspace &&
    [...task.tables].sort().join('\n') === [...tables].sort().join('\n');
  return isSame && parts.some(({ node, state }) => nodes.includes(node) && !hasEnded(state));
}
