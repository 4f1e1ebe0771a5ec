// Checks which lines are messages, however they are cut into chunks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SoundLines } from './sound-lines.js';

const text =
  '{"jsonrpc":"2.0","id":1,"method":"é"}\nno\r\n\n \r\n[]\n{"id":2}\n1\n{"jsonrpc":"2.0","method":"a"}\r\n{"jsonrpc"';

describe('SoundLines', () => {
  it('passes messages on and has an error for other lines, for chunks of every size', () => {
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const lines = new SoundLines();
      const [messages, refused]: [string[], unknown[]] = [[], []];
      for (let at = 0; at < bytes.length; at += size) {
        const found = lines.add(bytes.subarray(at, at + size));
        messages.push(...found.messages.map(String));
        refused.push(...found.errors.map(({ code, id }) => [code, id]));
      }
      assert.deepEqual(messages, [
        '{"jsonrpc":"2.0","id":1,"method":"é"}\n',
        '{"jsonrpc":"2.0","method":"a"}\r\n',
      ]);
      assert.deepEqual(refused, [
        [-32700, null],
        [-32600, null],
        [-32600, 2],
        [-32600, null],
      ]);
    }
  });

  it('has an error for messages that the SDK would not answer', () => {
    const refusals = [
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, /"id"/],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, /"id"/],
      ['{"jsonrpc":"2.0","id":1e20,"method":"ping"}', null, /"id"/],
      ['{"jsonrpc":"2.0","id":7}', 7, /no "method"/],
      ['{"jsonrpc":"2.0","id":7,"method":1}', 7, /"method"/],
      ['{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}', 'a', /"params"/],
      ['{"jsonrpc":"2.0","id":"a","method":"ping","params":null}', 'a', /"params"/],
    ] as const;
    for (const [line, id, problem] of refusals) {
      const { messages, errors } = new SoundLines().add(Buffer.from(`${line}\n`));
      assert.deepEqual(messages, []);
      assert.deepEqual([errors[0]?.code, errors[0]?.id], [-32600, id]);
      assert.match(errors[0]?.message ?? '', problem);
    }
    const replies =
      '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}\n';
    assert.equal(new SoundLines().add(Buffer.from(replies)).messages.length, 2);
  });

  it('keeps no line that is longer than a message may be', () => {
    const lines = new SoundLines();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const passed = Array.from({ length: 11 }, () => lines.add(chunk).messages.length);
    assert.deepEqual(passed, [...Array.from({ length: 10 }, () => 0), 11]);
  });
});
