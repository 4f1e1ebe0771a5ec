// Lines that cannot be written: no call throws, no line is truncated, and lost lines are counted.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LineWriter } from './line-writer.js';

/** A descriptor that accepts so many bytes, then fails with this code. */
function limited() {
  let written = '';
  const state = { room: 0, code: 'EAGAIN' };
  const lost: number[] = [];
  const onLost = (lines: number) => {
    lost.push(lines);
    writer.write('lost\n');
  };
  const writer = new LineWriter(2, onLost, (_, bytes) => {
    if (state.room === 0) throw Object.assign(new Error('refused'), { code: state.code });
    const taken = Math.min(state.room, bytes.length);
    written += Buffer.from(bytes.subarray(0, taken)).toString();
    state.room -= taken;
    return taken;
  });
  return { writer, state, lost, written: () => written };
}

describe('LineWriter', () => {
  it('keeps what a full pipe does not take, and writes it first', () => {
    const { writer, state, lost, written } = limited();
    state.room = 5;
    writer.write('one\n');
    writer.write('two\n');
    assert.equal(written(), 'one\nt');
    state.room = 100;
    writer.write('three\n');
    assert.equal(written(), 'one\ntwo\nthree\n');
    assert.deepEqual(lost, []);
  });

  it('loses what is more than it may keep, and counts it', () => {
    const { writer, state, lost, written } = limited();
    const line = `${'x'.repeat(1023)}\n`;
    for (let at = 0; at < 300; at += 1) writer.write(line);
    assert.deepEqual(lost, []);
    state.room = 1_000_000;
    writer.write('last\n');
    assert.equal(written(), `${line.repeat(256)}lost\n`);
    assert.deepEqual(lost, [45]);
  });

  it('ends a line that was written in part before the next one', () => {
    const { writer, state, written } = limited();
    state.code = 'ENOSPC';
    state.room = 2;
    writer.write('one\n');
    state.room = 100;
    writer.write('two\n');
    assert.equal(written(), 'on\ntwo\nlost\n');
  });

  for (const code of ['ENOSPC', 'EPIPE', 'EBADF', 'EIO']) {
    it(`loses the line that fails with ${code}, and continues after it`, () => {
      const { writer, state, lost, written } = limited();
      state.code = code;
      writer.write('one\n');
      writer.write('two\n');
      state.room = 100;
      writer.write('three\n');
      assert.equal(written(), 'three\nlost\n');
      assert.deepEqual(lost, [2]);
    });
  }
});
