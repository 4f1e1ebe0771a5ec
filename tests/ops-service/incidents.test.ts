// Checks the incidents of PagerDuty: which alerts share one, and what closes it.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Trial } from './pipeline-trial.js';

/** An event of the Events API v2, as it is sent. */
interface PagerEvent {
  readonly event_action: 'trigger' | 'resolve';
  readonly dedup_key: string;
  readonly payload?: {
    readonly summary: string;
    readonly severity: string;
    readonly source: string;
    readonly custom_details: { readonly notices?: readonly { readonly annotations?: object }[] };
  };
}

let trial: Trial;
/** All events that were tried, also those that the receiver did not take. */
let events: PagerEvent[];

const pagerUrl = 'https://pager.example/v2/enqueue';

/** What the receiver says; the trial counts 200 as taken. */
function answer(behaviour: 200 | 404 | 503 | 'lost'): void {
  trial.behaviour = (url, body: unknown) => {
    if (url === pagerUrl) events.push(body as PagerEvent);
    return behaviour;
  };
}

beforeEach(() => {
  trial = new Trial();
  events = [];
  answer(200);
  trial.channel({ type: 'pagerduty', url: pagerUrl, routing_key: 'r'.repeat(32) });
});
afterEach(() => {
  trial.store.flush();
  trial.database.close();
});

/** What was tried since the last call: `trigger KEY`. */
function take(): string[] {
  const taken = events.map(({ event_action: action, dedup_key: key }) => `${action} ${key.split('/')[2]}`);
  events = [];
  return taken;
}

function fire(...ids: readonly string[]): void {
  for (const id of ids) trial.change('fired', id);
}

function clear(...ids: readonly string[]): void {
  for (const id of ids) trial.change('cleared', id);
}

describe('alerts that begin within five seconds', () => {
  it('are one incident, which names all of them', async () => {
    trial.change('fired', 'a', { rule: { annotations: { runbook: 'restart it' } } });
    await trial.pass(3);
    trial.change('fired', 'b', { alert: { level: 'CRITICAL', node: '10.0.0.2' } });
    await trial.pass(10);
    const [event, ...more] = events;
    assert.equal(more.length, 0);
    assert.equal(event?.dedup_key, 'colonnade/local/a/1700000000');
    assert.equal(event.payload?.summary, '[CRITICAL] 2 firing (local): alert a fired; alert b fired');
    assert.equal(event.payload.severity, 'critical');
    assert.equal(event.payload.source, 'local', 'they are on several nodes');
    assert.deepEqual(
      event.payload.custom_details.notices?.map(({ annotations }) => annotations),
      [{ runbook: 'restart it' }, {}],
    );
  });

  it('are resolved together when the last of them clears, also over restarts', async () => {
    fire('a', 'b', 'c');
    await trial.pass(10);
    assert.deepEqual(take(), ['trigger a']);
    clear('a');
    await trial.pass(10);
    trial.restart();
    clear('c');
    await trial.pass(10);
    assert.deepEqual(take(), []);
    trial.restart();
    clear('b');
    trial.restart();
    await trial.pass(100);
    assert.deepEqual(take(), ['resolve a']);
    assert.deepEqual(trial.log(), [
      'sent a: ',
      'sent b: ',
      'sent c: ',
      'dropped a: its incident stays open until 2 other alerts in it clear',
      'dropped c: its incident stays open until another alert in it clears',
      'sent b: ',
    ]);
    assert.equal(trial.notifications.pipeline.queuedCount, 0);
  });

  it('are resolved once when they clear together', async () => {
    fire('a', 'b');
    await trial.pass(10);
    clear('b', 'a');
    await trial.pass(100);
    assert.deepEqual(take(), ['trigger a', 'resolve a']);
  });

  it('do not share an incident with those that begin later, and each incident has its end', async () => {
    fire('a', 'b');
    await trial.pass(10);
    fire('c', 'd');
    await trial.pass(10);
    assert.deepEqual(take(), ['trigger a', 'trigger c']);
    clear('a', 'c', 'd');
    await trial.pass(10);
    assert.deepEqual(take(), ['resolve c']);
    clear('b');
    await trial.pass(10);
    assert.deepEqual(take(), ['resolve a']);
  });

  it('are at most a hundred in one incident', async () => {
    fire(...Array.from({ length: 150 }, (_, at) => `n${at}`));
    await trial.pass(10);
    assert.deepEqual(take(), ['trigger n0', 'trigger n100']);
  });
});

