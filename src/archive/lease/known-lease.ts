// What a data directory knows of the lease of its archive: `archive-lease.json`, and the place of the directory.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../foundation/machine/regular-file.js';
import { replaceFile } from '../../foundation/secrets/replace-file.js';
import { ArchiveDamaged } from '../format/archive-damaged.js';
import { Members } from '../format/members.js';

const fileName = 'archive-lease.json';
const formatOfFile = 1;

/** What a data directory knows of the lease. */
export interface KnownLease {
  /** The id of the data directory. */
  readonly server: string;
  /** The last lease that a server on it had; undefined if it is not known that it ever had one. */
  readonly held: HeldLease | undefined;
  /** The nonces of records that were sent to take the lease since, and may be in the archive. */
  readonly asked: readonly string[];
}

/** A lease that a server had. */
export interface HeldLease {
  /** The address of the archive when the lease was taken. */
  readonly archive: string;
  /** What all records of the lease share, see `LeaseRecord`. */
  readonly lineage: string;
  readonly term: number;
}

/** Undefined if the directory has had none, and has not asked for one. */
export function readKnownLease(dataDir: string): KnownLease | undefined {
  const path = join(dataDir, fileName);
  try {
    const members = new Members(path, JSON.parse(readRegularFile(path).toString()));
    if (members.integer('format') !== formatOfFile) return undefined;
    const asked = members.has('asked') ? members.objects('asked').map((one) => one.text('nonce')) : [];
    return { server: members.text('server'), held: heldIn(members), asked };
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof SyntaxError) return undefined;
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

function heldIn(members: Members): HeldLease | undefined {
  if (!members.has('term')) return undefined;
  const [archive, lineage] = [members.text('archive'), members.text('lineage')];
  return { archive, lineage, term: members.integer('term') };
}

/** So many records that were sent are known: each is of a start that ended before it had the answer. */
const mostAsked = 8;

/** Replaces what is known, durably. @throws errors of the file system */
export function writeKnownLease(dataDir: string, { server, held, asked }: KnownLease): void {
  const sent = asked.slice(-mostAsked).map((nonce) => ({ nonce }));
  const known = { format: formatOfFile, server, ...held, ...(sent.length > 0 && { asked: sent }) };
  replaceFile(join(dataDir, fileName), Buffer.from(`${JSON.stringify(known, undefined, 2)}\n`));
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
