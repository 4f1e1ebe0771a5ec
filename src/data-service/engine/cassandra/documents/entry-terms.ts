// Terms of documents: 32-bit numbers in a set with an index, by which the nodes find documents. Each is the hash of
// something that is true of a document, so that different things can have the same term, and documents that are found
// by terms must still be compared with the filter.
import { type EntryKey, entryIdentity, sizeOfArrayKey } from '../../../documents/entries.js';
import type { KeyBucket } from './key-buckets.js';

/** A signed 32-bit number. */
export type Term = number;

/**
 * The path of terms for the path of an entry: without places in arrays, and without names that could be such places. So
 * a document has one term for a value of an array and for its elements, and a filter one look-up for a value.
 */
export function termPath(entryPath: string): string {
  if (!entryPath.includes('.')) return entryPath;
  return entryPath.replaceAll(arrayPlace, '$1');
}

/** An escaped character, which stays, or the place of an element as a part of a path. */
const arrayPlace = /(&[.&])|\.(?:&\*|0|[1-9][0-9]*)(?=\.|$)/g;

/** The term of documents with a value at a path. `path`: of `termPath`, as below. */
export function presenceTerm(path: string): Term {
  return hashOf(`?${path}`);
}

/** The term of documents with this value at a path. */
export function valueTerm(path: string, key: EntryKey): Term {
  return hashOf(`=${entryIdentity(path, key)}`);
}

/** The term of documents with an array of the size of this key at a path; undefined for keys that are not of arrays. */
export function sizeTerm(path: string, key: EntryKey): Term | undefined {
  const size = sizeOfArrayKey(key);
  return size === undefined ? undefined : hashOf(`#${size} ${path}`);
}

/** The term of documents with a value in a bucket at a path. */
export function bucketTerm(path: string, { kind, bits, number }: KeyBucket): Term {
  return hashOf(`~${kind} ${bits} ${number} ${path}`);
}

/** The token in the term of every document with a `$lexical`; an analyzer makes no such token. */
export const anyToken = '';

/** The term of documents whose `$lexical` has this token of the analyzer of the collection, or `anyToken`. */
export function tokenTerm(token: string): Term {
  return hashOf(`"${token}`);
}

/** Two multiplications for each character, and a mix of all bits at the end. Stored terms have these values. */
function hashOf(text: string): Term {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
