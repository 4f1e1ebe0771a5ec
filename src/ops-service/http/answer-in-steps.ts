// Writes long replies in steps, one reply at a time.
import type { JsonText } from '../../foundation/json/json-value.js';
import { NotBegun, type WhenGone } from '../../foundation/limits/work-queue.js';
import { doSteps, type LongWork, type Steps } from '../../foundation/threads/long-work.js';
import { OpsError } from '../errors/ops-error.js';
import { type AnswerCost, isShort, limitCost } from '../metrics/sum-points.js';
import { WholeReply } from './route.js';

/** The maximum number of long replies that wait, in addition to the one that is being written. */
export const mostWaitingAnswers = 32;

/** Longer lists are read and written in steps. */
export const mostAtOnce = 1000;

/**
 * The reply with the text that the steps write. `path` is the parameter that the error names if the reply is too long.
 * `whenGone` calls back when the client has disconnected: then the text is not written, or not completed.
 * @throws OpsError `BadRequest` when it is too long, `Unavailable` when too many wait
 */
export async function answerInSteps(
  work: LongWork,
  cost: AnswerCost,
  path: string,
  steps: Steps<JsonText>,
  whenGone: WhenGone,
): Promise<WholeReply> {
  limitCost(cost, path);
  return jsonReply(isShort(cost) ? doSteps(steps) : await resultOf(work, steps, whenGone));
}

/** The result of the steps, when their turn comes. @throws OpsError as `answerInSteps` */
export async function resultOf<Result>(
  work: LongWork,
  steps: Steps<Result>,
  whenGone: WhenGone,
): Promise<Result> {
  try {
    return await work.run(steps, whenGone);
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error;
    const message = 'too many large replies are waiting; request less data at a time';
    throw new OpsError('Unavailable', message, { retryAfterSeconds: 5 });
  }
}

function jsonReply(body: JsonText): WholeReply {
  return new WholeReply({
    status: 200,
    contentType: 'application/json',
    body,
    headers: { 'cache-control': 'no-store' },
  });
}
