// A request for an action: its task, its state, and its form in replies.
import type { OpsRequest } from '../../descriptions/operations-replies.js';
import { type ActionName, nodeActions } from '../clusters/cluster.js';
import type { Caller } from '../events/event.js';

/** The state of a request, or of its part on one node. */
export type RequestState = OpsRequest['state'];

/** The task of a request. */
export interface ActionTask {
  readonly action: ActionName;
  /** Empty for all keyspaces. */
  readonly keyspace: string;
  /** Names within the keyspace; empty for all tables. */
  readonly tables: readonly string[];
  /** The addresses of the nodes in the order in which they are processed. */
  readonly nodes: readonly string[];
  /** One node after another; stops at the first failure. */
  readonly isRolling: boolean;
  /** The pause between two nodes. */
  readonly sleepSeconds: number;
}

/** The part of a request on one node. */
export interface NodePart {
  readonly node: string;
  state: RequestState;
  /** Milliseconds since 1970. */
  startedMs: number | null;
  /** Milliseconds since 1970. */
  finishedMs: number | null;
  /** The outcome in words, when it has ended. */
  detail: string;
}

/** A request as it is stored. */
export interface ActionRequest {
  readonly id: string;
  readonly clusterId: string;
  readonly task: ActionTask;
  readonly caller: Caller;
  state: RequestState;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  finishedMs: number | null;
  readonly parts: readonly NodePart[];
}

/** The request in the form of replies. */
export function showRequest(request: ActionRequest): OpsRequest {
  const { id, task, state, createdMs, finishedMs, parts } = request;
  const starts = parts.flatMap(({ startedMs }) => (startedMs === null ? [] : [startedMs]));
  return {
    id,
    action: task.action,
    keyspace: task.keyspace,
    tables: task.tables,
    state,
    created: seconds(createdMs),
    started: starts.length === 0 ? null : seconds(Math.min(...starts)),
    finished: finishedMs === null ? null : seconds(finishedMs),
    details: parts.map((part) => ({
      node: part.node,
      state: part.state,
      started: part.startedMs === null ? null : seconds(part.startedMs),
      finished: part.finishedMs === null ? null : seconds(part.finishedMs),
      detail: part.detail,
    })),
  };
}

/** Whether the state is final. */
export function hasEnded(state: RequestState): boolean {
  return state !== 'queued' && state !== 'running';
}

/** `compaction of shop.orders`, for events. */
export function wordsOf({ action, keyspace, tables }: ActionTask): string {
  const verb = nodeActions[action].event;
  if (keyspace === '') return `${verb} of all keyspaces`;
  return `${verb} of ${tables.length === 0 ? keyspace : tables.map((table) => `${keyspace}.${table}`).join(', ')}`;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
