// Checks which lines are messages, however they are cut into chunks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SoundLines } from './sound-lines.js';

const text =
  '{"jsonrpc":"2.0","id":1,"method":"é"}\nno\r\n\n \r\n[]\n{"id":2}\n1\n{"jsonrpc":"2.0"}\r\n{"jsonrpc"';

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
      assert.deepEqual(messages, ['{"jsonrpc":"2.0","id":1,"method":"é"}\n', '{"jsonrpc":"2.0"}\r\n']);
      assert.deepEqual(refused, [
        [-32700, null],
        [-32600, null],
        [-32600, 2],
        [-32600, null],
      ]);
    }
  });

  it('keeps no line that is longer than a message may be', () => {
    const lines = new SoundLines();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const passed = Array.from({ length: 11 }, () => lines.add(chunk).messages.length);
    assert.deepEqual(passed, [...Array.from({ length: 10 }, () => 0), 11]);
  });
});
