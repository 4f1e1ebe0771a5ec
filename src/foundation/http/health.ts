// The two health routes, the same on every port.
import type { HttpReply, RequestHead } from './http-handler.js';

/** The phase of the process. */
export type HealthStatus = 'starting' | 'ready' | 'stopping';

/** The state of the process; the code that starts and stops it sets it. */
export interface Health {
  status: HealthStatus;
  /** What does not work although the process answers, as messages of the part that found it. */
  readonly problems: Map<HealthPart, string>;
}

/** The parts that find problems; those of the storage keep the process from being ready. */
export type HealthPart = 'data' | 'ops' | 'storage' | 'workers' | 'archive' | 'follow' | 'lease';

/** What does not work in a part of the data service; `problem` is undefined if all of the part works again. */
export interface DataProblem {
  /**
   * `data`: rows cannot be written; `storage`: a cluster cannot be reached; `workers`: some of them do not run;
   * `archive`: it is behind; `follow`: this server is behind the one that it follows; `lease`: writes are refused
   * because another server may write.
   */
  readonly part: Exclude<HealthPart, 'ops'>;
  readonly problem: string | undefined;
}

/** Records what does not work in a part, or that all of it works again. */
export function noteProblem({ problems }: Health, part: HealthPart, problem: string | undefined): void {
  if (problem === undefined) problems.delete(part);
  else problems.set(part, problem);
}

/**
 * Answers `/health/live` (200 as long as the process answers) and `/health/ready` (503 unless it is ready);
 * undefined for every other path and method. `mayReadProblems`: see `readyReply`.
 */
export function answerHealth(
  head: RequestHead,
  health: Health,
  pid: number,
  mayReadProblems: (head: RequestHead) => boolean,
): HttpReply | undefined {
  if (!head.path.startsWith('/health/')) return undefined;
  if (head.method !== 'GET' && head.method !== 'HEAD') return undefined;
  if (head.path === '/health/live') return liveReply(pid);
  return head.path === '/health/ready' ? readyReply(health, pid, mayReadProblems(head)) : undefined;
}

/** The process answers. */
export function liveReply(pid: number): HttpReply {
  return healthReply(200, { status: 'live', pid });
}

/**
 * Whether the process can answer requests, with the present problems; of these only the storage matters. Their texts
 * have addresses and names of the network behind the server: others than `mayReadProblems` get the names of the parts.
 */
export function readyReply({ status, problems }: Health, pid: number, mayReadProblems: boolean): HttpReply {
  const isReady = status === 'ready' && !problems.has('storage');
  return healthReply(isReady ? 200 : 503, {
    status: status === 'ready' && !isReady ? 'not ready' : status,
    pid,
    ...(problems.size === 0
      ? {}
      : { problems: [...(mayReadProblems ? problems.values() : problems.keys())] }),
  });
}

function healthReply(status: number, body: object): HttpReply {
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify(body),
    headers: { 'cache-control': 'no-store' },
  };
}