describe('an incident', () => {
  it('has its key in repeats, which join only with their own', async () => {
    const repeating = { rule: { notifyIntervalMinutes: 1 } };
    trial.change('fired', 'a', repeating);
    trial.change('fired', 'b', repeating);
    await trial.pass(10);
    trial.change('fired', 'c', repeating);
    await trial.pass(10);
    take();
    trial.restart();
    await trial.pass(60);
    assert.deepEqual(take(), ['trigger a', 'trigger c']);
    clear('a');
    await trial.pass(65);
    assert.deepEqual(take(), ['trigger a', 'trigger c'], 'b is repeated');
    clear('b', 'c');
    await trial.pass(60);
    assert.deepEqual(take(), ['resolve a', 'resolve c']);
  });

  it('takes all that waits for a receiver that was not available, when nothing has arrived', async () => {
    answer(503);
    fire('a');
    await trial.pass(20);
    fire('b');
    await trial.pass(20);
    answer(200);
    events = [];
    await trial.pass(100);
    assert.match(events[0]?.payload?.summary ?? '', /2 firing/);
    assert.deepEqual(take(), ['trigger b']);
    clear('a', 'b');
    await trial.pass(10);
    assert.deepEqual(take(), ['resolve b']);
  });

  it('that may have been opened is tried again under its key and closed, also over a crash', async () => {
    answer('lost');
    fire('a', 'b');
    await trial.pass(6);
    trial.restart();
    fire('c');
    await trial.pass(20);
    assert.deepEqual([...new Set(take())].sort(), ['trigger a', 'trigger c']);
    clear('a');
    answer(503);
    await trial.pass(20);
    take();
    clear('b');
    answer(200);
    await trial.pass(600);
    const rest = take();
    assert.deepEqual([...rest].sort(), ['resolve a', 'trigger c']);
  });

  it('of a first attempt that a crash interrupted is closed, although the next attempt is refused', async () => {
    trial.behaviour = () => new Promise(() => {});
    fire('a', 'b');
    for (let second = 0; second < 6; second += 1) {
      trial.nowMs += 1000;
      trial.notifications.tick();
    }
    while (trial.tried < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(trial.tried, 1);
    trial.restart();
    answer(503);
    await trial.pass(3);
    assert.deepEqual([...new Set(take())], ['trigger a']);
    clear('a', 'b');
    answer(200);
    await trial.pass(600);
    assert.deepEqual(take(), ['resolve a']);
  });

  it('whose end waits continues when its alert fires again', async () => {
    fire('a');
    await trial.pass(10);
    answer(503);
    clear('a');
    await trial.pass(10);
    take();
    trial.change('fired', 'a', { alert: { first_fired: 1_700_000_100 } });
    answer(200);
    await trial.pass(300);
    assert.deepEqual(take(), ['trigger a']);
    const last = { alert: { first_fired: 1_700_000_100 } };
    trial.change('cleared', 'a', last);
    await trial.pass(10);
    assert.equal(events[0]?.dedup_key, 'colonnade/local/a/1700000000', 'the key of the first firing');
    assert.deepEqual(take(), ['resolve a']);
  });

  it('that the receiver refuses permanently is not opened: a later repeat opens another', async () => {
    answer(404);
    trial.change('fired', 'a', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(10);
    answer(200);
    events = [];
    await trial.pass(50);
    trial.change('fired', 'b', { rule: { notifyIntervalMinutes: 1 } });
    await trial.pass(20);
    assert.deepEqual(take(), ['trigger b'], 'with what begins in the same five seconds');
    clear('a', 'b');
    await trial.pass(10);
    assert.deepEqual(take(), ['resolve b']);
  });

  it('of an alert that an older version notified of has the key of the alert alone', async () => {
    fire('a');
    await trial.pass(10);
    trial.database.exec(`UPDATE followed_alerts SET body = replace(body, ',"incident":"a/1700000000"', '')`);
    trial.restart();
    take();
    fire('b');
    clear('a');
    await trial.pass(10);
    assert.deepEqual(take().sort(), ['resolve a', 'trigger b']);
  });
});
