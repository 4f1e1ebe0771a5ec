// The readings of the cluster `local`: rates, and omitted values that are not known.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MachineFigures } from '../../foundation/machine/read-machine.js';
import { Traffic } from '../../foundation/telemetry/traffic.js';
import { readingsOfMachine } from './machine-readings.js';
import { type LocalReading, type ProcessFigures, readingsOfProcess } from './process-readings.js';

function numberOf(readings: readonly LocalReading[], key: string, subject?: string): number | undefined {
  const found = readings.find((each) => each.key === key && (each.table ?? each.device) === subject);
  return found !== undefined && 'value' in found ? found.value : undefined;
}

function figuresOf(traffic: Traffic, changes: Partial<ProcessFigures> = {}): ProcessFigures {
  return {
    elapsedMs: 10_000,
    traffic: traffic.take(),
    heap: { usedBytes: 10, committedBytes: 30, maxBytes: 100 },
    residentBytes: 90,
    collections: { minor: { count: 0, totalMs: 0 }, major: { count: 0, totalMs: 0 } },
    ...changes,
  };
}

describe('the readings of the process', () => {
  it('are rates per second of what was counted', () => {
    const traffic = new Traffic();
    for (let at = 0; at < 20; at += 1) traffic.endRequest('write', 'answered', 3, 'ks', 't');
    traffic.endRequest('write', 'timedOut', 24, 'ks', 't');
    const readings = readingsOfProcess(figuresOf(traffic), undefined, []);
    assert.equal(numberOf(readings, 'write-ops'), 2.1);
    assert.equal(numberOf(readings, 'write-timeouts'), 0.1);
    assert.equal(numberOf(readings, 'write-failures'), 0);
    assert.equal(numberOf(readings, 'write-latency-op'), 4);
    assert.equal(numberOf(readings, 'nonheap-used'), 60);
  });

  it('leave out a mean without requests, and collections until there are two counts', () => {
    const first = figuresOf(new Traffic());
    const before = readingsOfProcess(first, undefined, []);
    assert.equal(numberOf(before, 'read-latency-op'), undefined);
    assert.equal(numberOf(before, 'par-new-collection-count'), undefined);
    assert.equal(numberOf(before, 'read-ops'), 0, 'that there were no reads is known');
    const collections = { minor: { count: 5, totalMs: 20 }, major: { count: 0, totalMs: 0 } };
    const after = readingsOfProcess(figuresOf(new Traffic(), { collections }), first, []);
    assert.equal(numberOf(after, 'par-new-collection-count'), 0.5);
    assert.equal(numberOf(after, 'par-new-collection-time'), 2);
    assert.equal(numberOf(after, 'g1-old-collection-count'), 0);
  });

  it('are given for every table, also without requests', () => {
    const traffic = new Traffic();
    traffic.endCall('read', 2, 'ks', 'busy');
    traffic.endCall('read', 2, 'ks', 'dropped');
    traffic.endRequest('read', 'answered', 6, 'ks', 'busy');
    const readings = readingsOfProcess(figuresOf(traffic), undefined, ['ks.busy', 'ks.quiet']);
    assert.equal(numberOf(readings, 'cf-read-ops', 'ks.busy'), 0.1);
    assert.equal(numberOf(readings, 'cf-read-latency-op', 'ks.busy'), 6);
    assert.equal(numberOf(readings, 'cf-read-ops', 'ks.quiet'), 0);
    assert.equal(numberOf(readings, 'cf-read-latency-op', 'ks.quiet'), undefined);
    assert.equal(numberOf(readings, 'cf-read-ops', 'ks.dropped'), undefined);
  });
});

describe('the readings of the machine', () => {
  const cpu = { user: 100, nice: 0, system: 50, idle: 850, iowait: 0, steal: 0, total: 1000 };
  const before: MachineFigures = {
    cpu,
    load: 1.5,
    memory: { usedBytes: 2 ** 20, freeBytes: 2 ** 21 },
    network: [
      { device: 'eth0', receivedBytes: 1000, sentBytes: 10 },
      { device: 'eth1', receivedBytes: 1000, sentBytes: 10 },
    ],
    disk: { mount: '/data', freeBytes: 7, usedBytes: 93, usedPercent: 93 },
  };
  const now: MachineFigures = {
    ...before,
    cpu: { ...cpu, user: 160, idle: 890, total: 1100 },
    network: [
      { device: 'eth0', receivedBytes: 3000, sentBytes: 20 },
      { device: 'eth1', receivedBytes: 5, sentBytes: 5 },
      { device: 'eth2', receivedBytes: 9, sentBytes: 9 },
    ],
  };

  it('are differences of sums', () => {
    const readings = readingsOfMachine(now, before, 10);
    assert.equal(numberOf(readings, 'os-cpu-user'), 60);
    assert.equal(numberOf(readings, 'os-cpu-idle'), 40);
    assert.equal(numberOf(readings, 'os-net-received', 'eth0'), 200);
    assert.equal(numberOf(readings, 'os-disk-usage', '/data'), 93);
    assert.equal(numberOf(readings, 'os-memory-free'), 2);
  });

  it('leave out what is not known: the first time, counters that began again, other systems', () => {
    assert.equal(numberOf(readingsOfMachine(now, undefined, 0), 'os-cpu-user'), undefined);
    const readings = readingsOfMachine(now, before, 10);
    assert.equal(numberOf(readings, 'os-net-received', 'eth1'), undefined);
    assert.equal(numberOf(readings, 'os-net-received', 'eth2'), undefined);
    assert.equal(numberOf(readings, 'os-memory-cached'), undefined);
    const bare = { ...now, cpu: undefined, load: undefined, network: [], disk: undefined };
    const keys = readingsOfMachine(bare, before, 10).map(({ key }) => key);
    assert.deepEqual(keys, ['os-memory-used', 'os-memory-free']);
  });
});
