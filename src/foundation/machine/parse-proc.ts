// Parses the texts of /proc about processors, memory, network and mounts.

/** The use of all processors since the start of the machine, in ticks. `iowait` and `steal` only if known. */
export interface CpuTimes {
  readonly user: number;
  readonly nice: number;
  readonly system: number;
  readonly idle: number;
  readonly iowait?: number;
  readonly steal?: number;
  /** Includes the kinds that are not listed here. */
  readonly total: number;
}

/** Memory in bytes. Caches and buffers do not count as used. */
export interface Memory {
  readonly usedBytes: number;
  readonly freeBytes: number;
  readonly cachedBytes?: number;
  readonly buffersBytes?: number;
}

/** Bytes transferred over a network interface since it came up. */
export interface DeviceBytes {
  readonly device: string;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** From /proc/stat: all processors together; interrupts count as system. */
export function parseCpuTimes(text: string): CpuTimes | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith('cpu '));
  if (line === undefined) return undefined;
  const numbers = line.trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softIrq = 0, steal = 0] = numbers;
  const total = user + nice + system + idle + iowait + irq + softIrq + steal;
  return Number.isFinite(total)
    ? { user, nice, system: system + irq + softIrq, idle, iowait, steal, total }
    : undefined;
}

/** From /proc/meminfo. */
export function parseMemory(text: string): Memory | undefined {
  const bytesOf = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  };
  const [total, free] = [bytesOf('MemTotal'), bytesOf('MemFree')];
  const [cached, buffers] = [bytesOf('Cached'), bytesOf('Buffers')];
  if (total === undefined || free === undefined || cached === undefined || buffers === undefined)
    return undefined;
  const reclaimable = bytesOf('SReclaimable') ?? 0;
  const usedBytes = Math.max(0, total - free - cached - buffers - reclaimable);
  return { usedBytes, freeBytes: free, cachedBytes: cached + reclaimable, buffersBytes: buffers };
}

/** From /proc/net/dev; without the loopback interface, which is not a network. */
export function parseNetwork(text: string): readonly DeviceBytes[] {
  return text.split('\n').flatMap((line) => {
    const [, device = '', numbers = ''] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    const fields = numbers.trim().split(/\s+/).map(Number);
    const [receivedBytes, sentBytes] = [fields[0], fields[8]];
    if (device === '' || device === 'lo' || receivedBytes === undefined || sentBytes === undefined) return [];
    return [{ device, receivedBytes, sentBytes }];
  });
}

/** From /proc/self/mounts: where the file system of an absolute path is mounted. */
export function findMount(text: string, path: string): string | undefined {
  const mounts = text
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll(/\\(\d{3})/g, unescapeOctal))
    .filter((mount) => mount !== '' && (mount === '/' || path === mount || path.startsWith(`${mount}/`)));
  return mounts.sort((left, right) => right.length - left.length)[0];
}

function unescapeOctal(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8));
}
