// The table data service over HTTP: path, token, body, command, envelope.
import type {
  HttpHandler,
  HttpReply,
  HttpRequest,
  RequestHead,
  WaitingHeadHandler,
} from '../../foundation/http/http-handler.js';
import type { RunInTurn } from '../../foundation/shared-turns.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import type { Address } from '../commands/run-command.js';
import type { ReadHeader } from '../embedding/find-credential.js';
import { toApiError } from '../engine/client-failure.js';
import { EngineError } from '../engine/engine-error.js';
import type { StorageUser, StorageUsers } from '../engine/storage-users.js';
import { ApiError, tooBusy } from '../errors/api-error.js';
import { type AnswerBody, type AnswerOptions, type BodyAnswer, makeAnswerBody } from './answer-body.js';
import { type Caller, makeAuthenticate } from './authenticate.js';
import { isLargeBody, type LargeReply, type LargeRequests, NoRoomForLargeRequest } from './large-requests.js';
import { readAddress, readBodyJson, readShortJson, refuseContentType } from './read-request.js';
import type { RequestMetrics } from './request-metrics.js';

/** What the routes need in addition to the request. */
export interface RouteOptions extends AnswerOptions {
  /** Every request must carry it, or name one of the users; undefined lets every request pass. */
  readonly token: string | undefined;
  /** Absent if the storage has no users of its own. */
  readonly users?: StorageUsers | undefined;
  /** Whether every request must name one of the users. Default: no. */
  readonly requiresUser?: boolean;
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
/** When a request that was refused with the status 503 may be sent again, in seconds. */
const sendAgainLater = { 'retry-after': '1' };
const noHeaders = {};
const wrongMethod: HttpReply = {
  status: 405,
  contentType: plain,
  body: 'only POST is allowed here\n',
  headers: { allow: 'POST' },
};

/** Answers requests below `/v1` and `/api/json/v1`; neither part throws. */
export interface DataRoutes {
  /** Refuses by path, method, token and content type, before the body is read; undefined to accept the request. */
  readonly answerHead: WaitingHeadHandler;
  /** Answers the requests that `answerHead` accepts. */
  readonly answer: HttpHandler;
}

/** The table data service over HTTP. */
export function createDataRoutes(options: RouteOptions): DataRoutes {
  const { clock, metrics, token, users, requiresUser = false } = options;
  const accepted = requiresUser ? 'required' : 'accepted';
  const authenticate = makeAuthenticate({ token, users: users === undefined ? 'none' : accepted });
  const answers = makeAnswerBody(options);
  /** The callers of the requests that `answerHead` accepted, if the storage has users. */
  const callers = new WeakMap<RequestHead, Caller>();
  const userOf = (request: HttpRequest): StorageUser | undefined => {
    if (users === undefined) return undefined;
    const caller = callers.get(request) ?? authenticate(request);
    if (caller instanceof ApiError) throw caller; // as `answerHead` does
    return caller.user;
  };
  return {
    answerHead: (head) => {
      if (readAddress(head.path) === undefined) return notFound;
      if (head.method !== 'POST') return wrongMethod;
      const caller = authenticate(head);
      const refusal = caller instanceof ApiError ? caller : refuseContentType(head);
      if (refusal !== undefined) return toHttp(answers.refuse(refusal), 0, {}, metrics);
      if (users === undefined || caller instanceof ApiError) return undefined;
      callers.set(head, caller);
      if (caller.user === undefined || users.isKnown(caller.user)) return undefined;
      const admitted = users.run(caller.user, async () => undefined);
      return admitted.catch((error: unknown) => toHttp(refuseFailed(error, answers), 0, {}, metrics));
    },
    answer: (request) => {
      const startedMs = clock.monotonicMs();
      const address = readAddress(request.path);
      if (address === undefined) return notFound;
      const done = (answer: BodyAnswer | LargeReply) =>
        toHttp(answer, clock.monotonicMs() - startedMs, address, metrics);
      const failed = (error: unknown) => done(refuseFailed(error, answers, address));
      try {
        const user = userOf(request);
        const sender = { address, user };
        const answering =
          user === undefined || users === undefined
            ? answerRequest(request, sender, answers, options)
            : users.run(user, (engine) =>
                answerRequest(request, sender, makeAnswerBody({ ...options, engine }), options),
              );
        return answering.then(done, failed);
      } catch (error) {
        return failed(error);
      }
    },
  };
}

/** Records an answer and makes its reply, always with the same members: it is on the path of every request. */
function toHttp(
  answer: BodyAnswer | LargeReply,
  elapsedMs: number,
  address: Address,
  metrics: RequestMetrics,
): HttpReply {
  const { command, kind, errors, httpStatus } = answer;
  metrics.observe(command, kind, errors, elapsedMs, address);
  return {
    status: httpStatus,
    contentType: json,
    body: 'text' in answer ? answer.text : answer.bytes,
    mayBeRefused: kind === 'read' || kind === 'list',
    headers: httpStatus === 503 ? sendAgainLater : noHeaders,
  };
}

/** The reply where no command could be run. */
function refuseFailed(error: unknown, answers: AnswerBody, address: Address = {}): BodyAnswer {
  // Without its cause: this is not an error to log.
  if (error instanceof NoRoomForLargeRequest) return answers.refuse(tooBusy(error.message));
  // The user could not be logged in.
  if (error instanceof EngineError) return answers.refuse(toApiError(error));
  if (error instanceof ApiError) return answers.refuse(error);
  return answers.fail(error, address);
}

/** Who sent a request, and what its path names. */
interface Sender {
  readonly address: Address;
  readonly user: StorageUser | undefined;
}

type Lanes = Pick<RouteOptions, 'largeRequests' | 'runInTurn' | 'onlyReads'>;

/** The result of a request, on this thread or on the thread for large ones. */
function answerRequest(
  request: HttpRequest,
  sender: Sender,
  answers: AnswerBody,
  lanes: Lanes,
): Promise<BodyAnswer | LargeReply> {
  const { body } = request;
  const { largeRequests, runInTurn = runNow } = lanes;
  // One function serves the request wherever it is answered: what was embedded for it is known by it.
  const header = (name: string) => request.header(name);
  const answerThere =
    largeRequests &&
    ((error?: unknown) => {
      // What failed otherwise may have written already, and must not run again.
      if (error !== undefined && !(error instanceof EngineError && error.kind === 'large')) throw error;
      return answerLarge({ request, header, sender, answers, lanes, largeRequests });
    });
  if (answerThere !== undefined && isLargeBody(body)) return answerThere();
  const { address } = sender;
  const answerHere = () => {
    if (answerThere === undefined) return answers.answer(readBodyJson(body), address, header);
    const json = readShortJson(body);
    return json === undefined ? answerThere() : answers.answer(json, address, header, answerThere);
  };
  return answerThere === undefined || isPrompt(body) ? answerHere() : runInTurn(answerHere);
}

interface LargeLane {
  readonly request: HttpRequest;
  readonly header: ReadHeader;
  readonly sender: Sender;
  readonly answers: AnswerBody;
  readonly lanes: Lanes;
  readonly largeRequests: LargeRequests;
}

async function answerLarge(lane: LargeLane): Promise<BodyAnswer | LargeReply> {
  const { request, header, answers, largeRequests } = lane;
  const { address, user } = lane.sender;
  const { runInTurn = runNow, onlyReads } = lane.lanes;
  const { body } = request;
  const whenGone = (listener: () => void) => request.onGone?.(listener);
  const answer = await largeRequests.answer({ body, address, header, user, onlyReads }, whenGone);
  const { body: compact } = answer;
  return compact === undefined
    ? answer
    : runInTurn(async () => answers.answer(readBodyJson(Buffer.from(compact)), address, header));
}

/** Whether a body takes so little time that it need not wait in the queue. */
function isPrompt(body: Buffer): boolean {
  return body.length <= promptBodyBytes && !body.includes(manyRows);
}

const runNow: RunInTurn = (work) => work();
