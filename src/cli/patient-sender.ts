// Sends requests to one server, and sends them again while the server is busy or cannot be reached.
import { retryAfterMs } from '../foundation/http/retry-after.js';
import {
  type OutgoingReply,
  type OutgoingRequest,
  SendFailure,
  type SendRequest,
} from '../foundation/http/send-request.js';
import type { Clock } from '../foundation/telemetry/clock.js';
import { answerProblem } from './answer-problem.js';
import { Interrupted, ServerUnusable } from './port-problems.js';

/** What sending needs from the process. */
export interface SenderSurroundings {
  readonly sendRequest: SendRequest;
  readonly clock: Clock;
  /** Resolves after the time, or rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Gets one line for each wait. */
  readonly notify: (line: string) => void;
}

/** The server, as messages name it. */
export interface AskedServer {
  readonly url: string;
  /** How often a request is sent again. */
  readonly retries: number;
  /** The option with the address, such as `--url`. */
  readonly option: string;
}

/** Why there is no answer yet, where there may be one later. */
export interface Busy {
  readonly busy: string;
  /** What is thrown behind the last attempt. Default: ServerUnusable. */
  readonly failure?: Error;
}

/**
 * Sends a request until `read` finds an answer in the reply. The waits are those of Retry-After, or grow to 10 s. A
 * request is also sent again after a loss of the connection, so it must have the same effect if the server gets it
 * twice, unless `countsTwice` is set. A server that never answered has probably another address, so nothing is sent to
 * it again.
 * @throws after the last attempt ServerUnusable or the `failure` of `Busy`, Interrupted, and what `read` throws
 */
export type PatientSender = <Answer extends object>(
  request: Omit<OutgoingRequest, 'signal'>,
  read: (reply: OutgoingReply) => Answer | Busy,
  bounds?: SendBounds,
) => Promise<Answer>;

/** When a request is not sent again. */
export interface SendBounds {
  /** A request that the server answers with a failure is sent again at most so many times, if that is less. */
  readonly mostRetries?: number | undefined;
  /** It has another effect if the server gets it twice: behind a loss it is sent again only if it never left. */
  readonly countsTwice?: boolean;
}

/** What a loss of the connection leaves open, and what to do. */
export const unknownOutcome =
  'it is not known whether the change took effect: read what it changes before you make it again';

const longestWaitMs = 60_000;
const firstBackoffMs = 250;
const longestBackoffMs = 10_000;
const busyStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the server or a proxy in front of it says by the status that it may answer later. */
export function isBusyStatus(status: number): boolean {
  return busyStatuses.has(status);
}

/** A sender to this server. */
export function openPatientSender(
  { url, retries, option }: AskedServer,
  { sendRequest, clock, wait, interrupted, notify }: SenderSurroundings,
): PatientSender {
  let hasAnswered = false;

  const sendOnce = async (
    request: Omit<OutgoingRequest, 'signal'>,
    countsTwice: boolean,
  ): Promise<OutgoingReply | Busy> => {
    try {
      const reply = await sendRequest({ ...request, signal: interrupted });
      hasAnswered = true;
      return reply;
    } catch (error) {
      if (interrupted.aborted) throw new Interrupted('interrupted', { cause: error });
      if (!(error instanceof SendFailure)) throw error;
      if (countsTwice && error.hasLeft)
        throw new ServerUnusable(`${url} does not answer: ${error.message}; ${unknownOutcome}`, {
          cause: error,
        });
      const isLoss = error.problem === 'unreachable' || error.problem === 'timeout';
      if (isLoss && hasAnswered) return { busy: error.message };
      throw new ServerUnusable(answerProblem(url, error, option), { cause: error });
    }
  };

  return async (request, read, { mostRetries = retries, countsTwice = false } = {}) => {
    for (let tries = 0; ; tries += 1) {
      const reply = await sendOnce(request, countsTwice);
      const answer = isBusy(reply) ? reply : read(reply);
      if (!isBusy(answer)) return answer;
      const most = answer.failure === undefined ? retries : Math.min(retries, mostRetries);
      if (tries >= most) {
        const problem = `${url} cannot be used, after ${tries + 1} attempts: ${answer.busy}`;
        throw answer.failure ?? new ServerUnusable(problem);
      }
      const backoffMs = Math.min(firstBackoffMs * 2 ** Math.min(tries, 10), longestBackoffMs);
      const askedMs = isBusy(reply) ? undefined : retryAfterMs(reply.header('retry-after'), clock.nowMs());
      const waitMs = Math.min(askedMs ?? backoffMs, longestWaitMs);
      notify(`${url}: ${answer.busy}; again in ${waitMs} ms (${tries + 1} of ${most})`);
      try {
        await wait(waitMs, interrupted);
      } catch (error) {
        if (interrupted.aborted) throw new Interrupted('interrupted', { cause: error });
        throw error;
      }
    }
  };
}

function isBusy(answer: object | Busy): answer is Busy {
  return 'busy' in answer;
}
