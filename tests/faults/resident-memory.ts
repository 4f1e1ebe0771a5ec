// How much memory a process has, as Linux shows it.
import { readFileSync } from 'node:fs';

/** Resident memory in MB (2^20 bytes); undefined where the system does not show it, or the process is gone. */
export function residentMbOf(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
