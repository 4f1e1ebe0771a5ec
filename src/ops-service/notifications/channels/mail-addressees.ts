// The outcome of a message for each addressee: a mail server accepts and refuses them individually.
import { domainToASCII } from 'node:url';
import type { Delivery, SettledAddressee } from '../channel.js';
import { firstLine } from '../http-delivery.js';

/** The mail server's refusal of one addressee, as reported by the library. */
export interface AddresseeRefusal {
  /** The address, perhaps with another spelling of its domain. */
  readonly recipient?: string;
  /** Below 500 for temporary refusals. */
  readonly responseCode?: number;
  /** The reply of the server. */
  readonly response?: string;
}

/**
 * The outcome of an attempt for the addressees that were not settled; `settled` has those of earlier attempts. Only
 * addressees that were refused temporarily are tried again.
 */
export function deliveryOf(
  open: readonly string[],
  settled: readonly SettledAddressee[],
  refusals: readonly AddresseeRefusal[],
  secrets: readonly string[],
): Delivery {
  const replies = new Map(refusals.map((refusal) => [keyOf(refusal.recipient ?? ''), refusal]));
  const waiting: SettledAddressee[] = [];
  const all = [...settled];
  for (const address of open) {
    const reply = replies.get(keyOf(address));
    if (reply === undefined) all.push({ address });
    else (isForGood(reply) ? all : waiting).push({ address, refusal: wordsOf(reply, secrets) });
  }
  const isReached = all.some(({ refusal }) => refusal === undefined);
  const refused = all.filter(({ refusal }) => refusal !== undefined);
  const reasons = [...listOf('refused permanently', refused), ...listOf('refused temporarily', waiting)];
  const reason = reasons.join('; ');
  if (waiting.length > 0) return { kind: 'retry', reason, mayHaveArrived: isReached, settled: all };
  if (!isReached) return { kind: 'failed', reason };
  return refused.length === 0 ? { kind: 'sent' } : { kind: 'sent', note: reason };
}

/** All addresses by name, and the first reply: servers usually give the same reply for all. */
function listOf(what: string, refused: readonly SettledAddressee[]): readonly string[] {
  const [first] = refused;
  if (first === undefined) return [];
  return [`${what}: ${refused.map(({ address }) => address).join(', ')} (${first.refusal})`];
}

function isForGood({ responseCode }: AddresseeRefusal): boolean {
  return responseCode !== undefined && responseCode >= 500;
}

function wordsOf({ response = 'no reason given' }: AddresseeRefusal, secrets: readonly string[]): string {
  return firstLine(response, secrets);
}

/**
 * A key that is the same for an address and for its spelling by the library: domain in ASCII, quotes where a name needs
 * them.
 */
function keyOf(address: string): string {
  const at = address.lastIndexOf('@');
  const name = address.slice(0, Math.max(at, 0)).replaceAll(/["\\]/g, '');
  const domain = address.slice(at + 1);
  return `${name}@${domainToASCII(domain) || domain.toLowerCase()}`;
}
