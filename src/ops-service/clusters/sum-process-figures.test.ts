// Checks that the figures of several processes add up to those of one server.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Traffic } from '../../foundation/telemetry/traffic.js';
import type { ProcessFigures } from './process-readings.js';
import { sumProcessFigures } from './sum-process-figures.js';

/** A process that counted the same requests on one table, `factor` times. */
function figuresOf(factor: number, table: string): ProcessFigures {
  const traffic = new Traffic();
  for (let time = 0; time < factor; time += 1) {
    traffic.beginCall('read');
    traffic.endCall('read', 4, 'ks', table);
    traffic.endRequest('read', 'failed', 8, 'ks', table);
    traffic.endRequest('write', 'timedOut', 2, 'ks', 'unknown');
  }
  traffic.beginCall('write');
  const collections = { minor: { count: factor, totalMs: 1 }, major: { count: 1, totalMs: factor } };
  const heap = { usedBytes: factor, committedBytes: 2 * factor, maxBytes: 3 * factor };
  return { elapsedMs: 1000 * factor, traffic: traffic.take(), heap, residentBytes: factor, collections };
}

it('the figures of processes add up, for the time of the first', () => {
  const sum = sumProcessFigures(figuresOf(1, 'a'), [figuresOf(2, 'a'), figuresOf(3, 'b')]);
  const { read, write } = sum.traffic.kinds;
  assert.equal(sum.elapsedMs, 1000);
  assert.deepEqual([read.finished, read.failed, read.totalMs], [6, 6, 48]);
  assert.deepEqual([write.finished, write.timedOut], [6, 6]);
  assert.deepEqual([read.latencies.pairs.at(-1), read.latencies.maxMs], [6, 8]);
  assert.deepEqual(sum.traffic.pending, { read: 0, write: 3 });
  assert.deepEqual(
    sum.traffic.tables.map(([name, of]) => [
      name,
      of.read.calls,
      of.read.totalMs,
      of.read.engineLatencies.maxMs,
    ]),
    [
      ['ks.a', 3, 24, 4],
      ['ks.b', 3, 24, 4],
    ],
  );
  assert.deepEqual(sum.heap, { usedBytes: 6, committedBytes: 12, maxBytes: 18 });
  assert.equal(sum.residentBytes, 6);
  assert.deepEqual(sum.collections, { minor: { count: 6, totalMs: 3 }, major: { count: 3, totalMs: 6 } });
});
