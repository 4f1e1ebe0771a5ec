// The requests for actions of all clusters: queued, run one at a time per node, reported in events, kept.
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { ActionName as ClusterAction, NodeActionOutcome } from '../clusters/cluster.js';
import type { ClusterRegistry } from '../clusters/registry.js';
import { OpsError } from '../errors/ops-error.js';
import type { ActionName, AppendEvent, Caller } from '../events/event.js';
import type { Store } from '../store/store.js';
import {
  type ActionRequest,
  type ActionTask,
  hasEnded,
  type NodePart,
  type ShownRequest,
  showRequest,
  wordsOf,
} from './action-request.js';
import { deleteRequest, loadRequests, saveRequest } from './request-store.js';

/** What the queue works with. */
export interface RequestQueueParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  readonly clusters: Pick<ClusterRegistry, 'find'>;
  readonly appendEvent: AppendEvent;
}

/** Requests of a cluster that have not ended. */
const maxQueued = 100;
/** Requests of a cluster that are kept. */
const maxKept = 1000;
/** As in `NodeActionOutcome`. */
const maxDetailLength = 64 * 1024;

/** What an action is called in the event log. */
const eventActions: Readonly<Record<ClusterAction, ActionName>> = {
  compact: 'compaction',
  cleanup: 'cleanup',
  flush: 'flush',
  repair: 'repair',
};

/** A request that has not ended. */
interface Active {
  readonly request: ActionRequest;
  readonly cancelling: AbortController;
  /** Monotonic; no further node is started before. */
  notBeforeMs: number;
}

/** Requests by age. A request that had not ended with the process is interrupted at the next start. */
export class RequestQueue {
  readonly #parts: RequestQueueParts;
  readonly #requests = new Map<string, ActionRequest>();
  readonly #active = new Map<string, Active>();
  /** `cluster\nnode` of the nodes on which something runs. */
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

  /** Of one cluster, newest first. */
  list(clusterId: string): readonly ShownRequest[] {
    return [...this.#requests.values()]
      .filter((request) => request.clusterId === clusterId)
      .reverse()
      .map(showRequest);
  }

  /** @throws OpsError `NotFound` */
  get(id: string): ShownRequest {
    return showRequest(this.#find(id));
  }

  /**
   * Queues a request and gives its id.
   * @throws OpsError `Conflict` with the id of a request for the same on the same node that has not ended;
   * `TooManyRequests` when too many wait
   */
  add(clusterId: string, task: ActionTask, caller: Caller): string {
    const active = [...this.#active.values()].filter(({ request }) => request.clusterId === clusterId);
    const same = active.find(({ request }) => overlaps(request, task));
    if (same !== undefined) {
      const { id } = same.request;
      throw new OpsError('Conflict', `the request ${id} does the same already`, {
        details: [{ path: 'request_id', message: id }],
      });
    }
    if (active.length >= maxQueued) {
      throw new OpsError('TooManyRequests', `${maxQueued} requests are waiting already`, {
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
    this.#pump();
    return request.id;
  }

  /** Starts no further node, and stops what runs at its next step. @throws OpsError `NotFound`, `Conflict` */
  cancel(id: string): void {
    const request = this.#find(id);
    const active = this.#active.get(id);
    if (active === undefined) throw new OpsError('Conflict', `the request has ended: ${request.state}`);
    active.cancelling.abort();
    this.#endQueued(request, 'cancelled before it began');
    this.#settle(active);
    this.#pump();
  }

  /** Forgets the requests of a removed cluster; what runs is stopped at its next step. */
  forgetCluster(clusterId: string): void {
    for (const request of [...this.#requests.values()]) {
      if (request.clusterId !== clusterId) continue;
      this.#active.get(request.id)?.cancelling.abort();
      this.#active.delete(request.id);
      this.#requests.delete(request.id);
      deleteRequest(this.#parts.store, request.id);
    }
  }

  /** Starts what was waiting for its time. Called every second. */
  tick(): void {
    this.#pump();
  }

  /** Stops what runs at its next step; the next start finds it interrupted. */
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

  /** Starts every part whose turn it is, oldest request first. */
  #pump(): void {
    if (this.#isClosing) return;
    for (const active of [...this.#active.values()]) {
      for (const part of this.#due(active)) {
        const lane = `${active.request.clusterId}\n${part.node}`;
        if (this.#busy.has(lane)) continue;
        this.#busy.add(lane);
        const running = this.#run(active, part).finally(() => {
          this.#busy.delete(lane);
          this.#running.delete(running);
          this.#pump();
        });
        this.#running.add(running);
      }
    }
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
    part.detail = detail.slice(0, maxDetailLength);
    part.finishedMs = clock.nowMs();
    if (!this.#requests.has(request.id)) return; // forgotten meanwhile, with its cluster
    // Between two nodes only.
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

  /** Ends the request when none of its parts is to come or under way. */
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

  /** The one event of an action on a node. */
  #record({ clusterId, task, caller }: ActionRequest, { node, state, detail }: NodePart): void {
    const outcome = { success: 'done', error: 'failed', cancelled: 'cancelled' }[String(state)] ?? state;
    const why = state === 'success' ? '' : `: ${detail.split('\n')[0]?.slice(0, 500)}`;
    this.#parts.appendEvent(clusterId, {
      action: eventActions[task.action],
      level: state === 'error' ? 'ERROR' : 'INFO',
      message: `${wordsOf(task)} on ${node} ${outcome}${why}`,
      caller,
      sourceNode: node,
      success: state === 'success',
    });
  }

  /** What had not ended when the process did. Of what had not begun the first node stands for all. */
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

/** Whether a request does the same on a node that the task names, and has not ended there. */
function overlaps({ task, parts }: ActionRequest, { action, keyspace, tables, nodes }: ActionTask): boolean {
  const isSame =
    task.action === action &&
    task.keyspace === keyspace &&
    [...task.tables].sort().join('\n') === [...tables].sort().join('\n');
  return isSame && parts.some(({ node, state }) => nodes.includes(node) && !hasEnded(state));
}
