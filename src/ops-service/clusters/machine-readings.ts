// Readings of the cluster `local` from the figures of its machine.
import type { CpuTimes } from '../../foundation/machine/parse-proc.js';
import type { MachineFigures } from '../../foundation/machine/read-machine.js';
import type { LocalReading } from './process-readings.js';

const mebibyte = 1024 * 1024;

/**
 * The readings of the machine. Rates need the earlier figures, which are `seconds` old, and are omitted without them.
 */
export function readingsOfMachine(
  now: MachineFigures,
  before: MachineFigures | undefined,
  seconds: number,
): readonly LocalReading[] {
  const { load, memory, disk } = now;
  const { usedBytes, freeBytes, cachedBytes, buffersBytes } = memory;
  return [
    ...readingsOfCpu(now.cpu, before?.cpu),
    ...readingOf('os-load', load),
    { key: 'os-memory-used', value: usedBytes / mebibyte },
    { key: 'os-memory-free', value: freeBytes / mebibyte },
    ...readingOf('os-memory-cached', cachedBytes === undefined ? undefined : cachedBytes / mebibyte),
    ...readingOf('os-memory-buffers', buffersBytes === undefined ? undefined : buffersBytes / mebibyte),
    ...(before === undefined || seconds <= 0 ? [] : readingsOfNetwork(now, before, seconds)),
    ...(disk === undefined
      ? []
      : [
          { key: 'os-disk-usage', device: disk.mount, value: disk.usedPercent },
          { key: 'os-disk-free', device: disk.mount, value: disk.freeBytes },
          { key: 'os-disk-used', device: disk.mount, value: disk.usedBytes },
        ]),
  ];
}

function readingsOfCpu(now: CpuTimes | undefined, before: CpuTimes | undefined): readonly LocalReading[] {
  if (now === undefined || before === undefined || now.total <= before.total) return [];
  const total = now.total - before.total;
  return (['user', 'system', 'idle', 'nice', 'iowait', 'steal'] as const).flatMap((name) => {
    const [at, was] = [now[name], before[name]];
    if (at === undefined || was === undefined) return [];
    // Linux sometimes decreases iowait.
    return readingOf(`os-cpu-${name}`, Math.max(0, ((at - was) / total) * 100));
  });
}

/** A counter that decreased was reset: nothing is known of this interval. */
function readingsOfNetwork(
  now: MachineFigures,
  before: MachineFigures,
  seconds: number,
): readonly LocalReading[] {
  const earlier = new Map(before.network.map((each) => [each.device, each]));
  return now.network.flatMap(({ device, receivedBytes, sentBytes }) => {
    const was = earlier.get(device);
    if (was === undefined || receivedBytes < was.receivedBytes || sentBytes < was.sentBytes) return [];
    return [
      { key: 'os-net-received', device, value: (receivedBytes - was.receivedBytes) / seconds },
      { key: 'os-net-sent', device, value: (sentBytes - was.sentBytes) / seconds },
    ];
  });
}

function readingOf(key: string, value: number | undefined): readonly LocalReading[] {
  return value === undefined ? [] : [{ key, value }];
}
