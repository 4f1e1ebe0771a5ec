// Checks which changes of alerts are remembered.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AppendedEvent } from '../events/event.js';
import type { EventListener } from '../events/event-listeners.js';
import { RecentChanges } from './recent-changes.js';

it('remembers the latest changes of each cluster, and returns them in parts', () => {
  const listeners: EventListener[] = [];
  const subscribe = (listener: EventListener) => {
    listeners.push(listener);
    return () => {};
  };
  const changes = new RecentChanges({ subscribe }, 10);
  const append = (clusterId: string, time: number, change: object | undefined) => {
    // The event has only the members that are used.
    const appended = { clusterId, event: { time: String(time) }, change } as AppendedEvent;
    for (const listener of listeners) listener(appended);
  };
  for (let time = 1; time <= 100; time += 1) append(time % 2 === 0 ? 'even' : 'odd', time, {});
  append('odd', 101, undefined);
  const after = (cluster: string, time: number, count: number) =>
    changes.after(cluster, time, count).map(({ event }) => Number(event.time));
  assert.deepEqual(after('even', 95, 10), [96, 98, 100]);
  assert.deepEqual(after('odd', 95, 1), [97]);
  assert.deepEqual(after('odd', 99, 10), [], 'an event without a change is not remembered');
  const all = [...after('even', 0, 1000), ...after('odd', 0, 1000)];
  assert.ok(all.length >= 10 && all.length < 20, `${all.length} are remembered`);
});
