// Checks that numbers of calls keep their digits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

  it('keeps a bounded number of calls', () => {
    const exact = new ExactArguments();
    const line = (id: number) =>
      `{"id":${id},"method":"tools/call","params":{"arguments":{"filter":{"a":1.0}}}}`;
    for (let id = 0; id <= 1000; id += 1) exact.read(line(id));
    assert.equal(exact.take(0), undefined);
    assert.notEqual(exact.take(1000), undefined);
    assert.equal(exact.take(1000), undefined);
  });
});

describe('commandText', () => {
  it('writes what JSON.stringify writes', () => {
    const command = { find: { filter: { a: [null, true, 'é"\n', 1.5] }, skip: undefined, options: {} } };
    assert.equal(commandText(command), JSON.stringify(command));
  });
});
