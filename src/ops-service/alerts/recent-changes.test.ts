// Checks what is remembered of changes of alerts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AlertChange } from './alert.js';
import { RecentChanges } from './recent-changes.js';

it('remembers the latest changes, each cluster for itself, and reads them in parts', () => {
  let tell: (change: AlertChange) => void = () => {};
  const subscribe = (listener: typeof tell) => {
    tell = listener;
    return () => {};
  };
  const changes = new RecentChanges({ subscribe }, 10);
  // Only what is looked at.
  for (let time = 1; time <= 100; time += 1)
    tell({ clusterId: time % 2 === 0 ? 'even' : 'odd', event: { time: String(time) } } as AlertChange);
  const after = (cluster: string, time: number, count: number) =>
    changes.after(cluster, time, count).map(({ event }) => Number(event.time));
  assert.deepEqual(after('even', 95, 10), [96, 98, 100]);
  assert.deepEqual(after('odd', 95, 1), [97]);
  assert.deepEqual(after('odd', 99, 10), []);
  const all = [...after('even', 0, 1000), ...after('odd', 0, 1000)];
  assert.ok(all.length >= 10 && all.length < 20, `${all.length} are remembered`);
});
