// Checks calls between two sides of a real message channel.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type ErrorForm, ErrorOfThread } from './crossing-error.js';
import { type CallTable, type LinkMessage, ThreadLink } from './thread-link.js';

interface Sums {
  add(numbers: readonly number[]): Promise<number> | number;
  fail(how: 'known' | 'unknown' | 'uncloneable'): unknown;
  take(anything: unknown): void;
  wait(argument: undefined, signal: AbortSignal): Promise<string>;
  note(text: string): void;
}

class Refusal extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`refused with ${code}`);
    this.code = code;
  }
}

const refusalForm: ErrorForm = {
  kind: 'refusal',
  pack: (error) => (error instanceof Refusal ? error.code : undefined),
  unpack: (packed) => new Refusal(Number(packed)),
};

let ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports) port.close();
  ports = [];
});

/** One side of a channel. */
function sideOf<Asked extends CallTable<Asked>, Offered extends CallTable<Offered>>(
  port: MessagePort,
  offered: Offered,
): ThreadLink<Asked, Offered> {
  const post = (message: LinkMessage, moved?: readonly ArrayBuffer[]) => port.postMessage(message, moved);
  const link = new ThreadLink<Asked, Offered>({ post }, offered, [refusalForm]);
  port.on('message', (message: LinkMessage) => link.receive(message));
  return link;
}

function connected(notes: string[] = []): ThreadLink<Sums, object> {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  sideOf<object, Sums>(port2, {
    add: (numbers) => numbers.reduce((sum, number) => sum + number, 0),
    fail: (how) => {
      if (how === 'known') throw new Refusal(7);
      if (how === 'unknown') throw new RangeError('out of range');
      return () => how;
    },
    take: () => {},
    wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted'))),
    note: (text) => void notes.push(text),
  });
  return sideOf<Sums, object>(port1, {});
}

describe('a link between threads', () => {
  it('answers each call with its own result', async () => {
    const link = connected();
    const results = await Promise.all([[1, 2], [3], []].map((numbers) => link.call('add', numbers)));
    assert.deepEqual(results, [3, 3, 0]);
  });

  it('carries errors of known kinds as what they are, and of others with message and stack', async () => {
    const link = connected();
    await assert.rejects(link.call('fail', 'known'), (error) => error instanceof Refusal && error.code === 7);
    await assert.rejects(link.call('fail', 'unknown'), (error) => {
      assert.ok(error instanceof ErrorOfThread);
      assert.equal(error.message, 'out of range');
      assert.match(error.stack ?? '', /RangeError/);
      return true;
    });
    await assert.rejects(link.call('fail', 'uncloneable'), /could not be cloned/);
  });

  it('refuses a call whose argument cannot be copied, and waits for no answer to it', async () => {
    const link = connected();
    const answered = link.call('add', [1]);
    await assert.rejects(
      link.call('take', () => {}),
      { name: 'DataCloneError' },
    );
    assert.equal(link.waitingCount, 1);
    assert.equal(await answered, 1);
    assert.equal(link.waitingCount, 0);
  });

  it('hands an abort over, also one that came before the call', async () => {
    const link = connected();
    const controller = new AbortController();
    const waiting = link.call('wait', undefined, controller.signal);
    controller.abort();
    assert.equal(await waiting, 'aborted');
  });

  it('notifies in the order of the calls, without an answer', async () => {
    const notes: string[] = [];
    const link = connected(notes);
    link.notify('note', 'a');
    link.notify('note', 'b');
    await link.call('add', []);
    assert.deepEqual(notes, ['a', 'b']);
  });

  it('refuses what waits and what comes when the other side is gone', async () => {
    const link = connected();
    const waiting = link.call('wait', undefined);
    link.end(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    await assert.rejects(link.call('add', []), /gone/);
    link.notify('note', 'nobody gets this');
  });
});
