// How many files, connections included, the process may have open.
import { readFileSync } from 'node:fs';

/** Undefined where the system does not say: it is not Linux, or there is no limit. */
export function descriptorLimit(): number | undefined {
  try {
    return parseLimits(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The soft limit on open files in the text of `/proc/self/limits`. */
export function parseLimits(text: string): number | undefined {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return limit === undefined ? undefined : Number(limit);
}
