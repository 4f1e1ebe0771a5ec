// Checks the counts of the data service's traffic.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { percentileMs } from './latency-counts.js';
import { Traffic } from './traffic.js';

describe('traffic', () => {
  it('counts what finished, failed and was cut, with its time', () => {
    const traffic = new Traffic();
    traffic.endRequest('read', 'answered', 2, 'ks', 't');
    traffic.endRequest('read', 'failed', 4, 'ks', 't');
    traffic.endRequest('read', 'timedOut', 6, undefined, undefined);
    traffic.endRequest('write', 'answered', 1, 'ks', 't');
    const { read, write } = traffic.take().kinds;
    assert.deepEqual([read.finished, read.failed, read.timedOut, read.totalMs], [3, 1, 1, 12]);
    assert.equal(percentileMs(read.latencies, 100), 6);
    assert.deepEqual([write.finished, write.failed, write.timedOut, write.totalMs], [1, 0, 0, 1]);
  });

  it('is taken once', () => {
    const traffic = new Traffic();
    traffic.beginCall('read');
    traffic.endCall('read', 3, 'ks', 't');
    traffic.endRequest('read', 'answered', 5, 'ks', 't');
    const [entry] = traffic.take().tables;
    assert.equal(entry?.[0], 'ks.t');
    assert.deepEqual([entry?.[1].read.calls, entry?.[1].read.finished, entry?.[1].read.totalMs], [1, 1, 5]);
    const again = traffic.take();
    assert.deepEqual([again.tables, again.kinds.read.finished], [[], 0]);
    traffic.endCall('read', 3, 'ks', 't');
    assert.equal(traffic.take().tables.length, 1);
  });

  it('knows what is under way', () => {
    const traffic = new Traffic();
    traffic.beginCall('read');
    traffic.beginCall('write');
    traffic.beginCall('write');
    traffic.endCall('write', 1, 'ks', 't');
    assert.deepEqual(traffic.take().pending, { read: 1, write: 1 });
    assert.deepEqual(traffic.take().pending, { read: 1, write: 1 });
  });

  it('forgets a table that was long idle, as one that is dropped is', () => {
    const traffic = new Traffic();
    const takeMany = () => Array.from({ length: 30 }, () => traffic.take().tables.length);
    traffic.endCall('read', 3, 'ks', 't');
    takeMany();
    // A request alone does not create a counter: a count shows that one exists.
    traffic.endRequest('read', 'answered', 5, 'ks', 't');
    assert.deepEqual(traffic.take().tables, []);
    traffic.endCall('read', 4, 'ks', 't');
    const [entry] = traffic.take().tables;
    assert.deepEqual([entry?.[1].read.calls, entry?.[1].read.finished], [1, 0], 'it begins again');
  });

  it('holds no memory for latencies of tables that are idle', () => {
    const traffic = new Traffic();
    for (let number = 0; number < 100; number += 1) traffic.endCall('write', 3, 'ks', `t${number}`);
    traffic.take();
    assert.equal(traffic.holdingTables, 100);
    traffic.endCall('write', 3, 'ks', 't0');
    assert.equal(traffic.take().tables.length, 1);
    assert.equal(traffic.holdingTables, 1);
  });

  it('counts a request that ends a few takes after its call', () => {
    const traffic = new Traffic();
    traffic.endCall('read', 3, 'ks', 't');
    for (let at = 0; at < 5; at += 1) traffic.take();
    traffic.endRequest('read', 'answered', 5, 'ks', 't');
    const [entry] = traffic.take().tables;
    assert.deepEqual([entry?.[1].read.calls, entry?.[1].read.finished], [0, 1]);
  });

  it('keeps nothing for names that are not tables', () => {
    const traffic = new Traffic();
    traffic.endRequest('read', 'answered', 2, 'ks', 'nothing');
    assert.deepEqual(traffic.take().tables, []);
  });
});
