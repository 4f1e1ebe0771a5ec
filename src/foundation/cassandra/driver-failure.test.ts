// What errors of the driver mean: each is known by its name, its code or the errors of hosts in it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCassandraFailure } from './driver-failure.js';

function errorNamed(name: string, more: object = {}): Error {
  return Object.assign(new Error('of the driver'), { name }, more);
}

/** No host is left: what the last ones said. */
function noHost(...inner: readonly unknown[]): Error {
  const innerErrors = Object.fromEntries(inner.map((error, at) => [`127.0.0.${at + 1}`, error]));
  return errorNamed('NoHostAvailableError', { innerErrors });
}

const unavailable = errorNamed('ResponseError', { code: 0x1000 });
const timedOut = errorNamed('OperationTimedOutError');
const isDown = 'Host considered as DOWN';

describe('toCassandraFailure', () => {
  const cases: readonly (readonly [what: string, error: unknown, kind: string])[] = [
    ['a host that was not asked', noHost(isDown), 'unreachable'],
    ['too few replicas, answered by the last host', noHost(unavailable), 'unavailable'],
    ['too few replicas, and hosts that were not asked', noHost(isDown, unavailable), 'unavailable'],
    ['a host that did not answer beside others', noHost(unavailable, timedOut), 'unanswered'],
    ['a refusal', noHost(errorNamed('ResponseError', { code: 0x2200 })), 'refused'],
    ['a timeout', timedOut, 'unanswered'],
    [
      'a statement that a node no longer has',
      noHost(errorNamed('ResponseError', { code: 0x2500 })),
      'unprepared',
    ],
    [
      'a statement that is nested too deeply',
      noHost(errorNamed('ResponseError', { code: 0, message: 'java.lang.StackOverflowError' })),
      'refused',
    ],
    ['overload', errorNamed('ResponseError', { code: 0x1001 }), 'overloaded'],
    [
      'a write that a node keeps for too many others, and may have sent to some',
      errorNamed('ResponseError', {
        code: 0x1001,
        message: 'Too many in flight hints: 1024 destination: /x',
      }),
      'failed',
    ],
    ['a fault of the driver, perhaps in a reply', new TypeError('not a function'), 'failed'],
  ];
  for (const [what, error, kind] of cases)
    it(`${what}: ${kind}`, () => assert.equal(toCassandraFailure(error).kind, kind));

  it('does not say that nothing was done where an earlier node may have done it', () => {
    const kindAfter = (error: unknown) => toCassandraFailure(error, true).kind;
    assert.equal(kindAfter(unavailable), 'unanswered');
    assert.equal(kindAfter(errorNamed('ResponseError', { code: 0x2200 })), 'unanswered');
    assert.equal(kindAfter(noHost(isDown, unavailable)), 'unavailable'); // every node is known
    assert.equal(kindAfter(errorNamed('ResponseError', { code: 0x1500 })), 'failed');
  });
});
