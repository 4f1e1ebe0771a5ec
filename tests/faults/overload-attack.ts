// What an attack is, where it happens, and which ends of its requests are right.
import type { Outcome, RudeClient } from './overload-client.js';
import type { OverloadSizes, OverloadTable } from './overload-tables.js';

/** What one connection of an attack has to work with. */
export interface AttackPlace {
  readonly port: number;
  readonly opsPort: number;
  /** From 0 within its attack. */
  readonly connection: number;
  readonly sizes: OverloadSizes;
  /** How long a client stalls before it reads. */
  readonly stallMs: number;
  /** How long a client waits for a reply before it calls it late. */
  readonly patienceMs: number;
  /** Whether the attack is over. */
  isOver(): boolean;
  /** Resolves after so long, or when the attack is over. */
  wait(ms: number): Promise<void>;
  /** A new connection, which stays open when the attack is over and ends with the attackers. */
  connect(port?: number): Promise<RudeClient>;
  /** Sends a request on the connection of this place and gives what came of it; the connection is kept where it can. */
  exchange(...request: readonly Uint8Array[]): Promise<Outcome>;
  /** Notes that a write of a writer with its number was acknowledged; each writer counts from 0. */
  noteWritten(writer: string, number: number): void;
  /** Notes what came of adding so many items to a list. */
  notePushed(row: string, items: number, isAcknowledged: boolean): void;
}

/** One way to overload a server. */
export interface Attack {
  readonly name: string;
  /** What it does, for people. */
  readonly help: string;
  /** When it is alone; a mixture has its share of them. */
  readonly connections: number;
  readonly tables: readonly OverloadTable[];
  /** Replies that are right beside 200 and refusals for load. */
  readonly statuses?: readonly number[];
  /** Its clients do what may have them cut off. */
  readonly mayBeCut?: boolean;
  /** Makes the function that one connection calls again and again while the attack lasts. */
  readonly begin: (place: AttackPlace) => () => Promise<readonly Outcome[]>;
}

/** What an end of a request is: done as asked, refused as documented, cut off as it deserves, or none of these. */
export type Verdict = 'done' | 'refused' | 'cut' | 'wrong';

const payloadTooLarge = 413;
const requestTimeout = 408;
const unavailable = 503;

/** Whether an end of a request is right for its attack. */
export function judge({ statuses = [], mayBeCut = false }: Attack, outcome: Outcome): Verdict {
  if (outcome.kind === 'late') return 'wrong';
  if (outcome.kind === 'cut') return mayBeCut ? 'cut' : 'wrong';
  const { status, errorCodes, hasRetryAfter } = outcome;
  if (errorCodes.includes('UNEXPECTED_SERVER_ERROR')) return 'wrong';
  if (status === unavailable) return hasRetryAfter || errorCodes.length > 0 ? 'refused' : 'wrong';
  if (status === payloadTooLarge || status === requestTimeout || statuses.includes(status)) return 'refused';
  if (status !== 200) return 'wrong';
  return errorCodes.length > 0 ? 'refused' : 'done';
}

/** An outcome in a few words, the same for all of its kind. */
export function nameOutcome(outcome: Outcome): string {
  if (outcome.kind !== 'reply') return outcome.kind;
  return [outcome.status, ...new Set(outcome.errorCodes)].join(' ');
}
