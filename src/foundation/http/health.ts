// The two health routes, the same on every port.
import type { HttpReply, RequestHead } from './http-handler.js';

/** Where the process is in its life. */
export type HealthStatus = 'starting' | 'ready' | 'stopping';

/** The state of the process; whoever starts and stops it sets it. */
export interface Health {
  status: HealthStatus;
}

/** The routes, which take GET and HEAD. */
export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

/**
 * Answers `/health/live` (200 as long as the process answers) and `/health/ready` (503 unless it is ready);
 * undefined for every other path and method.
 */
export function answerHealth(head: RequestHead, health: Health, pid: number): HttpReply | undefined {
  if (!head.path.startsWith('/health/')) return undefined;
  if (head.method !== 'GET' && head.method !== 'HEAD') return undefined;
  if (!healthPaths.includes(head.path)) return undefined;
  if (head.path === '/health/live') return healthReply(200, 'live', pid);
  return healthReply(health.status === 'ready' ? 200 : 503, health.status, pid);
}

function healthReply(status: number, word: string, pid: number): HttpReply {
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify({ status: word, pid }),
    headers: { 'cache-control': 'no-store' },
  };
}
