// Checks which entries the delivery log keeps and how it is searched, with a test clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { doSteps } from '../../foundation/threads/long-work.js';
import { Store } from '../store/store.js';
import { DeliveryLog, type DeliveryRange, type NewDeliveryEntry } from './delivery-log.js';
import { notificationMigrations } from './notification-tables.js';

const dayMs = 86_400_000;

const entry: NewDeliveryEntry = {
  outcome: 'sent',
  reason: '',
  status: 'event',
  notice_id: null,
  channel_id: 'c',
  channel: 'webhook',
  alert_id: null,
  alert_rule_id: null,
  rule: null,
  node: null,
  attempts: 1,
};

function openLog(now: { wallMs: number; monotonicMs: number }) {
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of notificationMigrations) database.exec(sql);
  const store = new Store(database, createLogger('silent'));
  const log = new DeliveryLog(store, { nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs });
  return { log, store };
}

describe('the delivery log', () => {
  it('forgets what is older than 30 days, but nothing for a clock that jumped', () => {
    const now = { wallMs: 20_000 * dayMs, monotonicMs: 0 };
    const { log } = openLog(now);
    const pruned = (passedMs: number, jumpMs = 0) => {
      now.wallMs += passedMs + jumpMs;
      now.monotonicMs += passedMs;
      log.prune();
      return doSteps(log.search('a', { count: 10 })).length;
    };
    log.append('a', entry);
    assert.equal(pruned(29 * dayMs), 1);
    log.append('a', entry);
    assert.equal(pruned(60_000, 1000 * dayMs), 2);
    assert.equal(pruned(60_000), 2);
    assert.equal(pruned(60_000, -1000 * dayMs), 2);
    assert.equal(pruned(dayMs), 1);
  });

  it('is searched in steps, newest first, from a time on, by channel and alert', () => {
    const { log } = openLog({ wallMs: 20_000 * dayMs, monotonicMs: 0 });
    for (let at = 0; at < 6000; at += 1) {
      const parts = {
        reason: String(at),
        channel_id: `c${at % 2}`,
        alert_id: at % 3000 === 5 ? 'rare' : 'often',
      };
      log.append(at % 3 === 2 ? 'b' : 'a', { ...entry, ...parts });
    }
    const found = (range: DeliveryRange) => {
      const walk = log.search('a', range);
      for (let steps = 0; ; steps += 1) {
        const step = walk.next();
        if (step.done === true) return { steps, places: step.value.map(({ reason }) => Number(reason)) };
      }
    };
    const all = Array.from({ length: 6000 }, (_, at) => 5999 - at).filter((at) => at % 3 !== 2);
    assert.deepEqual(found({ count: 10_000 }), { steps: 4, places: all });
    assert.deepEqual(found({ count: 1500 }), { steps: 2, places: all.slice(0, 1500) });
    assert.deepEqual(found({ count: 5, alertId: 'none' }), { steps: 4, places: [] });
    assert.deepEqual(found({ count: 1, alertId: 'often' }), { steps: 1, places: [5998] });
    const ofChannel = all.filter((at) => at % 2 === 1);
    assert.deepEqual(found({ count: 10_000, channelId: 'c1' }), { steps: 4, places: ofChannel });
    const [, fromUs] = doSteps(log.search('a', { count: 2 })).map(({ time }) => Number(time));
    assert.deepEqual(found({ count: 3, fromUs }).places, all.slice(1, 4));
  });

  it('continues at the next start, and keeps the entries of a new cluster of the id', () => {
    const now = { wallMs: 20_000 * dayMs, monotonicMs: 0 };
    const { log, store } = openLog(now);
    for (let at = 0; at < 5000; at += 1) log.append('a', { ...entry, reason: String(at) });
    log.forgetCluster('a');
    log.append('a', { ...entry, reason: 'new' });
    log.tick();
    const next = new DeliveryLog(store, { nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs });
    const left = () => doSteps(next.search('a', { count: 10 })).map(({ reason }) => reason);
    assert.deepEqual(left(), ['new']);
    for (let tick = 0; tick < 3; tick += 1) next.tick();
    const sql = 'SELECT count(*) AS n FROM deliveries UNION ALL SELECT count(*) FROM removed_deliveries';
    assert.deepEqual(
      store.read((database) => database.statement(sql).all()).map(({ n }) => n),
      [1, 0],
    );
    assert.deepEqual(left(), ['new']);
  });

  it('forgets a removed cluster at once, and deletes its entries in portions, but none of a new one', () => {
    const { log, store } = openLog({ wallMs: 20_000 * dayMs, monotonicMs: 0 });
    for (let at = 0; at < 5000; at += 1)
      log.append(at % 2 === 0 ? 'a' : 'b', { ...entry, reason: String(at) });
    const stored = () =>
      store.read((database) => database.statement('SELECT count(*) AS n FROM deliveries').get())?.['n'];
    log.forgetCluster('a');
    assert.deepEqual(doSteps(log.search('a', { count: 10 })), []);
    log.append('a', { ...entry, reason: 'new' });
    const left = () => doSteps(log.search('a', { count: 10 })).map(({ reason }) => reason);
    assert.deepEqual(left(), ['new']);
    const counts = [stored()];
    for (let tick = 0; tick < 3; tick += 1) {
      log.tick();
      counts.push(stored());
    }
    assert.deepEqual(counts, [5001, 3001, 2501, 2501]);
    assert.deepEqual(left(), ['new']);
    assert.equal(doSteps(log.search('b', { count: 10_000 })).length, 2500);
  });
});
