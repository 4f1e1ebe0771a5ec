// Checks the event log on a real file: full disks, retention, listeners.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseFailure } from '../../foundation/sqlite/database-failure.js';
import { openDatabase } from '../../foundation/sqlite/open-database.js';
import type { Clock } from '../../foundation/telemetry/clock.js';
import { createLogger } from '../../foundation/telemetry/logger.js';
import { doSteps } from '../../foundation/threads/long-work.js';
import { Store, storeMigrations } from '../store/store.js';
import type { AlertChange, NewEvent } from './event.js';
import type { EventFilter } from './event-filter.js';
import { EventLog, type EventRange, type EventRetention } from './event-log.js';
import { countEvents, eventMigrations } from './event-tables.js';

const dayMs = 86_400_000;
const flush: NewEvent = { action: 'flush', level: 'INFO', message: 'flushed' };

const aChange: AlertChange = {
  kind: 'fired',
  alert: {
    id: 'alert',
    alert_rule_id: 'rule',
    node: '127.0.0.1',
    dc: null,
    table: null,
    device: null,
    level: 'ERROR',
    state: 'firing',
    current_value: 1,
    first_fired: 1,
  },
  rule: {
    id: 'rule',
    type: 'node-down',
    metric: null,
    level: 'ERROR',
    notifyIntervalMinutes: 0,
    annotations: {},
  },
  reason: 'it is down',
};

function openLog(retention?: EventRetention) {
  const clock = { now: 1000 * dayMs, jumpedMs: 0 };
  const asClock: Clock = { nowMs: () => clock.now + clock.jumpedMs, monotonicMs: () => clock.now };
  const database = openDatabase({ path: ':memory:' });
  for (const { sql } of [...storeMigrations, ...eventMigrations]) database.exec(sql);
  const logger = createLogger('silent');
  const store = new Store(database, logger);
  return { clock, database, store, log: new EventLog(store, asClock, logger, retention) };
}

