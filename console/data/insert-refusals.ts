// What the reply to an insert of a list says of each of its members.
import { isList, type Json, memberAt, plainText, toCount } from '../json/exact-json.js';
import type { Remark } from './command.js';

/** The places, from 0 on, of the documents that are not stored; all of them if the reply does not say which. */
export function refusedPlaces(count: number, status: Json | undefined): readonly number[] {
  const responses = memberAt(status, 'documentResponses');
  const all = Array.from({ length: count }, (_, at) => at);
  if (!isList(responses) || responses.length !== count) return all;
  return all.filter((at) => plainText(memberAt(responses[at], 'status')) !== 'OK');
}

/** What is to be named: the document at a place, by its number in the list that the user sees. */
export interface Refused {
  readonly at: number;
  readonly number: number;
}

/** The reasons with the numbers they are of: `Documents 1, 3: …`. Empty if the reply does not say which. */
export function reasonsOf(
  noun: 'Row' | 'Document',
  refused: readonly Refused[],
  reply: { readonly status: Json | undefined; readonly errors: readonly Remark[] },
): readonly string[] {
  const responses = memberAt(reply.status, 'documentResponses');
  if (!isList(responses)) return [];
  const numbers = new Map<number, number[]>();
  for (const { at, number } of refused) {
    const error = toCount(memberAt(responses[at], 'errorsIdx')) ?? 0;
    numbers.set(error, [...(numbers.get(error) ?? []), number]);
  }
  return [...numbers].map(([error, list]) => {
    const message = reply.errors[error]?.message ?? 'The reply does not say why.';
    return `${noun}${list.length === 1 ? '' : 's'} ${list.join(', ')}: ${message.replace(/\s+/g, ' ')}`;
  });
}
