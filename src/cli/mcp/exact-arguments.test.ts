// Checks that numbers of calls keep their digits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenRequests } from './answered-input.js';
import { commandText, ExactArguments } from './exact-arguments.js';

function argumentsOf(given: string): object | undefined {
  const exact = new ExactArguments();
  exact.read(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${given}}}\n`);
  return exact.take(1);
}

describe('ExactArguments', () => {
  it('keeps numbers of objects that a double changes, and numbers of arguments as doubles', () => {
    const documents = '[{"_id":9007199254740993,"__proto__":[1.10,1e400,-0,2,"9007199254740993",null,true]}]';
    const found = argumentsOf(`{"limit":3.0,"vector":[0.12345678901234567890],"documents":${documents}}`);
    assert.equal(commandText(found), `{"limit":3,"vector":[0.12345678901234568],"documents":${documents}}`);
  });

  it('has nothing where all numbers are doubles, and where there is no call', () => {
    assert.equal(argumentsOf('{"filter":{"a":[1,0.5,-7]},"limit":5}'), undefined);
    assert.equal(argumentsOf('[9007199254740993]'), undefined);
  });

  it('keeps nothing of a call that has its reply, or was cancelled', () => {
    const exact = new ExactArguments();
    const requests = new OpenRequests((id) => void exact.take(id));
    const call = (id: number) => {
      exact.read(`{"id":${id},"method":"tools/call","params":{"arguments":{"filter":{"a":1.0}}}}`);
      requests.received({ id, method: 'tools/call' });
    };
    for (const id of [1, 2, 3]) call(id);
    requests.sent({ id: 1 });
    requests.received({ method: 'notifications/cancelled', params: { requestId: 2 } });
    assert.equal(exact.take(1), undefined);
    assert.equal(exact.take(2), undefined);
    assert.notEqual(exact.take(3), undefined);
    assert.equal(exact.take(3), undefined);
  });
});

describe('commandText', () => {
  it('writes what JSON.stringify writes', () => {
    const command = { find: { filter: { a: [null, true, 'é"\n', 1.5] }, skip: undefined, options: {} } };
    assert.equal(commandText(command), JSON.stringify(command));
  });
});
