// The two health routes, the same on every port.
import type { HttpReply, RequestHead } from './http-handler.js';

/** Where the process is in its life. */
export type HealthStatus = 'starting' | 'ready' | 'stopping';

/** The state of the process; whoever starts and stops it sets it. */
export interface Health {
  status: HealthStatus;
}

/**
 * Answers `/health/live` (200 as long as the process answers) and `/health/ready` (503 unless it is ready);
 * undefined for every other path and method.
 */
export function answerHealth(head: RequestHead, health: Health, pid: number): HttpReply | undefined {
  if (!head.path.startsWith('/health/')) return undefined;
  if (head.method !== 'GET' && head.method !== 'HEAD') return undefined;
  if (head.path === '/health/live') return liveReply(pid);
  return head.path === '/health/ready' ? readyReply(health.status, pid) : undefined;
}

/** The process answers. */
export function liveReply(pid: number): HttpReply {
  return healthReply(200, { status: 'live', pid });
}

/** Whether the process takes requests; `problems` do not keep it from that and are left out where there are none. */
export function readyReply(status: HealthStatus, pid: number, problems: readonly string[] = []): HttpReply {
  return healthReply(status === 'ready' ? 200 : 503, {
    status,
    pid,
    ...(problems.length === 0 ? {} : { problems }),
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
