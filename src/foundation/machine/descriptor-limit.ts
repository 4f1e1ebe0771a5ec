// The limit on open files of the process, including connections.
import { readFileSync } from 'node:fs';

/** Undefined if the system reports none: it is not Linux, or there is no limit. */
export function descriptorLimit(): number | undefined {
  try {
    return parseLimits(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The soft limit on open files in the text of `/proc/self/limits`. */
function parseLimits(text: string): number | undefined {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return limit === undefined ? undefined : Number(limit);
}
