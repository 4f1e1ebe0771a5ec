// The records of the lease of an archive: who may write to it. Their names are consecutive numbers, and each is created
// only if there is none of its number. The newest one counts.
import type { Members } from '../format/members.js';
import { leaseFolder } from '../format/names.js';
import { describeObject, readDescription } from '../format/sealed-object.js';

/** The server that a record is about. */
export interface LeaseHolder {
  /** 32 hexadecimal digits: the id of its data directory. */
  readonly server: string;
  /** The name of its machine. */
  readonly host: string;
  /** The URLs of its ports, as the machine itself reaches them; empty until they listen. */
  readonly url: string;
  readonly opsUrl: string;
  /** The boot of the machine and the place of the data directory in it; empty where it is not known. */
  readonly place: string;
}

/** What one record says: who may write to the archive, and for how long. */
export interface LeaseRecord extends LeaseHolder {
  /** From 1. */
  readonly number: number;
  /** Random; the first record of an archive has it, and each later one: the path of an archive may change. */
  readonly lineage: string;
  /** How often the archive was taken, with this time. */
  readonly term: number;
  readonly state: LeaseState;
  /** The holder may write for so long from before it sent this record. */
  readonly durationMs: number;
  /** Whether the holder refuses writes while it cannot renew. A lone server continues to write. */
  readonly stopsWrites: boolean;
  /** Random, so that a server knows its own record again when the answer to its writing was lost. */
  readonly nonce: string;
}

const leaseStates = ['held', 'released'] as const;

/** `released`: the holder has ended, and everything of it is in the archive. */
export type LeaseState = (typeof leaseStates)[number];

/** The name of the record with a number. */
export function leaseName(number: number): string {
  return `${leaseFolder}${String(number).padStart(12, '0')}.json`;
}

/** The number in the name of a record; undefined for other names. */
export function parseLeaseName(name: string): number | undefined {
  const found = /^lease\/(\d{12})\.json$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

/** Makes a record. */
export function encodeLease({ number, ...members }: LeaseRecord): Buffer {
  return describeObject('lease', { record: number, ...members });
}

/** Reads a record. @throws ArchiveDamaged */
export function decodeLease(name: string, bytes: Buffer): LeaseRecord {
  const members: Members = readDescription('lease', name, bytes);
  return {
    number: members.integer('record'),
    lineage: members.text('lineage'),
    term: members.integer('term'),
    state: members.word('state', leaseStates),
    durationMs: members.integer('durationMs'),
    stopsWrites: members.boolean('stopsWrites'),
    nonce: members.text('nonce'),
    server: members.text('server'),
    host: members.text('host'),
    url: members.text('url'),
    opsUrl: members.text('opsUrl'),
    place: members.text('place'),
  };
}

/** The holder in words, such as `the server http://127.0.0.1:8181 on host-a`. */
export function holderInWords({ url, host }: Pick<LeaseHolder, 'url' | 'host'>): string {
  return url === '' ? `a server on ${host}` : `the server ${url} on ${host}`;
}
