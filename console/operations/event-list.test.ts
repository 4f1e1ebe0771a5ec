// Checks that the list of events is bounded, however they come.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpsEvent } from '../../src/descriptions/operations-replies.js';
import { addWaiting, canLoad, mostShown, noEvents, withNew, withNewest, withOlder } from './event-list.js';

function eventsFrom(newest: number, count: number): OpsEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    action: 0,
    api_source_ip: '127.0.0.1',
    event_source: 'Colonnade',
    level: 1,
    level_str: 'INFO',
    message: 'flushed',
    source_node: '127.0.0.1',
    success: true,
    target_node: null,
    time: String(newest - at),
    user: 'system',
  }));
}

function page(newest: number, count: number, isAtEnd = false) {
  return { events: eventsFrom(newest, count), nextTime: String(newest - count), isAtEnd };
}

describe('the list of events', () => {
  it('keeps a bounded number of events that wait for a hidden tab, and says that older ones are left', () => {
    const waiting: OpsEvent[] = [];
    for (const event of eventsFrom(20_000, mostShown + 50).reverse()) addWaiting(waiting, event);
    assert.equal(waiting.length, mostShown + 1);
    const shown = withNew({ ...noEvents, isAtEnd: true }, waiting);
    assert.deepEqual(
      [shown.events.length, shown.events[0]?.time, shown.isAtEnd],
      [mostShown, '20000', false],
    );
  });

  it('keeps the newest of those that were loaded by scrolling', () => {
    const almost = withOlder(noEvents, page(10_000, mostShown - 100));
    assert.equal(canLoad(almost), true);
    const full = withOlder(almost, page(10_000 - mostShown + 100, 200, true));
    assert.deepEqual(full.events, eventsFrom(10_000, mostShown));
    assert.equal(full.isAtEnd, false);
    assert.equal(canLoad(full), false);
  });

  it('shows an event once that came before the first page', () => {
    const [newest] = eventsFrom(10_000, 1);
    assert.ok(newest !== undefined);
    const list = withOlder(withNew(noEvents, [newest]), page(10_000, 200));
    assert.deepEqual(list.events, eventsFrom(10_000, 200));
  });

  it('drops the oldest one for a new one', () => {
    const full = withOlder(noEvents, page(10_000, mostShown, true));
    assert.equal(full.isAtEnd, true);
    const [newest] = eventsFrom(10_001, 1);
    assert.ok(newest !== undefined);
    const more = withNew(full, [newest]);
    assert.deepEqual(more.events, eventsFrom(10_001, mostShown));
    assert.equal(more.isAtEnd, false);
    assert.equal(withNew(more, [newest]), more, 'an event is shown once');
  });

  it('takes a burst of live events at once, in the order of time, each once', () => {
    const shown = withOlder(noEvents, page(10_000, 200));
    const burst = [...eventsFrom(10_050, 50).reverse(), ...eventsFrom(10_002, 4)];
    assert.deepEqual(withNew(shown, burst).events, eventsFrom(10_050, 250));
  });

  it('compares each event a few times for a burst, also one that belongs below most of the list', () => {
    let reads = 0;
    const counted = (events: readonly OpsEvent[]) =>
      events.map((event) => ({
        ...event,
        get time() {
          reads += 1;
          return event.time;
        },
      }));
    const all = eventsFrom(10_000, 1550);
    const shown = withOlder(noEvents, {
      ...page(0, 0),
      events: counted([...all.slice(0, 1400), ...all.slice(1450)]),
    });
    const burst = counted(all.slice(1400, 1450).reverse());
    reads = 0;
    const { events } = withNew(shown, burst);
    assert.ok(reads < 10 * all.length, `times were read ${reads} times`);
    assert.deepEqual(
      events.map(({ time }) => time),
      all.map(({ time }) => time),
    );
  });

  it('adds what happened while nothing came live, in the order of time', () => {
    const shown = withOlder(noEvents, page(10_000, 200));
    const live = withNew(shown, eventsFrom(10_050, 1));
    const whole = withNewest(live, page(10_050, 200));
    assert.deepEqual(whole.events, eventsFrom(10_050, 250));
    assert.equal(whole.nextTime, '9800', 'older pages continue where they did');
    assert.deepEqual(withNewest(whole, page(10_050, 200)).events, whole.events);
  });

  it('begins again where more happened than a page has, without a gap', () => {
    const shown = withOlder(noEvents, page(10_000, 200));
    const live = withNew(shown, eventsFrom(10_501, 1));
    const newest = withNewest(live, page(10_500, 200));
    assert.deepEqual(newest.events, eventsFrom(10_501, 201));
    assert.equal(newest.nextTime, '10300');
    assert.equal(canLoad(newest), true);
  });

  it('begins with the newest page where the first one was not loaded', () => {
    const failed = { ...noEvents, failure: 'gone' };
    assert.deepEqual(withNewest(failed, page(10, 10, true)), withOlder(noEvents, page(10, 10, true)));
  });
});
