// Checks the lifecycle of a real thread: its start, its requests, and its end, which settles every request once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { isMainThread, type Worker } from 'node:worker_threads';
import { UnderWay } from '../under-way.js';
import { serveThread } from './serve-thread.js';
import { ownMemoryOf, type ThreadEnded, type ThreadStart, WorkerThread } from './worker-thread.js';

interface Settings {
  /** The way in which the thread fails at its start or when it is closed. */
  readonly fails?: 'at its start' | 'at its end';
}

/** What the thread does with a request. */
interface Request {
  readonly id: number;
  readonly does:
    | 'answer'
    | 'throw'
    | 'throw later'
    | 'exit'
    | 'eat'
    | 'wait'
    | 'stay silent'
    | 'take the rest'
    | 'length';
  readonly bytes?: Uint8Array;
}

interface Reply {
  readonly id: number;
  readonly result: unknown;
}

const endings: readonly (readonly [does: Request['does'], problem: RegExp, hasCause: boolean])[] = [
  ['throw', /^the thread under test ended: the request failed$/, true],
  ['throw later', /^the thread under test ended: the request failed later$/, true],
  ['exit', /^the thread under test ended with code 3$/, false],
  ['eat', /^the thread under test ended: .*memory/, true],
];

if (isMainThread) {
  describe('a worker thread', { timeout: 60_000 }, () => {
    it('answers requests in order, and moves memory', async () => {
      const { thread, ask, ended } = start();
      await thread.ready;
      assert.ok(thread.isReady);
      assert.deepEqual(await Promise.all([ask('answer'), ask('answer')]), [1, 2]);
      const bytes = new Uint8Array(5);
      assert.equal(await ask('length', bytes), 5);
      assert.equal(bytes.length, 0);
      const none = new Uint8Array(0);
      assert.deepEqual(ownMemoryOf(none), []);
      assert.deepEqual([await ask('length', none), await ask('length', none)], [0, 0]);
      assert.deepEqual(ended, []);
      await thread.close();
    });

    it('may take requests that wait together with one it has received', async () => {
      const { thread, ask } = start();
      const asked = ['wait', 'take the rest', 'answer', 'answer'] as const;
      const results = asked.map((does) => ask(does));
      const closed = thread.close();
      assert.deepEqual((await Promise.all(results)).slice(1), [[2, 3, 4], 3, 4]);
      await closed;
    });

    for (const [does, problem, hasCause] of endings) {
      it(`that ends by "${does}" settles what is under way once, with one kind of error`, async () => {
        const { thread, ask, ended } = start({}, { maxOldGenerationSizeMb: 16 });
        assert.equal(await ask('answer'), 1);
        const lost = await Promise.allSettled([ask(does), ask('stay silent')]);
        assert.equal(ended.length, 1);
        const [end] = ended;
        assert.ok(end !== undefined);
        for (const result of lost) assert.deepEqual(result, { status: 'rejected', reason: end });
        assert.match(end.message, problem);
        assert.deepEqual(
          [end.wasAsked, end.cause !== undefined, end.isOutOfMemory],
          [false, hasCause, does === 'eat'],
        );
        thread.post({ id: 100, does: 'answer' }); // it is dropped
        await thread.close();
        assert.equal(ended.length, 1);
      });
    }

    it('that does not end in time is stopped, and what is under way is settled', async () => {
      const { thread, ask, ended } = start();
      await thread.ready;
      const lost = Promise.allSettled([ask('wait'), ask('answer')]);
      await thread.close(1);
      assert.deepEqual(
        (await lost).map((result) => result.status === 'rejected' && result.reason),
        [ended[0], ended[0]],
      );
    });

    it('finishes what was posted before it is closed, and nothing is lost', async () => {
      const { thread, ask, ended } = start();
      const results = Promise.all(Array.from({ length: 100 }, () => ask('answer')));
      await thread.close();
      assert.equal((await results).length, 100);
      assert.deepEqual(
        ended.map(({ message, wasAsked }) => [message, wasAsked]),
        [['the thread under test ended with code 0', true]],
      );
    });

    it('that fails at its start is never ready', async () => {
      const { thread, ask, ended } = start({ fails: 'at its start' });
      const lost = ask('answer');
      await assert.rejects(thread.ready, /the thread under test ended: there is nothing to open/);
      await assert.rejects(lost, ended[0]);
      assert.ok(!thread.isReady);
      await thread.close();
    });

    it('that fails while it is closed gives the reason', async () => {
      const { thread, ended } = start({ fails: 'at its end' });
      await thread.close();
      const [end] = ended;
      assert.ok(end?.wasAsked);
      assert.match(String(end.cause), /it cannot be closed/);
    });

    it('that ended before it has a listener reports its end immediately', async () => {
      const made = once(process, 'worker');
      const thread = new WorkerThread<Request, Reply>(startOf({ fails: 'at its start' }));
      const [worker]: Worker[] = await made;
      assert.ok(worker !== undefined);
      await assert.rejects(thread.ready);
      const ended: ThreadEnded[] = [];
      thread.listen({ onReply: () => assert.fail(), onEnd: (end) => void ended.push(end) });
      assert.equal(ended.length, 1);
      await thread.close();
      assert.equal(ended.length, 1);
    });
  });
} else {
  serveThread<Settings, Request, Reply>(({ fails }, owner) => {
    if (fails === 'at its start') throw new Error('there is nothing to open');
    const serve = ({ id, does, bytes }: Request) => {
      switch (does) {
        case 'answer':
          owner.post({ id, result: id });
          return;
        case 'length':
          owner.post({ id, result: bytes?.length });
          return;
        case 'take the rest': {
          const waiting = [...owner.takeWaiting()];
          owner.post({ id, result: [id, ...waiting.map((request) => request.id)] });
          for (const request of waiting) serve(request);
          return;
        }
        case 'throw':
          throw new Error('the request failed');
        case 'throw later':
          setImmediate(() => {
            throw new Error('the request failed later');
          });
          return;
        case 'exit':
          endThread(3);
          return;
        case 'eat':
          eat();
          return;
        case 'stay silent':
          return;
        case 'wait':
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
          owner.post({ id, result: null });
      }
    };
    return {
      receive: serve,
      close: () => {
        if (fails === 'at its end') throw new Error('it cannot be closed');
      },
    };
  });
}

function endThread(code: number): void {
  process.exit(code); // ends only the calling thread
}

function eat(): void {
  const eaten: unknown[] = [];
  for (;;) eaten.push(Array.from({ length: 1000 }, () => ({})));
}

function startOf(settings: Settings): ThreadStart {
  return { name: 'the thread under test', module: new URL(import.meta.url), settings };
}

/** A thread whose owner records the requests under way, as real owners do. */
function start(settings: Settings = {}, resourceLimits = {}) {
  const thread = new WorkerThread<Request, Reply>({ ...startOf(settings), resourceLimits });
  const underWay = new UnderWay<{
    readonly resolve: (result: unknown) => void;
    readonly reject: (error: Error) => void;
  }>();
  const ended: ThreadEnded[] = [];
  thread.listen({
    onReply: ({ id, result }) => underWay.take(id)?.resolve(result),
    onEnd: (end) => {
      ended.push(end);
      for (const { reject } of underWay.takeAll()) reject(end);
    },
  });
  const ask = (does: Request['does'], bytes?: Uint8Array) =>
    new Promise<unknown>((resolve, reject) => {
      const id = underWay.add({ resolve, reject });
      if (bytes === undefined) thread.post({ id, does });
      else thread.post({ id, does, bytes }, ownMemoryOf(bytes));
    });
  return { thread, ask, ended };
}
