// The two health routes, the same on every port.
import type { HttpReply, RequestHead } from './http-handler.js';

/** Where the process is in its life. */
export type HealthStatus = 'starting' | 'ready' | 'stopping';

/** The state of the process; the code that starts and stops it sets it. */
export interface Health {
  status: HealthStatus;
  /** What does not work although the process answers, in words, by the part that found it. */
  readonly problems: Map<HealthPart, string>;
}

/** The parts that find problems. */
export type HealthPart = 'data' | 'ops';

/** Notes what does not work in a part, or that all of it works again. */
export function noteProblem({ problems }: Health, part: HealthPart, problem: string | undefined): void {
  if (problem === undefined) problems.delete(part);
  else problems.set(part, problem);
}

/**
 * Answers `/health/live` (200 as long as the process answers) and `/health/ready` (503 unless it is ready);
 * undefined for every other path and method.
 */
export function answerHealth(head: RequestHead, health: Health, pid: number): HttpReply | undefined {
  if (!head.path.startsWith('/health/')) return undefined;
  if (head.method !== 'GET' && head.method !== 'HEAD') return undefined;
  if (head.path === '/health/live') return liveReply(pid);
  return head.path === '/health/ready' ? readyReply(health, pid) : undefined;
}

/** The process answers. */
export function liveReply(pid: number): HttpReply {
  return healthReply(200, { status: 'live', pid });
}

/** Whether the process takes requests; problems do not keep it from that and are left out where there are none. */
export function readyReply({ status, problems }: Health, pid: number): HttpReply {
  return healthReply(status === 'ready' ? 200 : 503, {
    status,
    pid,
    ...(problems.size === 0 ? {} : { problems: [...problems.values()] }),
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
