// Checks when an outage of the storage of this server begins and ends, with a simulated clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppendEvent } from '../events/event.js';
import { StorageWatch } from './storage-watch.js';

const full = 'rows cannot be written: the disk is full';

/** A watch, its events and the seconds that go by. */
function watched() {
  let now = 0;
  const events: string[] = [];
  const appendEvent: AppendEvent = (clusterId, { action, level, message, sourceNode }) => {
    events.push(`${clusterId} ${sourceNode} ${action} ${level}: ${message}`);
    return {} as ReturnType<AppendEvent>; // not used
  };
  const watch = new StorageWatch('a', { nowMs: () => now, monotonicMs: () => now }, appendEvent);
  const pass = (seconds: number) => {
    for (let at = 0; at < seconds; at += 1) {
      now += 1000;
      watch.tick();
    }
  };
  return { watch, events, pass };
}

describe('the watch of the storage', () => {
  it('records when an outage begins and ends', () => {
    const { watch, events, pass } = watched();
    pass(5);
    assert.equal(watch.downSinceMs, undefined);
    watch.note(full);
    pass(60);
    assert.deepEqual(events, [`local a nodeDown CRITICAL: node a is down: ${full}`]);
    assert.equal(watch.downSinceMs, 6000);
    watch.note(undefined);
    pass(8);
    assert.equal(watch.downSinceMs, 6000);
    pass(2);
    assert.deepEqual(events.slice(1), ['local a nodeUp INFO: node a is up: its storage works again']);
    assert.equal(watch.downSinceMs, undefined);
  });

  it('records one outage where some writes fail and others succeed', () => {
    const { watch, events, pass } = watched();
    for (let at = 0; at < 100; at += 1) {
      watch.note(full);
      if (at % 7 === 0) pass(1);
      watch.note(undefined);
      if (at % 3 === 0) pass(1);
    }
    assert.equal(events.length, 1);
    pass(10);
    assert.equal(events.length, 2);
  });

  it('records no problem that is over at the next tick', () => {
    const { watch, events, pass } = watched();
    watch.note(full);
    watch.note(undefined);
    pass(20);
    assert.deepEqual(events, []);
  });

  it('records one outage although its reason changes', () => {
    const { watch, events, pass } = watched();
    for (const problem of ['connect ECONNREFUSED', 'no node answers']) {
      watch.note(problem);
      pass(2);
    }
    assert.equal(events.length, 1);
  });
});
