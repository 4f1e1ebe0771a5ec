// The operations port: who may ask, and what answers which path.
import { createHash, timingSafeEqual } from 'node:crypto';
import { answerHealth, type Health, healthPaths } from '../../foundation/http/health.js';
import { isLoopbackHost } from '../../foundation/http/hosts.js';
import type { HeadHandler, HttpHandler, HttpReply, RequestHead } from '../../foundation/http/http-handler.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { errorReply } from './errors.js';
import { createGuard } from './guard.js';

/** What the operations port answers from. */
export interface OpsRoutesOptions {
  readonly health: Health;
  readonly pid: number;
  readonly metrics: Metrics;
  /** The address that is bound. */
  readonly opsHost: string;
  readonly allowedHosts: readonly string[];
  /** Asked for at `/metrics` unless the address is loopback. */
  readonly metricsToken: string | undefined;
}

/** What the server asks: `answerHead` guards and answers health, `answer` the rest. */
export function createOpsRoutes(options: OpsRoutesOptions): {
  readonly answerHead: HeadHandler;
  readonly answer: HttpHandler;
} {
  const guard = createGuard([options.opsHost, ...options.allowedHosts]);
  return {
    answerHead: (head) => guard(head) ?? answerHealth(head, options.health, options.pid),
    answer: (request) => {
      if (request.path !== '/metrics' && !healthPaths.includes(request.path)) {
        return errorReply(404, 'NotFound', `there is nothing at ${request.path}`);
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return errorReply(405, 'MethodNotAllowed', 'use GET', { headers: { allow: 'GET, HEAD' } });
      }
      return answerMetrics(request, options);
    },
  };
}

async function answerMetrics(head: RequestHead, options: OpsRoutesOptions): Promise<HttpReply> {
  if (!mayReadMetrics(head, options)) {
    return errorReply(401, 'Unauthorized', 'send the token of --metrics-token as Bearer', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  return { status: 200, contentType: options.metrics.contentType, body: await options.metrics.render() };
}

function mayReadMetrics(head: RequestHead, options: OpsRoutesOptions): boolean {
  if (isLoopbackHost(options.opsHost)) return true;
  if (options.metricsToken === undefined) return false;
  const [scheme, token] = (head.header('authorization') ?? '').split(' ');
  return (
    scheme?.toLowerCase() === 'bearer' && token !== undefined && isSameSecret(token, options.metricsToken)
  );
}

/** Takes the same time wherever the difference is. */
function isSameSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
