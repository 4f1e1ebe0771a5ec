// Server-Sent Events: what goes over the streams, how readers resume, and when a stream ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReplyStream } from '../../src/foundation/http/http-handler.js';
import { Traffic } from '../../src/foundation/telemetry/traffic.js';
import { makeTemporaryDirectory } from '../acceptance/start-server.js';
import { type OpsUnderTest, openOps } from './open-ops.js';

/** A reader in the test's hand: what it got, and how much it leaves unread. */
class Reader implements ReplyStream {
  text = '';
  /** Raised by what is written until `catchUp`, when it reads slowly. */
  behindBytes = 0;
  readsSlowly = false;
  readonly #drained: (() => void)[] = [];
  readonly #closed: (() => void)[] = [];

  write(text: string): void {
    this.text += text;
    if (this.readsSlowly) this.behindBytes += text.length;
  }

  end(): void {
    for (const listener of this.#closed) listener();
  }

  onDrain(listener: () => void): void {
    this.#drained.push(listener);
  }

  onClose(listener: () => void): void {
    this.#closed.push(listener);
  }

  catchUp(): void {
    this.behindBytes = 0;
    for (const listener of this.#drained) listener();
  }

  /** The messages so far. */
  get messages(): { id: string; event: string | undefined; data: unknown }[] {
    const blocks = this.text.split('\n\n').filter((block) => block.includes('data: '));
    return blocks.map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1] ?? '',
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''),
    }));
  }
}

async function read(ops: OpsUnderTest, path: string, lastEventId?: string, reader = new Reader()) {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const reply = await ops.stream({ path, headers });
  assert.equal(reply.contentType, 'text/event-stream; charset=utf-8');
  assert.equal(reply.maxBehindBytes, 1024 * 1024);
  reply.start(reader);
  return reader;
}

function append(ops: OpsUnderTest, count: number, clusterId = 'local') {
  return Array.from({ length: count }, (_, at) =>
    ops.parts.events.append(clusterId, { action: 'flush', level: 'INFO', message: `flush ${at}` }),
  );
}

describe('GET /{cluster_id}/events/stream', () => {
  it('sends what happens from now on, each with its time as the id, of this cluster only', async () => {
    const ops = openOps();
    const reader = await read(ops, '/local/events/stream');
    assert.deepEqual(reader.messages, []);
    const events = append(ops, 3);
    append(ops, 1, 'other');
    assert.deepEqual(
      reader.messages,
      events.map((event) => ({ id: event.time, event: undefined, data: event })),
    );
  });

  it('continues after Last-Event-ID, and loses and repeats nothing between log and present', async () => {
    const ops = openOps();
    const before = append(ops, 250);
    const reader = await read(ops, '/local/events/stream', before[9]?.time);
    const later = append(ops, 5);
    assert.deepEqual(
      reader.messages.map(({ data }) => data),
      [...before.slice(10), ...later],
    );
  });

  it('reads the log no faster than its reader, and in the end all of it arrives in order', async () => {
    const ops = openOps();
    const all = append(ops, 3000);
    const slow = new Reader();
    slow.readsSlowly = true;
    await read(ops, '/local/events/stream', '0', slow);
    assert.ok(slow.behindBytes < 200_000, `${slow.behindBytes} bytes are behind`);
    const meanwhile = append(ops, 10);
    for (let turn = 0; turn < 100 && slow.behindBytes > 0; turn += 1) slow.catchUp();
    slow.readsSlowly = false;
    const live = append(ops, 1);
    const [, ...data] = slow.messages.map((message) => message.data); // the first is the start of the service
    assert.deepEqual(data, [...all, ...meanwhile, ...live]);
  });

  it('waits for its reader after every long event', async () => {
    const ops = openOps();
    const message = 'x'.repeat(60_000);
    for (let count = 0; count < 20; count += 1) {
      ops.parts.events.append('local', { action: 'flush', level: 'INFO', message });
    }
    const slow = new Reader();
    slow.readsSlowly = true;
    await read(ops, '/local/events/stream', '0', slow);
    assert.ok(slow.behindBytes < 200_000, `${slow.behindBytes} bytes are behind`);
    for (let turn = 0; turn < 100 && slow.behindBytes > 0; turn += 1) slow.catchUp();
    assert.equal(slow.messages.length, 21); // the first is the start of the service
  });

  it('refuses an id that no message had', async () => {
    const ops = openOps();
    for (const lastEventId of ['x', '-1', '1.5']) {
      const headers = { 'last-event-id': lastEventId };
      for (const path of ['/local/events/stream', '/local/alerts/stream']) {
        assert.equal((await ops.ask({ path, headers })).status, 400, lastEventId);
      }
    }
  });
});

