// Checks requests for several nodes: one after another or all at once, how many there are, and what survives a crash.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import type { NodeAction, NodeActionOutcome } from '../clusters/cluster.js';
import type { Event, NewEvent } from '../events/event.js';
import { Store } from '../store/store.js';
import type { ActionTask } from './action-request.js';
import { RequestQueue } from './request-queue.js';
import { actionMigrations } from './request-store.js';

const logger = createLogger('silent');
const caller = { user: 'ann', address: '127.0.0.1' };
const rolling: ActionTask = {
  action: 'flush',
  keyspace: 'shop',
  tables: [],
  nodes: ['a', 'b', 'c'],
  isRolling: true,
  sleepSeconds: 60,
};

function startTrial() {
  let nowMs = 0;
  let ids = 0;
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of actionMigrations) database.exec(sql);
  const started: string[] = [];
  const events: string[] = [];
  const ends = new Map<string, (outcome: NodeActionOutcome) => void>();
  const act = ({ node }: NodeAction) => {
    started.push(node);
    return new Promise<NodeActionOutcome>((resolve) => ends.set(node, resolve));
  };
  const stores: Store[] = [];
  const open = () => {
    const store = new Store(database, logger);
    stores.push(store);
    return new RequestQueue({
      store,
      clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
      logger,
      newId: () => `id-${++ids}`,
      clusters: { find: () => ({ act }) },
      appendEvent: (_: string, { message, success }: NewEvent) => {
        events.push(`${message} ${success}`);
        return {} as Event; // the queue does not use it
      },
    });
  };
  return {
    started,
    events,
    open,
    flush: () => {
      for (const store of stores) store.flush();
    },
    end: async (node: string, state: NodeActionOutcome['state'] = 'success') => {
      ends.get(node)?.({ state, detail: state });
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
}

describe('a rolling request', () => {
  it('runs on one node after another, with a pause between two', async () => {
    const trial = startTrial();
    const queue = trial.open();
    const id = queue.add('c', rolling, caller);
    assert.deepEqual(trial.started, ['a']);
    await trial.end('a');
    trial.pass(59);
    queue.tick();
    assert.deepEqual(trial.started, ['a']);
    trial.pass(1);
    queue.tick();
    assert.deepEqual(trial.started, ['a', 'b']);
    await trial.end('b');
    trial.pass(60);
    queue.tick();
    await trial.end('c');
    assert.equal(queue.get(id).state, 'success');
    assert.equal(trial.events.length, 3, 'one event for each node');
  });

  it('stops at the first node that fails', async () => {
    const trial = startTrial();
    const queue = trial.open();
    const id = queue.add('c', { ...rolling, sleepSeconds: 0 }, caller);
    await trial.end('a');
    await trial.end('b', 'error');
    queue.tick();
    assert.deepEqual(trial.started, ['a', 'b']);
    assert.deepEqual(
      queue.get(id).details.map(({ state }) => state),
      ['success', 'error', 'cancelled'],
    );
    assert.equal(queue.get(id).state, 'error');
    assert.equal(trial.events.length, 2, 'none for a node on which nothing was begun');
  });
});

describe('a request for several nodes at once', () => {
  it('runs on all of them, and fails when one does', async () => {
    const trial = startTrial();
    const queue = trial.open();
    const id = queue.add('c', { ...rolling, isRolling: false }, caller);
    assert.deepEqual(trial.started, ['a', 'b', 'c']);
    await trial.end('b', 'error');
    assert.equal(queue.get(id).state, 'running');
    await trial.end('a');
    await trial.end('c');
    assert.equal(queue.get(id).state, 'error');
  });

  it('waits only where another action runs on its node', async () => {
    const trial = startTrial();
    const queue = trial.open();
    queue.add('c', { ...rolling, nodes: ['a'] }, caller);
    queue.add('c', { ...rolling, action: 'compact', nodes: ['a', 'b'], isRolling: false }, caller);
    queue.add('other', { ...rolling, action: 'repair', nodes: ['a'] }, caller);
    assert.deepEqual(trial.started, ['a', 'b', 'a'], 'the node of another cluster is another node');
    await trial.end('a');
  });
});

describe('the requests of a cluster', () => {
  const ofTable = (name: string): ActionTask => ({ ...rolling, nodes: ['a'], tables: [name] });

  it('that have not ended are at most 100; further ones are refused with a time to wait', async () => {
    const trial = startTrial();
    const queue = trial.open();
    for (let at = 0; at < 100; at += 1) queue.add('c', ofTable(`t${at}`), caller);
    const refused = { refusal: 'TooManyRequests', retryAfterSeconds: 10 };
    assert.throws(() => queue.add('c', ofTable('more'), caller), refused);
    queue.add('other', { ...ofTable('more'), nodes: ['b'] }, caller);
    await trial.end('a');
    queue.add('c', ofTable('more'), caller);
  });

  it('are listed until there are more than 1,000 newer ones, also after a restart', async () => {
    const trial = startTrial();
    const queue = trial.open();
    const oldest = queue.add('c', ofTable('t'), caller);
    await trial.end('a');
    for (let at = 0; at < 1000; at += 1) {
      queue.add('c', ofTable('t'), caller);
      await trial.end('a');
    }
    assert.equal(queue.list('c').length, 1000);
    assert.throws(() => queue.get(oldest), { refusal: 'NotFound' });
    trial.flush();
    assert.equal(trial.open().list('c').length, 1000);
  });
});

describe('after a crash', () => {
  it('a request that had not ended is an error, with an event for each node on which it ran', () => {
    const trial = startTrial();
    const queue = trial.open();
    const id = queue.add('c', { ...rolling, isRolling: false, nodes: ['a', 'b'] }, caller);
    const queued = queue.add('c', { ...rolling, action: 'repair' }, caller);
    trial.flush();
    const after = trial.open();
    assert.equal(after.get(id).state, 'error');
    assert.equal(after.get(queued).state, 'error');
    assert.deepEqual(trial.events, [
      'flush of shop on a failed: interrupted by a restart false',
      'flush of shop on b failed: interrupted by a restart false',
      'repair of shop on a failed: interrupted by a restart false',
    ]);
    trial.flush();
    assert.equal(trial.open().list('c').length, 2);
    assert.equal(trial.events.length, 3, 'reported once');
  });
});
