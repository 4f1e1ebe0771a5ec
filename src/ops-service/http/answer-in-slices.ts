// Replies of metrics: short ones at once, long ones in slices, one at a time.
import type { JsonText } from '../../foundation/json/json-value.js';
import { type LongWork, onlyTurn, type Turn } from '../../foundation/threads/long-work.js';
import { OpsError } from '../errors/ops-error.js';
import { type AnswerCost, isShort, limitCost } from '../metrics/sum-points.js';
import { WholeReply } from './route.js';

/** Long answers that wait at most, beside the one that is written. */
export const mostWaitingAnswers = 32;

/**
 * The reply with the text that `write` gives. `path` is the parameter to blame when it takes too much.
 * @throws OpsError `BadRequest` when it takes too much, `Unavailable` when too many wait
 */
export async function answerInSlices(
  work: LongWork,
  cost: AnswerCost,
  path: string,
  write: (turn: Turn) => Promise<JsonText>,
): Promise<WholeReply> {
  limitCost(cost, path);
  if (isShort(cost)) return jsonReply(await write(onlyTurn));
  if (work.isFull) {
    const message = 'too many large answers of metrics wait: ask for less at a time';
    throw new OpsError('Unavailable', message, { retryAfterSeconds: 5 });
  }
  return jsonReply(await work.run(write));
}

function jsonReply(body: JsonText): WholeReply {
  return new WholeReply({
    status: 200,
    contentType: 'application/json',
    body,
    headers: { 'cache-control': 'no-store' },
  });
}
