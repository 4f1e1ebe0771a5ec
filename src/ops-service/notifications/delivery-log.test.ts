// Checks which entries the delivery log keeps, with a test clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { Store } from '../store/store.js';
import { DeliveryLog } from './delivery-log.js';
import { notificationMigrations } from './notification-tables.js';

const dayMs = 86_400_000;

describe('the delivery log', () => {
  it('forgets what is older than 30 days, but nothing for a clock that jumped', () => {
    const now = { wallMs: 20_000 * dayMs, monotonicMs: 0 };
    const database = openDatabase({ path: ':memory:' });
    for (const { sql } of notificationMigrations) database.exec(sql);
    const store = new Store(database, createLogger('silent'));
    const log = new DeliveryLog(store, { nowMs: () => now.wallMs, monotonicMs: () => now.monotonicMs });
    const append = () =>
      log.append('a', {
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
      });
    const pruned = (passedMs: number, jumpMs = 0) => {
      now.wallMs += passedMs + jumpMs;
      now.monotonicMs += passedMs;
      log.prune();
      return log.read('a', { count: 10 }).length;
    };
    append();
    assert.equal(pruned(29 * dayMs), 1);
    append();
    assert.equal(pruned(60_000, 1000 * dayMs), 2);
    assert.equal(pruned(60_000), 2);
    assert.equal(pruned(60_000, -1000 * dayMs), 2);
    assert.equal(pruned(dayMs), 1);
  });
});
