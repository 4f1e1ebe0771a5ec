// The table data service over HTTP: path, token, body, command, envelope.
import type { HttpHandler, HttpReply, HttpRequest } from '../../foundation/http/http-handler.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import type { Reply } from '../commands/reply.js';
import { type Address, type RoadOptions, runCommand } from '../commands/run-command.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { type Authenticate, makeAuthenticate } from './authenticate.js';
import { makeEnvelope } from './envelope.js';
import { readAddress, readBodyJson } from './read-request.js';
import type { RequestMetrics } from './request-metrics.js';

/** What the routes need beside the request. */
export interface RouteOptions extends RoadOptions {
  /** Every request must carry it; undefined lets every request pass. */
  readonly token: string | undefined;
  readonly clock: Clock;
  /** A UUID for each error. */
  readonly newId: () => string;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
}

const json = 'application/json';
const plain = 'text/plain; charset=utf-8';
const notFound: HttpReply = {
  status: 404,
  contentType: plain,
  body: 'not found: the paths are /v1, /v1/{keyspace} and /v1/{keyspace}/{table}\n',
};
const wrongMethod: HttpReply = {
  status: 405,
  contentType: plain,
  body: 'only POST is possible here\n',
  headers: { allow: 'POST' },
};

/** Answers everything under `/v1`; other paths get a bare 404. Never throws. */
export function createDataRoutes(options: RouteOptions): HttpHandler {
  const authenticate = makeAuthenticate(options.token);
  return async (request) => {
    const address = readAddress(request.path);
    if (address === undefined) return notFound;
    if (request.method !== 'POST') return wrongMethod;
    const startedMs = options.clock.monotonicMs();
    const reply = await answer(request, address, authenticate, options);
    const { httpStatus, body } = makeEnvelope(reply, options.newId);
    options.metrics.observe(reply, options.clock.monotonicMs() - startedMs);
    return { status: httpStatus, contentType: json, body };
  };
}

async function answer(
  request: HttpRequest,
  address: Address,
  authenticate: Authenticate,
  options: RouteOptions,
): Promise<Reply> {
  try {
    const refusal = authenticate(request);
    if (refusal !== undefined) return { errors: [refusal] };
    const reply = await runCommand(readBodyJson(request), address, options);
    for (const error of reply.errors ?? []) logFailure(error, options.logger);
    return reply;
  } catch (error) {
    if (error instanceof ApiError) return { errors: [error] };
    const logId = options.newId();
    options.logger.error({ err: error, logId, path: request.path }, 'a command failed in an unforeseen way');
    return { errors: [apiError('server', 'UNEXPECTED_SERVER_ERROR', { logId })] };
  }
}

/** Clients are told that storage failed; why is for the operator. */
function logFailure(error: ApiError, logger: Logger): void {
  if (error.family === 'SERVER') logger.error({ err: error.cause, code: error.code }, 'a command failed');
}