describe('GET /{cluster_id}/alerts/stream', () => {
  it('begins with a snapshot of what fires', async () => {
    const ops = openOps();
    const reader = await read(ops, '/local/alerts/stream');
    assert.deepEqual(reader.messages, [
      { id: String(Date.UTC(2026, 0, 1) * 1000), event: 'snapshot', data: [] },
    ]);
  });

  it('continues after Last-Event-ID: the snapshot, missed changes, new changes', async () => {
    const collections = { minor: { count: 0, totalMs: 0 }, major: { count: 0, totalMs: 0 } };
    const heap = { usedBytes: 1, committedBytes: 2, maxBytes: 3 };
    const traffic = new Traffic();
    const readMetrics = async () => ({
      elapsedMs: 10_000,
      traffic: traffic.take(),
      heap,
      residentBytes: 4,
      collections,
    });
    const ops = openOps({ args: ['--data-dir', makeTemporaryDirectory()], answers: { readMetrics } });
    const body = { type: 'rolling-avg', metric: 'heap-used', threshold: 0, duration: 0 };
    const rule = String((await ops.ask({ path: '/local/alert-rules', body })).body);
    const setEnabled = async (enabled: 0 | 1) => {
      await ops.ask({ method: 'PUT', path: `/local/alert-rules/${rule}`, body: { enabled } });
      ops.clock.advance(10_000);
      ops.parts.tick();
      await ops.parts.settled();
    };
    const first = await read(ops, '/local/alerts/stream');
    await setEnabled(1);
    const [, fired] = first.messages;
    assert.equal(fired?.event, 'fired');
    first.end();
    await setEnabled(0);
    await setEnabled(1);
    const kinds = (reader: Reader) => reader.messages.map(({ event }) => event);
    const second = await read(ops, '/local/alerts/stream', fired?.id);
    assert.deepEqual(kinds(second), ['snapshot', 'cleared', 'fired']);
    const [snapshot, cleared, firedAgain] = second.messages;
    assert.equal(snapshot?.id, fired?.id, 'a reader that has only the snapshot asks for the same again');
    assert.deepEqual(Object(cleared?.data).alert.id, Object(fired?.data).alert.id);
    assert.deepEqual(snapshot?.data, [Object(firedAgain?.data).alert]);
    await setEnabled(0);
    assert.deepEqual(kinds(second), ['snapshot', 'cleared', 'fired', 'cleared']);
    const third = await read(ops, '/local/alerts/stream', second.messages[3]?.id);
    assert.deepEqual(kinds(third), ['snapshot']);
  });
});

describe('streams', () => {
  it('send something every 15 seconds at least', async () => {
    const ops = openOps();
    const reader = await read(ops, '/local/events/stream');
    const commentsAfter = (ms: number) => {
      ops.clock.advance(ms);
      ops.parts.tick();
      return reader.text.split(': \n\n').length - 1;
    };
    assert.equal(commentsAfter(14_999), 0);
    assert.equal(commentsAfter(1), 1);
    assert.equal(commentsAfter(1000), 1);
    append(ops, 1);
    assert.equal(commentsAfter(14_000), 1);
    assert.equal(commentsAfter(1000), 2);
  });

  it('are at most 64, of both kinds together; one that ends makes room', async () => {
    const ops = openOps();
    const readers: Reader[] = [];
    for (let count = 0; count < 64; count += 1) {
      readers.push(await read(ops, count % 2 === 0 ? '/local/events/stream' : '/local/alerts/stream'));
    }
    const refused = await ops.ask({ path: '/local/events/stream' });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '10');
    readers[0]?.end();
    await read(ops, '/local/events/stream');
    const [, second] = readers;
    const before = second?.text;
    append(ops, 1);
    assert.equal(readers[0]?.messages.length, 0); // it left before
    assert.equal(second?.text, before);
  });
});
