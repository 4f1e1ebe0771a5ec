// The table data service over HTTP: path, token, body, command, envelope.
import type { HeadHandler, HttpHandler, HttpReply, HttpRequest } from '../../foundation/http/http-handler.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Logger } from '../../foundation/telemetry/logger.js';
import { type Address, type Answer, type RoadOptions, runCommand } from '../commands/run-command.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { makeAuthenticate } from './authenticate.js';
import { makeEnvelope } from './envelope.js';
import { readAddress, readBodyJson, refuseContentType } from './read-request.js';
import type { RequestMetrics } from './request-metrics.js';

/** What the routes need beside the request. */
export interface RouteOptions extends Omit<RoadOptions, 'fault'> {
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

/** What answers requests under `/v1`; neither part throws. */
export interface DataRoutes {
  /** Refuses by path, method, token and content type, before a stranger's body is read; undefined lets it come. */
  readonly answerHead: HeadHandler;
  /** Answers what `answerHead` let pass. */
  readonly answer: HttpHandler;
}

/** The table data service over HTTP. */
export function createDataRoutes(options: RouteOptions): DataRoutes {
  const authenticate = makeAuthenticate(options.token);
  const road: RoadOptions = { ...options, fault: (error, address) => reportFault(error, address, options) };
  return {
    answerHead: (head) => {
      if (readAddress(head.path) === undefined) return notFound;
      if (head.method !== 'POST') return wrongMethod;
      const refusal = authenticate(head) ?? refuseContentType(head);
      return refusal && toHttp({ command: undefined, reply: { errors: [refusal] } }, 0, {}, options);
    },
    answer: async (request) => {
      const startedMs = options.clock.monotonicMs();
      const address = readAddress(request.path);
      if (address === undefined) return notFound;
      const answer = await runRequest(request, address, road, options);
      return toHttp(answer, options.clock.monotonicMs() - startedMs, address, options);
    },
  };
}

function toHttp(
  { command, reply }: Answer,
  elapsedMs: number,
  address: Address,
  { newId, metrics }: RouteOptions,
): HttpReply {
  const { httpStatus, body } = makeEnvelope(reply, newId);
  metrics.observe(command, reply, elapsedMs, address);
  return { status: httpStatus, contentType: json, body };
}

async function runRequest(
  request: HttpRequest,
  address: Address,
  road: RoadOptions,
  options: RouteOptions,
): Promise<Answer> {
  try {
    const answer = await runCommand(readBodyJson(request), address, (name) => request.header(name), road);
    if (answer.reply.errors !== undefined) logFailures(answer.reply.errors, options.logger);
    return answer;
  } catch (error) {
    const shown = error instanceof ApiError ? error : reportFault(error, address, options);
    return { command: undefined, reply: { errors: [shown] } };
  }
}

/** A fault of ours: the log has it under the id that the client gets. */
function reportFault(error: unknown, address: Address, { newId, logger }: RouteOptions): ApiError {
  const logId = newId();
  logger.error({ err: error, logId, ...address }, 'a command failed in an unforeseen way');
  return apiError('server', 'UNEXPECTED_SERVER_ERROR', { logId });
}

/** Clients are told that storage failed; why is for the operator. */
function logFailures(errors: readonly ApiError[], logger: Logger): void {
  for (const { family, cause, code } of errors) {
    if (family === 'SERVER' && cause !== undefined) logger.error({ err: cause, code }, 'a command failed');
  }
}
