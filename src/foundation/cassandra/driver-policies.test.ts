// Which failures of nodes make another node asked, and how often.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Attempts, OneOtherNode } from './driver-policies.js';
import { SecondRequests } from './second-requests.js';

type Asked = Parameters<OneOtherNode['onRequestError']>;

const local: Asked[1] = 6;
const overloadedCode = 0x1001;

/** What becomes of a statement whose first node answers with this problem. */
function behind(
  problem: string,
  seconds: SecondRequests,
): { readonly isAsked: boolean; readonly undone: number } {
  const attempts = { started: 1, undone: 0 } as Attempts;
  const executionOptions = { getRawQueryOptions: () => attempts } as unknown as Asked[0]['executionOptions'];
  const error = Object.assign(new Error(problem), { name: 'ResponseError', code: overloadedCode });
  const policy = new OneOtherNode(seconds);
  const { decision } = policy.onRequestError({ query: '', nbRetry: 0, executionOptions }, local, error);
  return { isAsked: decision === policy.retryResult(local, false).decision, undone: attempts.undone };
}

describe('OneOtherNode', () => {
  it('asks another node for a busy one as long as there is a share, and counts what did nothing', () => {
    const seconds = new SecondRequests();
    assert.deepEqual(behind('Request breached global limit', seconds), { isAsked: true, undone: 1 });
    assert.deepEqual(behind('Too many in flight hints: 1', seconds), { isAsked: true, undone: 0 });
    while (seconds.hasShare) seconds.noteFurther();
    assert.deepEqual(behind('Request breached global limit', seconds), { isAsked: false, undone: 0 });
    assert.deepEqual(behind('Too many in flight hints: 1', seconds), { isAsked: false, undone: 0 });
  });

  it('asks another node for one that stops, without a share too', () => {
    const seconds = new SecondRequests();
    while (seconds.hasShare) seconds.noteFurther();
    assert.deepEqual(behind('Server is shutting down', seconds), { isAsked: true, undone: 1 });
  });
});
