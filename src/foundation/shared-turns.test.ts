// Kinds of work share the event loop, with a clock that only their items advance.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedTurns, turnsForWork } from './shared-turns.js';

/** A clock, turns that use it, and kinds of work without end. */
function open() {
  const now = { ms: 1000 };
  const turns = new SharedTurns({ nowMs: () => 0, monotonicMs: () => now.ms });
  /** Items of equal duration. Late ones do their work in promises. */
  const addWork = (itemMs: number, { isLate = false, weight = 1 } = {}) => {
    let untilMs = 0;
    let finish = (): void => {};
    const work = {
      usedMs: 0,
      /** An item arrives, at the end of its own work. */
      arrive: (ms: number) => {
        now.ms += ms;
        work.usedMs += ms;
        share.arrive();
      },
      /** Resolves when the clock has reached this time. */
      runUntil: (ms: number) => {
        untilMs = ms;
        share.wake();
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    };
    const doItem = () => {
      now.ms += itemMs;
      work.usedMs += itemMs;
    };
    const share = turns.share((mayGoOn) => {
      do {
        if (isLate) queueMicrotask(() => queueMicrotask(doItem));
        else doItem();
      } while (mayGoOn());
      if (now.ms < untilMs) return true;
      finish();
      return false;
    }, weight);
    return work;
  };
  return { now, turns, addWork };
}

function assertSimilar(leftMs: number, rightMs: number): void {
  assert.ok(Math.abs(leftMs - rightMs) < 30, `${leftMs} and ${rightMs}`);
}

describe('kinds of work that share turns', () => {
  it('continue when the thread is repeatedly stopped for longer than a turn', async () => {
    let nowMs = 0;
    const monotonicMs = () => {
      nowMs += 1000;
      return nowMs;
    };
    const turns = new SharedTurns({ nowMs: () => 0, monotonicMs });
    let left = 3;
    await new Promise<void>((resolve) => {
      const share = turns.share(() => {
        left -= 1;
        if (left === 0) resolve();
        return left > 0;
      });
      share.wake();
    });
    assert.equal(left, 0);
  });

  const cases = [
    { name: 'short and long items', left: 0.02, right: 1.7, isLate: false },
    { name: 'items whose work is done later, in promises', left: 0.05, right: 0.4, isLate: true },
  ];
  for (const { name, left, right, isLate } of cases) {
    it(`get the same time: ${name}`, async () => {
      const { addWork } = open();
      const [first, second] = [addWork(left, { isLate }), addWork(right, { isLate })];
      await Promise.all([first.runUntil(1500), second.runUntil(1500)]);
      assertSimilar(first.usedMs, second.usedMs);
    });
  }

  it('are charged with what their items cost when they come in', async () => {
    const { now, addWork } = open();
    const [first, second] = [addWork(0.1), addWork(0.1)];
    const receive = () => {
      for (let item = 0; item < 5; item += 1) first.arrive(0.06);
      second.arrive(0.1);
      if (now.ms < 1500) setImmediate(receive);
    };
    setImmediate(receive);
    await Promise.all([first.runUntil(1500), second.runUntil(1500)]);
    assertSimilar(first.usedMs, second.usedMs);
  });

  it('are charged little for what else was read before an item came in', async () => {
    const { now, addWork } = open();
    const [first, second] = [addWork(0.1), addWork(0.1)];
    const receive = () => {
      now.ms += 10;
      first.arrive(0.1);
      if (now.ms < 2500) setImmediate(receive);
    };
    setImmediate(receive);
    await Promise.all([first.runUntil(2500), second.runUntil(2500)]);
    assertSimilar(first.usedMs, second.usedMs);
  });

  it('let the event loop continue after some milliseconds, and leave no time unused', async () => {
    const { now, addWork } = open();
    const turnsAtMs: number[] = [];
    const look = () => {
      turnsAtMs.push(now.ms);
      if (now.ms < 1300) setImmediate(look);
    };
    setImmediate(look);
    await addWork(0.1).runUntil(1300);
    const lengths = turnsAtMs.slice(1).map((ms, at) => ms - (turnsAtMs[at] ?? 0));
    assert.ok(lengths.length > 10 && lengths.every((ms) => ms > 19.9 && ms < 21.2), lengths.join(' '));
  });

  it('get time in proportion to their weights', async () => {
    const { addWork } = open();
    const [light, heavy] = [addWork(0.1), addWork(0.1, { weight: 2 })];
    await Promise.all([light.runUntil(1900), heavy.runUntil(1900)]);
    assertSimilar(light.usedMs, 2 * heavy.usedMs);
  });

  it('end a turn early when only those that are ahead have work, to let the items of the others come in', async () => {
    const { now, turns, addWork } = open();
    let itemsLeft = 0;
    let turnsOfReads = 0;
    const reads = turns.share(() => {
      now.ms += 0.1;
      itemsLeft -= 1;
      return itemsLeft > 0;
    });
    const receive = () => {
      turnsOfReads += 1;
      itemsLeft = 20;
      reads.wake();
      if (now.ms < 1500) setImmediate(receive);
    };
    setImmediate(receive);
    await addWork(0.1).runUntil(1500);
    assert.ok(turnsOfReads > 500 / 5, `${turnsOfReads} turns in 500 ms`); // half of the time, in turns of 2 ms, is 125
  });

  it('do not wait for long where other work is taken for theirs', async () => {
    const { now, addWork } = open();
    const [charged, busy] = [addWork(0.1), addWork(0.1)];
    const done = busy.runUntil(4000);
    await new Promise((resolve) => setImmediate(resolve));
    charged.arrive(1500);
    const beganMs = now.ms;
    await charged.runUntil(now.ms); // one item
    assert.ok(now.ms - beganMs < 60, `it waited ${now.ms - beganMs} ms`);
    await done;
  });

  it('do not make up for long stretches in which they had nothing to do', async () => {
    const { addWork } = open();
    const [first, second] = [addWork(0.1), addWork(0.1)];
    await first.runUntil(1200);
    const beforeMs = first.usedMs;
    await Promise.all([first.runUntil(1400), second.runUntil(1400)]);
    assertSimilar(first.usedMs - beforeMs, second.usedMs);
  });

  it('let in connections that come at once, of which each turn of the event loop accepts one', async () => {
    const { now, turns, addWork } = open();
    let waiting = 40;
    const accept = () => {
      if (waiting === 0) return;
      waiting -= 1;
      now.ms += 0.05;
      turns.noteConnection();
      if (waiting === 0) acceptedAtMs = now.ms;
      setImmediate(accept);
    };
    let acceptedAtMs = Number.POSITIVE_INFINITY;
    setImmediate(accept);
    await addWork(0.1).runUntil(1100);
    assert.ok(acceptedAtMs < 1010, `${acceptedAtMs}`);
  });

  it('keep their share while connections bring much input that belongs to no kind', async () => {
    const { now, turns, addWork } = open();
    const work = addWork(0.1);
    const accept = () => {
      now.ms += 3;
      work.arrive(0.1);
      turns.noteConnection();
      if (now.ms < 1500) setImmediate(accept);
    };
    setImmediate(accept);
    await work.runUntil(1500);
    assert.ok(work.usedMs > 500 / 3, `${work.usedMs} of 500 ms`);
  });
});

describe('work that waits for its turn', () => {
  it('is done in its order, and in one turn of the event loop no more than fits into it', async () => {
    const { now, turns } = open();
    const runInTurn = turnsForWork(turns);
    const done: { readonly piece: number; readonly turn: number }[] = [];
    let turn = 0;
    const look = () => {
      turn += 1;
      if (done.length < 6) setImmediate(look);
    };
    setImmediate(look);
    const pieces = [0, 1, 2, 3, 4, 5];
    await Promise.all(
      pieces.map((piece) =>
        runInTurn(async () => {
          now.ms += 15;
          done.push({ piece, turn });
        }),
      ),
    );
    assert.deepEqual(
      done.map(({ piece }) => piece),
      pieces,
    );
    for (const each of done) assert.ok(done.filter((other) => other.turn === each.turn).length <= 2);
  });

  it('gives what it gives, and fails as it fails', async () => {
    const runInTurn = turnsForWork(open().turns);
    assert.equal(await runInTurn(async () => 7), 7);
    await assert.rejects(
      runInTurn(async () => {
        throw new Error('no');
      }),
      /no/,
    );
  });
});
