// Long replies are made in slices, one at a time.
import type { JsonText } from '../../foundation/json/json-value.js';
import { type LongWork, onlyTurn, type Turn } from '../../foundation/threads/long-work.js';
import { OpsError } from '../errors/ops-error.js';
import { type AnswerCost, isShort, limitCost } from '../metrics/sum-points.js';
import { WholeReply } from './route.js';

/** Long replies that wait at most, beside the one that is made. */
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
  return jsonReply(await (isShort(cost) ? write(onlyTurn) : inSlices(work, write)));
}

/** The text that `write` gives when its turn comes. @throws OpsError `Unavailable` when too many wait */
export function inSlices(work: LongWork, write: (turn: Turn) => Promise<JsonText>): Promise<JsonText> {
  if (!work.isFull) return work.run(write);
  const message = 'too many large replies wait: ask for less at a time';
  throw new OpsError('Unavailable', message, { retryAfterSeconds: 5 });
}

function jsonReply(body: JsonText): WholeReply {
  return new WholeReply({
    status: 200,
    contentType: 'application/json',
    body,
    headers: { 'cache-control': 'no-store' },
  });
}
