// Checks how secrets are read from a terminal and from a pipe, and what Ctrl+C does meanwhile.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { readSecrets } from './read-password.js';

function source(isTTY: boolean, interrupt: () => void = assert.fail) {
  const input = Object.assign(new PassThrough(), { isTTY });
  let shown = '';
  const prompts = {
    write: (text: string) => {
      shown += text;
      return true;
    },
  };
  return { input, prompts, interrupt, shown: () => shown };
}

describe('readSecrets', () => {
  it('asks on a terminal, and shows nothing of what is typed', async () => {
    const terminal = source(true);
    const secrets = readSecrets(['Name', 'Key'], terminal);
    terminal.input.write('one\rtwo\r');
    assert.deepEqual(await secrets, ['one', 'two']);
    assert.equal(terminal.shown(), 'Name: \nKey: \n');
  });

  it('reads lines of a pipe without prompts', async () => {
    const pipe = source(false);
    pipe.input.end('one\n');
    assert.deepEqual(await readSecrets(['Name', 'Key'], pipe), ['one', '']);
    assert.equal(pipe.shown(), '');
  });

  it('interrupts the process at Ctrl+C, and reads no secret then', async () => {
    let noteInterrupt = () => {};
    const interrupted = new Promise<void>((resolve) => {
      noteInterrupt = resolve;
    });
    const terminal = source(true, () => noteInterrupt());
    let isRead = false;
    void readSecrets(['Key'], terminal).then(() => {
      isRead = true;
    });
    terminal.input.write('half\u0003');
    await interrupted;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isRead, false);
  });
});
