// Writes long replies in slices, one reply at a time.
import type { JsonText } from '../../foundation/json/json-value.js';
import { NotBegun, type WhenGone } from '../../foundation/limits/work-queue.js';
import { type LongWork, onlySlice, type Slice } from '../../foundation/threads/long-work.js';
import { OpsError } from '../errors/ops-error.js';
import { type AnswerCost, isShort, limitCost } from '../metrics/sum-points.js';
import { WholeReply } from './route.js';

/** The maximum number of long replies that wait, in addition to the one that is being written. */
export const mostWaitingAnswers = 32;

/**
 * The reply with the text of `write`. `path` is the parameter that the error names if the reply is too long. `whenGone`
 * calls back when the client has disconnected: then the text is not written, or not completed.
 * @throws OpsError `BadRequest` when it is too long, `Unavailable` when too many wait
 */
export async function answerInSlices(
  work: LongWork,
  cost: AnswerCost,
  path: string,
  write: (slice: Slice) => Promise<JsonText>,
  whenGone: WhenGone,
): Promise<WholeReply> {
  limitCost(cost, path);
  return jsonReply(await (isShort(cost) ? write(onlySlice) : resultInSlices(work, write, whenGone)));
}

/** The result of `make`, when its turn comes. @throws OpsError as `answerInSlices` */
export async function resultInSlices<Result>(
  work: LongWork,
  make: (slice: Slice) => Promise<Result>,
  whenGone: WhenGone,
): Promise<Result> {
  try {
    return await work.run(make, whenGone);
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
