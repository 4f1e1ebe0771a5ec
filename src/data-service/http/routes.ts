// The table data service over HTTP: path, token, body, command, envelope.
import type { HeadHandler, HttpHandler, HttpReply, HttpRequest } from '../../foundation/http/http-handler.js';
import type { RunInTurn } from '../../foundation/shared-turns.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Address } from '../commands/run-command.js';
import { EngineError } from '../engine/engine-error.js';
import { apiError } from '../errors/api-error.js';
import { type AnswerBody, type AnswerOptions, type BodyAnswer, makeAnswerBody } from './answer-body.js';
import { makeAuthenticate } from './authenticate.js';
import {
  type LargeReply,
  type LargeRequests,
  mostBodyBytes,
  NoRoomForLargeRequest,
} from './large-requests.js';
import { readAddress, refuseContentType } from './read-request.js';
import type { RequestMetrics } from './request-metrics.js';

/** What the routes need in addition to the request. */
export interface RouteOptions extends AnswerOptions {
  /** Every request must carry it; undefined lets every request pass. */
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly metrics: RequestMetrics;
  /** Absent if every request is answered on this thread and its engine refuses none as `large`. */
  readonly largeRequests?: LargeRequests;
  /** Runs long work when the thread has time. Absent if such work runs at once. */
  readonly runInTurn?: RunInTurn;
}

const json = 'application/json';
const plain = 'text/plain; charset=utf-8';
const notFound: HttpReply = {
  status: 404,
  contentType: plain,
  body: 'not found: the paths are /v1, /v1/{keyspace} and /v1/{keyspace}/{table}, also below /api/json\n',
};
/** A longer body waits in a queue: hundreds of clients may send one at the same time. */
const promptBodyBytes = 2 * 1024;
/** So does one that may have a hundred rows: the errors of 800 bytes are 570 kB where a table has many columns. */
const manyRows = '"insertMany"';
/** When a large request may be sent again. */
const sendAgainLater = { status: 503, headers: { 'retry-after': '1' } } as const;
const wrongMethod: HttpReply = {
  status: 405,
  contentType: plain,
  body: 'only POST is allowed here\n',
  headers: { allow: 'POST' },
};

/** Answers requests below `/v1` and `/api/json/v1`; neither part throws. */
export interface DataRoutes {
  /** Refuses by path, method, token and content type, before the body is read; undefined to accept the request. */
  readonly answerHead: HeadHandler;
  /** Answers the requests that `answerHead` accepts. */
  readonly answer: HttpHandler;
}

/** The table data service over HTTP. */
export function createDataRoutes(options: RouteOptions): DataRoutes {
  const { clock, metrics } = options;
  const authenticate = makeAuthenticate(options.token);
  const answers = makeAnswerBody(options);
  const toHttp = (answer: BodyAnswer | LargeReply, elapsedMs: number, address: Address): HttpReply => {
    const { command, kind, errors, httpStatus } = answer;
    metrics.observe(command, kind, errors, elapsedMs, address);
    const body = 'text' in answer ? answer.text : answer.bytes;
    return { status: httpStatus, contentType: json, body, mayBeRefused: kind === 'read' || kind === 'list' };
  };
  return {
    answerHead: (head) => {
      if (readAddress(head.path) === undefined) return notFound;
      if (head.method !== 'POST') return wrongMethod;
      const refusal = authenticate(head) ?? refuseContentType(head);
      return refusal && toHttp(answers.refuse(refusal), 0, {});
    },
    answer: async (request) => {
      const startedMs = clock.monotonicMs();
      const address = readAddress(request.path);
      if (address === undefined) return notFound;
      const elapsedMs = () => clock.monotonicMs() - startedMs;
      try {
        return toHttp(await answerRequest(request, address, answers, options), elapsedMs(), address);
      } catch (error) {
        if (!(error instanceof NoRoomForLargeRequest)) {
          return toHttp(answers.fail(error, address), elapsedMs(), address);
        }
        // Without its cause: this is not an error to log.
        const refusal = apiError('database', 'UNAVAILABLE_DATABASE', { problem: error.message });
        return { ...toHttp(answers.refuse(refusal), elapsedMs(), address), ...sendAgainLater };
      }
    },
  };
}

/** The result of a request, on this thread or on the thread for large ones. */
async function answerRequest(
  request: HttpRequest,
  address: Address,
  answers: AnswerBody,
  { largeRequests, runInTurn = runNow }: Pick<RouteOptions, 'largeRequests' | 'runInTurn'>,
): Promise<BodyAnswer | LargeReply> {
  const { body } = request;
  const header = (name: string) => request.header(name);
  if (largeRequests === undefined) return answers.answer(body, address, header);
  if (body.length <= mostBodyBytes) {
    const answer = () => answers.answer(body, address, header);
    try {
      return await (isPrompt(body) ? answer() : runInTurn(answer));
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== 'large') throw error;
    }
  }
  const answer = await largeRequests.answer(body, address, header, (listener) => request.onGone?.(listener));
  const { body: compact } = answer;
  return compact === undefined
    ? answer
    : runInTurn(() => answers.answer(Buffer.from(compact), address, header));
}

/** Whether a body takes so little time that it need not wait in the queue. */
function isPrompt(body: Buffer): boolean {
  return body.length <= promptBodyBytes && !body.includes(manyRows);
}

const runNow: RunInTurn = (work) => work();
