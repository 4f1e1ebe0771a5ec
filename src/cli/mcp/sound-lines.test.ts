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
      ['{"jsonrpc":"2.0","id":"a","method":"ping","result":{}}', 'a', /no member "result"/],
    ] as const;
    for (const [line, id, problem] of refusals) {
      const { messages, errors } = new SoundLines().add(Buffer.from(`${line}\n`));
      assert.deepEqual(messages, []);
      assert.deepEqual([errors[0]?.code, errors[0]?.id], [-32600, id]);
      assert.match(errors[0]?.message ?? '', problem);
    }
    const latin = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"é"}\n', 'latin1');
    assert.deepEqual(new SoundLines().add(latin).messages, []);
    assert.match(new SoundLines().add(latin).errors[0]?.message ?? '', /not UTF-8/);
    const replies =
      '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}\n';
    assert.equal(new SoundLines().add(Buffer.from(replies)).messages.length, 2);
  });

  it('refuses a message beyond the limit by its id, wherever that stands, and reads the next one', () => {
    const large = Buffer.alloc(1024 * 1024, 'x');
    for (const [before, after, id] of [
      ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":3,"text":"', '"}}', 7],
      ['{"method":"tools/call","params":{"a":[{"text":"\\"', '"}]},"jsonrpc":"2.0","id":"a\\"}"}', 'a"}'],
      ['{"method":"tools/call","params":"', '"}', null],
      ['', '', null],
    ] as const) {
      const lines = new SoundLines();
      assert.deepEqual(lines.add(Buffer.from(before)).errors, []);
      for (let piece = 0; piece < 30; piece += 1) assert.deepEqual(lines.add(large).errors, []);
      const { messages, errors } = lines.add(Buffer.from(`${after}\n{"jsonrpc":"2.0","method":"a"}\n`));
      assert.equal(messages.length, 1);
      assert.deepEqual([errors.length, errors[0]?.code, errors[0]?.id], [1, -32600, id]);
      assert.match(errors[0]?.message ?? '', /has 3\d+ bytes, and 25165824 are the most/);
    }
  });

  it('refuses a message that is nested too deeply, with the limit', () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","method":"a","params":{"x":${'['.repeat(depth)}${']'.repeat(depth)}},"id":5}\n`;
    const { errors } = new SoundLines().add(Buffer.from(nested(999)));
    assert.deepEqual([errors[0]?.code, errors[0]?.id], [-32600, 5]);
    assert.match(errors[0]?.message ?? '', /nested 1001 levels deep, and 1000 are the most/);
    assert.equal(new SoundLines().add(Buffer.from(nested(998))).messages.length, 1);
  });

  it('reads a last line without a line break', () => {
    const lines = new SoundLines();
    lines.add(Buffer.from('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}'));
    assert.deepEqual(lines.end().messages.map(String), ['{"jsonrpc":"2.0","method":"b"}\n']);
    assert.deepEqual(lines.end(), { messages: [], errors: [] });
  });
});
