// Checks that many alerts, events and channels at once are worked through in portions, and that nothing gets lost.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { caller, Trial } from './pipeline-trial.js';

let trial: Trial;
beforeEach(() => {
  trial = new Trial();
});
afterEach(() => {
  trial.store.flush();
  trial.database.close();
});

const never = () => new Promise<number>(() => {});
const url = (at: number) => `http://receiver.example/${at}`;
const addEvent = (message: string) =>
  void trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message });
const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);

function addChannels(count: number): string[] {
  return Array.from({ length: count }, (_, at) => trial.channel({ url: url(at) }));
}

/** Runs the work, and gives the largest change of a number in one turn of the event loop until all has come to rest. */
async function largestStep(work: () => void, measure: () => number): Promise<number> {
  let last = measure();
  let largest = 0;
  let isDone = false;
  const look = () => {
    largest = Math.max(largest, Math.abs(measure() - last));
    last = measure();
    if (!isDone) setImmediate(look);
  };
  work();
  look();
  await trial.settle();
  await nextTurn();
  isDone = true;
  return largest;
}

/** The process ends in the middle of its work. */
function crash(): void {
  void trial.notifications.close();
  trial.restart();
}

/** How often each notice arrived, by receiver. */
function arrivals(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { url: to, notice } of trial.received) {
    const key = `${to} ${notice.status} ${notice.alert?.id ?? notice.message}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe('many alerts for many channels', () => {
  it('are queued in portions when they fire at once', async () => {
    addChannels(20);
    trial.behaviour = () => 'refused';
    const queued = () => trial.notifications.pipeline.queuedCount;
    const largest = await largestStep(() => {
      for (const id of names(200)) trial.change('fired', id);
    }, queued);
    assert.equal(queued(), 4000);
    assert.ok(largest <= 300, `${largest} notices in one turn`);
  });

  it('are queued in short portions when each of them takes long', async () => {
    addChannels(1);
    trial.behaviour = never;
    await trial.settle();
    trial.msPerLook = 1;
    const queued = () => trial.notifications.pipeline.queuedCount;
    let isDone = false;
    let largest = 0;
    let turns = 0;
    const look = (before: number) => {
      largest = Math.max(largest, queued() - before);
      turns += 1;
      if (!isDone) setImmediate(look, queued());
    };
    trial.notedWork = 0;
    for (const id of names(100)) trial.change('fired', id);
    look(0);
    while (queued() < 100) await nextTurn();
    isDone = true;
    assert.ok(largest <= 10, `${largest} notices in one turn`);
    assert.ok(trial.notedWork >= turns - 2, `work was noted ${trial.notedWork} times in ${turns} turns`);
  });

  it('reach every channel once, in order, when the process ends between two portions', async () => {
    addChannels(10);
    trial.behaviour = never;
    for (const id of names(200)) trial.change('fired', id);
    await nextTurn();
    const queued = trial.notifications.pipeline.queuedCount;
    assert.ok(queued > 0 && queued < 2000, `${queued} of 2000 notices are queued`);
    crash();
    trial.behaviour = () => 200;
    await trial.pass(3);
    const counts = arrivals();
    assert.equal(counts.size, 2000);
    assert.ok([...counts.values()].every((count) => count === 1));
    const first = trial.received.filter((one) => one.url === url(0)).map(({ notice }) => notice.alert?.id);
    assert.deepEqual(first, names(200));
    for (const id of names(200)) trial.change('cleared', id);
    crash();
    trial.received = [];
    await trial.pass(3);
    assert.equal(arrivals().size, 2000, 'and their ends');
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
  });

  it('are looked through in portions every second, and all of them', async () => {
    for (let at = 0; at < 50; at += 1) trial.channel({ url: url(at), rules: ['another'] });
    for (const id of names(400)) trial.change('fired', id);
    await trial.settle();
    let looks = 0;
    trial.rules.get = () => {
      looks += 1;
      return undefined;
    };
    const largest = await largestStep(
      () => trial.notifications.tick(),
      () => looks,
    );
    assert.equal(looks, 400);
    assert.ok(largest <= 110, `${largest} alerts in one turn`);
  });
});

describe('many events at once', () => {
  it('are notified in portions and in order, also over an end of the process', async () => {
    for (let at = 0; at < 10; at += 1) trial.channel({ url: url(at), events: true });
    await trial.settle();
    trial.received = [];
    trial.behaviour = never;
    const messages = Array.from({ length: 200 }, (_, at) => `event ${at}`);
    for (const message of messages) {
      trial.events.append('local', { action: 'schemaChanged', level: 'INFO', message });
    }
    const queued = trial.notifications.pipeline.queuedCount;
    assert.ok(queued > 0 && queued < 300, `${queued} notices in one turn`);
    crash();
    trial.behaviour = () => 200;
    await trial.pass(3);
    const counts = arrivals();
    assert.equal(counts.size, 2000);
    assert.ok([...counts.values()].every((count) => count === 1));
    const first = trial.received.filter((one) => one.url === url(0)).map(({ notice }) => notice.message);
    assert.deepEqual(first, messages);
  });
});

describe('channels that join', () => {
  it('begin few messages of many notices in one turn', async () => {
    for (let at = 0; at < 20; at += 1) trial.channel({ type: 'slack', url: url(at) });
    for (const id of names(99)) trial.change('fired', id);
    await trial.settle();
    const tried = () => trial.tried;
    const largest = await largestStep(() => {
      trial.nowMs += 6000;
      trial.notifications.tick();
    }, tried);
    assert.equal(tried(), 20);
    assert.ok(largest <= 4, `${largest} messages in one turn`);
  });
});

describe('a channel that is changed', () => {
  it('gets what it refused in portions', async () => {
    const [id = ''] = addChannels(1);
    trial.behaviour = () => 400;
    for (const name of names(1000)) trial.change('fired', name);
    await trial.settle();
    trial.behaviour = never;
    const failed = () => {
      const like = `SELECT count(*) AS n FROM followed_alerts WHERE body LIKE '%"hasFailed":true%'`;
      return Number(trial.database.statement(like).get()?.['n']);
    };
    assert.equal(failed(), 1000);
    let last = 1000;
    let largest = 0;
    trial.notifications.channels.change('local', id, { name: 'new' }, caller);
    while (last > 0) {
      await nextTurn();
      largest = Math.max(largest, last - failed());
      last = failed();
    }
    assert.ok(largest <= 300, `${largest} alerts in one turn`);
  });

  for (const [what, change] of [
    ['', (id: string) => trial.notifications.channels.change('local', id, { name: 'new' }, caller)],
    [', also when only its receiver is back', () => addEvent('one more')],
  ] as const) {
    it(`gets what waits in portions${what}`, async () => {
      const id = trial.channel({ url: url(0), events: true });
      await trial.settle();
      trial.behaviour = () => 'refused';
      for (const message of names(500)) addEvent(message);
      await trial.settle();
      assert.equal(trial.notifications.pipeline.queuedCount, 500);
      trial.behaviour = () => 200;
      trial.msPerLook = 1;
      trial.notedWork = 0;
      change(id);
      await trial.settle();
      assert.ok(trial.notedWork >= 40, `${trial.notedWork} turns`);
      assert.equal(trial.notifications.pipeline.queuedCount, 0);
    });
  }
});

describe('a cluster that is removed', () => {
  const rows = () => trial.database.statement('SELECT count(*) AS n FROM followed_alerts').get()?.['n'];

  it('is forgotten in portions', async () => {
    for (const name of names(500)) trial.change('fired', name);
    await trial.settle();
    assert.equal(rows(), 500);
    trial.msPerLook = 1;
    trial.notedWork = 0;
    trial.notifications.forgetCluster('local');
    await trial.settle();
    assert.ok(trial.notedWork >= 40, `${trial.notedWork} turns`);
    assert.equal(rows(), 0);
  });

  it('is forgotten also when the process ends between two portions', async () => {
    for (const name of names(500)) trial.change('fired', name);
    await trial.settle();
    trial.notifications.forgetCluster('local');
    crash();
    addChannels(1);
    await trial.pass(1);
    assert.deepEqual(trial.take(), []);
    assert.equal(rows(), 0);
  });
});

describe('a channel in which much waits', () => {
  const setUp = async () => {
    const [id = ''] = addChannels(1);
    trial.behaviour = () => 'refused';
    for (const name of names(1000)) trial.change('fired', name);
    await trial.settle();
    return id;
  };
  const queued = () => trial.notifications.pipeline.queuedCount;

  it('drops its notices in portions when it is removed, also over an end of the process', async () => {
    const id = await setUp();
    const largest = await largestStep(() => trial.notifications.channels.remove('local', id, caller), queued);
    assert.equal(queued(), 0);
    assert.ok(largest <= 400, `${largest} notices in one turn`);
    const other = await setUp();
    trial.notifications.channels.remove('local', other, caller);
    assert.ok(queued() > 0);
    crash();
    await trial.pass(1);
    assert.equal(queued(), 0);
    for (const name of names(1000)) trial.change('cleared', name);
    await trial.settle();
    const row = trial.database.statement('SELECT count(*) AS n FROM followed_alerts').get();
    assert.equal(row?.['n'], 0);
  });

  it('loses what is too old in portions', async () => {
    const [id = ''] = addChannels(1);
    for (const name of names(1000)) trial.change('fired', name);
    await trial.settle();
    trial.behaviour = () => 'refused';
    for (const name of names(1000)) trial.change('cleared', name);
    await trial.settle();
    assert.equal(queued(), 1000);
    trial.nowMs += 25 * 3_600_000;
    const largest = await largestStep(() => trial.notifications.tick(), queued);
    assert.equal(queued(), 0, id);
    assert.ok(largest <= 400, `${largest} notices in one turn`);
  });
});
