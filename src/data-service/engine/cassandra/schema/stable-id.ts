// Numbers for what a cluster knows by names only.
import { createHash } from 'node:crypto';

/** A number that every server makes of the same name: 48 bits, so that no two meet in practice. */
export function stableId(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6);
}
