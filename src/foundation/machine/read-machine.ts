// Reads the load of the machine: processors, memory, network and the disk of a directory. Unavailable figures are
// omitted.
import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, platform, totalmem } from 'node:os';
import {
  type CpuTimes,
  type DeviceBytes,
  findMount,
  type Memory,
  parseCpuTimes,
  parseMemory,
  parseNetwork,
} from './parse-proc.js';

/** The figures of a machine at one moment. Times and bytes are sums since its start. */
export interface MachineFigures {
  /** In ticks of unknown length: only ratios of differences are meaningful. */
  readonly cpu: CpuTimes | undefined;
  /** The load average of one minute; Windows has none. */
  readonly load: number | undefined;
  readonly memory: Memory;
  /** By network interface. */
  readonly network: readonly DeviceBytes[];
  readonly disk: DiskFigures | undefined;
}

/** The file system of a directory. */
export interface DiskFigures {
  /** Its mount point; the directory itself if that is not known. */
  readonly mount: string;
  /** Bytes that users other than root can still write. */
  readonly freeBytes: number;
  readonly usedBytes: number;
  /** The share of the space that users other than root can use, as `df` shows it. */
  readonly usedPercent: number;
}

/** The machine now, with the disk of `directory`, an absolute path. Never rejects. */
export async function readMachine(directory: string): Promise<MachineFigures> {
  const [stat, meminfo, net, mounts] = await Promise.all(
    ['/proc/stat', '/proc/meminfo', '/proc/net/dev', '/proc/self/mounts'].map(readText),
  );
  return {
    cpu: parseCpuTimes(stat ?? '') ?? cpuTimesOfNode(),
    load: platform() === 'win32' ? undefined : loadavg()[0],
    memory: parseMemory(meminfo ?? '') ?? { usedBytes: totalmem() - freemem(), freeBytes: freemem() },
    network: parseNetwork(net ?? ''),
    disk: await readDisk(directory, findMount(mounts ?? '', directory) ?? directory),
  };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined; // not Linux, or not allowed: the figures are omitted
  }
}

async function readDisk(directory: string, mount: string): Promise<DiskFigures | undefined> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(directory);
    const usedBytes = (blocks - bfree) * bsize;
    const freeBytes = bavail * bsize;
    const total = usedBytes + freeBytes;
    return total === 0 ? undefined : { mount, freeBytes, usedBytes, usedPercent: (usedBytes / total) * 100 };
  } catch {
    return undefined; // the directory is gone or the file system does not report it
  }
}

function cpuTimesOfNode(): CpuTimes | undefined {
  const all = cpus();
  if (all.length === 0) return undefined;
  const sum = (pick: (times: (typeof all)[number]['times']) => number) =>
    all.reduce((total, { times }) => total + pick(times), 0);
  const [user, nice, system, idle] = [
    sum((times) => times.user),
    sum((times) => times.nice),
    sum((times) => times.sys + times.irq),
    sum((times) => times.idle),
  ];
  return { user, nice, system, idle, total: user + nice + system + idle };
}
