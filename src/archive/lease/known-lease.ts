// What a data directory knows of the lease of its archive: `archive-lease.json`, and the place of the directory.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { Members } from '../format/members.js';

const fileName = 'archive-lease.json';
const formatOfFile = 1;

/** The last lease that a server on a data directory had. */
export interface KnownLease {
  /** The address of the archive when the lease was taken. */
  readonly archive: string;
  /** What all records of the lease share, see `LeaseRecord`. */
  readonly lineage: string;
  /** The id of the data directory. */
  readonly server: string;
  readonly term: number;
}

/** Undefined if the directory has had none. */
export function readKnownLease(dataDir: string): KnownLease | undefined {
  const path = join(dataDir, fileName);
  try {
    const members = new Members(path, JSON.parse(readRegularFile(path).toString()));
    if (members.integer('format') !== formatOfFile) return undefined;
    const [archive, lineage] = [members.text('archive'), members.text('lineage')];
    return { archive, lineage, server: members.text('server'), term: members.integer('term') };
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

/** @throws errors of the file system */
export function writeKnownLease(dataDir: string, known: KnownLease): void {
  const content = `${JSON.stringify({ format: formatOfFile, ...known }, undefined, 2)}\n`;
  replaceFile(join(dataDir, fileName), Buffer.from(content));
}

/**
 * The boot of this machine and the lock file of a data directory. While a process has that lock, no other one that gave
 * the same place is alive. Empty where the system has no id of its boot.
 */
export function placeOf(dataDir: string): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { dev, ino } = statSync(join(dataDir, 'lock.db'), { bigint: true });
    return `${boot}:${dev}:${ino}`;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return '';
    throw error;
  }
}