describe('the event log', () => {
  it('keeps clusters apart', () => {
    const { log } = openLog();
    log.append('a', flush);
    log.append('b', flush);
    assert.equal(log.read('a', { count: 10, order: 'backward' }).length, 1);
    assert.deepEqual(log.read('c', { count: 10, order: 'backward' }), []);
  });

  it('continues while the disk is full, shows what waits in its place, and writes it later', () => {
    const { log, store, database } = openLog();
    const first = log.append('a', flush);
    store.flush();
    const transaction = database.transaction;
    database.transaction = () => {
      throw new DatabaseFailure('full', 'disk full');
    };
    const second = log.append('a', flush);
    const other = log.append('b', flush);
    const third = log.append('a', flush);
    const backward = log.read('a', { count: 10, order: 'backward' });
    assert.deepEqual(backward, [third, second, first]);
    assert.deepEqual(log.read('a', { count: 2, order: 'backward' }), [third, second]);
    const forward = log.read('a', { fromUs: Number(first.time), count: 10, order: 'forward' });
    assert.deepEqual(forward, [first, second, third]);
    assert.deepEqual(log.read('a', { fromUs: Number(second.time), count: 10, order: 'backward' }), [
      second,
      first,
    ]);
    assert.deepEqual(log.read('b', { count: 10, order: 'backward' }), [other]);
    database.transaction = transaction;
    store.flush();
    assert.equal(store.waitingCount, 0);
    assert.deepEqual(log.read('a', { count: 10, order: 'backward' }), backward);
    store.close();
  });

  it('searches as it reads: the same order, from the same time, with what waits', () => {
    const { log, store, database } = openLog();
    const search = (range: EventRange, filter: Partial<EventFilter> = {}) => {
      const steps = log.search('a', range, { leastLevel: 0, actions: undefined, node: undefined, ...filter });
      for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
    };
    for (let count = 0; count < 12_000; count += 1)
      log.append('a', count % 4000 === 0 ? { ...flush, level: 'ERROR' } : flush);
    store.flush();
    const everything = log.read('a', { count: 20_000, order: 'backward' });
    database.transaction = () => {
      throw new DatabaseFailure('full', 'disk full');
    };
    const waiting = log.append('a', { ...flush, level: 'ERROR' });
    const all = [waiting, ...everything];
    const middle = Number(all[6001]?.time);
    const ranges: readonly EventRange[] = [
      { count: 20_000, order: 'backward' },
      { count: 3, order: 'backward' },
      { count: 20_000, order: 'forward', fromUs: 0 },
      { count: 5500, order: 'backward', fromUs: middle },
      { count: 20_000, order: 'forward', fromUs: middle },
      { count: 10, order: 'forward', fromUs: Number(waiting.time) },
      { count: 10, order: 'backward', fromUs: 0 },
    ];
    for (const range of ranges) assert.deepEqual(search(range), log.read('a', range), JSON.stringify(range));
    const errors = all.filter(({ level }) => level === 3);
    assert.equal(errors.length, 4);
    assert.deepEqual(search({ count: 20_000, order: 'backward' }, { leastLevel: 3 }), errors);
    assert.deepEqual(
      search({ count: 3, order: 'forward', fromUs: 0 }, { leastLevel: 3 }),
      errors.slice(1).reverse(),
    );
    assert.deepEqual(search({ count: 5, order: 'backward' }, { actions: [0, 1] }), []);
    store.close();
  });

  it('finds each event once if those that waited are written between two steps', () => {
    for (const order of ['forward', 'backward'] as const) {
      const { log, store, database } = openLog();
      for (let count = 0; count < 6000; count += 1) log.append('a', flush);
      store.flush();
      const { transaction } = database;
      database.transaction = () => {
        throw new DatabaseFailure('full', 'disk full');
      };
      for (let count = 0; count < 5000; count += 1) log.append('a', flush);
      const range: EventRange = { count: 20_000, order, ...(order === 'forward' ? { fromUs: 0 } : {}) };
      const steps = log.search('a', range, { leastLevel: 0, actions: undefined, node: undefined });
      let step = steps.next();
      database.transaction = transaction;
      store.flush();
      assert.equal(store.waitingCount, 0);
      while (step.done !== true) step = steps.next();
      assert.equal(step.value.length, 11_000, order);
      assert.deepEqual(step.value, log.read('a', range), order);
      store.close();
    }
  });

  it('searches the events of alerts in steps, in both orders', () => {
    const { log, store } = openLog();
    for (let count = 0; count < 4000; count += 1)
      log.append('a', count % 2 === 0 ? flush : { ...flush, action: 'alertFired', change: aChange });
    store.flush();
    const all = log.read('a', { count: 10_000, order: 'backward' }).filter(({ action }) => action === 1000);
    const found = (range: EventRange) => {
      const walk = log.searchAlertEvents('a', range);
      for (let steps = 0; ; steps += 1) {
        const step = walk.next();
        if (step.done === true) return { steps, times: step.value.map(({ time }) => time) };
      }
    };
    const times = all.map(({ time }) => time);
    assert.equal(times.length, 2000);
    assert.deepEqual(found({ count: 10_000, order: 'backward' }), { steps: 2, times });
    assert.deepEqual(found({ count: 1200, order: 'backward' }), { steps: 2, times: times.slice(0, 1200) });
    const fromUs = Number(times[1500]);
    const later = times.slice(0, 1501).reverse();
    assert.deepEqual(found({ count: 10_000, order: 'forward', fromUs }), { steps: 2, times: later });
    assert.deepEqual(found({ count: 3, order: 'forward', fromUs }), { steps: 1, times: later.slice(0, 3) });
    store.close();
  });

  it('keeps the ids of alerts with their events, as long as these, and while the disk is full', () => {
    const { log, clock, store, database } = openLog();
    log.append('a', flush);
    const fired = log.append('a', { ...flush, action: 'alertFired', change: aChange });
    store.flush();
    const entry = { ...fired, alert_id: 'alert', alert_rule_id: 'rule' };
    assert.deepEqual(doSteps(log.searchAlertEvents('a', { count: 10, order: 'backward' })), [entry]);
    const { transaction } = database;
    database.transaction = () => {
      throw new DatabaseFailure('full', 'disk full');
    };
    const cleared = log.append('a', { ...flush, action: 'alertCleared', change: aChange });
    const newest = { ...cleared, alert_id: 'alert', alert_rule_id: 'rule' };
    assert.deepEqual(doSteps(log.searchAlertEvents('a', { count: 10, order: 'backward' })), [newest, entry]);
    database.transaction = transaction;
    store.flush();
    assert.deepEqual(doSteps(log.searchAlertEvents('a', { count: 1, order: 'forward', fromUs: 0 })), [entry]);
    clock.now += 91 * dayMs;
    log.tick();
    store.flush();
    const left = store.read((file) => file.statement('SELECT count(*) AS n FROM alert_events').get());
    assert.equal(left?.['n'], 0);
    store.close();
  });

  it('shows an event once that was written while others waited', () => {
    const { log, store, database } = openLog();
    log.append('a', flush);
    store.flush();
    store.record(() => {});
    const written = log.append('a', flush);
    store.flush();
    store.record(() => {});
    const transaction = database.transaction;
    database.transaction = () => {
      throw new DatabaseFailure('full', 'disk full');
    };
    const waiting = log.append('a', flush);
    assert.deepEqual(log.read('a', { count: 2, order: 'backward' }), [waiting, written]);
    assert.equal(log.read('a', { count: 10, order: 'backward' }).length, 3);
    database.transaction = transaction;
    store.close();
  });

  it('forgets what is too old, a little at a time', () => {
    const { log, clock, store } = openLog({ maxAgeDays: 90, maxCount: 1e9 });
    for (let count = 0; count < 2500; count += 1) log.append('a', flush);
    clock.now += 90 * dayMs + 3;
    const kept = log.append('a', flush);
    const counts: (number | undefined)[] = [];
    for (let tick = 0; tick < 4; tick += 1) {
      log.tick();
      counts.push(store.read(countEvents).get('a'));
    }
    assert.deepEqual(counts, [1501, 501, 1, 1]);
    assert.deepEqual(log.read('a', { count: 10, order: 'backward' }), [kept]);
  });

  it('forgets nothing for its age after a clock has jumped', () => {
    const { log, clock, store } = openLog({ maxAgeDays: 90, maxCount: 3 });
    const ticked = (passedMs: number) => {
      clock.now += passedMs;
      log.tick();
      return store.read(countEvents).get('a');
    };
    for (let count = 0; count < 2; count += 1) log.append('a', flush);
    clock.jumpedMs = 1000 * dayMs;
    assert.equal(ticked(1000), 2);
    for (let count = 0; count < 2; count += 1) log.append('a', flush);
    assert.equal(ticked(1000), 3, 'too many are too many by any clock');
    clock.jumpedMs = 0;
    assert.equal(ticked(1000), 3);
    clock.jumpedMs = 1000 * dayMs;
    assert.equal(ticked(1000), 3);
    assert.equal(ticked(dayMs), 2, 'a clock that stays there is believed');
  });

  it('forgets the oldest of too many', () => {
    const { log, store } = openLog({ maxAgeDays: 90, maxCount: 10 });
    const all = Array.from({ length: 25 }, () => log.append('a', flush));
    log.tick();
    assert.equal(store.read(countEvents).get('a'), 10);
    assert.deepEqual(log.read('a', { count: 100, order: 'backward' }), all.slice(-10).reverse());
  });

  it('notifies listeners of every event until they leave, even if one of them fails', () => {
    const { log } = openLog();
    const received: string[] = [];
    log.subscribe(() => {
      throw new Error('a bug');
    });
    const leave = log.subscribe(({ clusterId, event }) => received.push(`${clusterId} ${event.message}`));
    log.append('a', flush);
    leave();
    log.append('a', flush);
    assert.deepEqual(received, ['a flushed']);
  });

  it('passes an event again for which a listener failed, before those behind it', () => {
    const { log } = openLog();
    const received: string[] = [];
    let isBroken = true;
    log.subscribe(({ event, change }) => {
      if (isBroken) throw new Error('a bug');
      received.push(change === undefined ? event.message : `${event.message}: ${change.kind}`);
    });
    log.append('a', { action: 'alertFired', level: 'ERROR', message: 'first', change: aChange });
    log.append('a', { ...flush, message: 'second' });
    log.tick();
    isBroken = false;
    log.append('b', { ...flush, message: 'third' });
    assert.deepEqual(received, []);
    log.tick();
    assert.deepEqual(received, ['first: fired', 'second', 'third']);
    log.append('a', { ...flush, message: 'fourth' });
    log.tick();
    assert.deepEqual(received, ['first: fired', 'second', 'third', 'fourth']);
  });

  it('discards an event for which a listener fails ten times, and passes those behind it', () => {
    const { log } = openLog();
    const received: string[] = [];
    let failures = 0;
    log.subscribe(({ event }) => {
      if (event.message === 'unacceptable') {
        failures += 1;
        throw new Error('a bug');
      }
      received.push(event.message);
    });
    log.append('a', { ...flush, message: 'unacceptable' });
    log.append('a', { ...flush, message: 'next' });
    for (let tick = 1; tick < 9; tick += 1) log.tick();
    assert.deepEqual([failures, received], [9, []]);
    log.tick();
    assert.deepEqual([failures, received], [10, ['next']]);
  });
});
