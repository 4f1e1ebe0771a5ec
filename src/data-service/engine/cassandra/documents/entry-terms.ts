// Terms of documents: 32-bit numbers in a set with an index, by which the nodes find documents. Each is the hash of
// something that is true of a document, so that different things can have the same term, and documents that are found
// by terms must still be compared with the filter.
import { type EntryKey, sizeOfArrayKey } from '../../../documents/entries.js';
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
  return termOf(hashed(begins.presence, path));
}

/** The term of documents with this value at a path: the hash of its `entryIdentity`, which is made in parts. */
export function valueTerm(path: string, key: EntryKey): Term {
  const hash = hashed(hashed(hashed(begins.value, String(path.length)), ' '), path);
  switch (typeof key) {
    case 'string':
      return termOf(hashed(hashed(hash, ' string '), key));
    case 'number':
      return termOf(hashed(hashed(hash, ' number '), String(key)));
    case 'bigint':
      return termOf(hashed(hashed(hash, ' bigint '), String(key)));
    case 'object':
      return termOf(hashedBytes(hashed(hash, ' bytes '), key));
  }
}

/** The term of documents with an array of the size of this key at a path; undefined for keys that are not of arrays. */
export function sizeTerm(path: string, key: EntryKey): Term | undefined {
  const size = sizeOfArrayKey(key);
  return size === undefined ? undefined : termOf(hashed(hashed(begins.size, `${size} `), path));
}

/** The term of documents with a value in a bucket at a path. */
export function bucketTerm(path: string, { kind, bits, number }: KeyBucket): Term {
  const begin = beginsOfBuckets[kind][bits] ?? beginOfBucket(kind, bits);
  return termOf(hashed(hashedUnit(hashedNumber(begin, number), space), path));
}

/** The token in the term of every document with a `$lexical`; an analyzer makes no such token. */
export const anyToken = '';

/** The term of documents whose `$lexical` has this token of the analyzer of the collection, or `anyToken`. */
export function tokenTerm(token: string): Term {
  return termOf(hashed(begins.token, token));
}

// A term is the hash of a text, which is made of parts: a document has a hundred terms, and their texts would take
// longer than their hashes. Two multiplications for each character, and a mix of all bits at the end. Stored terms have
// these values.

const firstHash = 0x811c9dc5;
const space = ' '.charCodeAt(0);
const zero = '0'.charCodeAt(0);

/** The hashes of what the texts of terms begin with. */
const begins = {
  presence: hashed(firstHash, '?'),
  value: hashed(firstHash, '='),
  size: hashed(firstHash, '#'),
  token: hashed(firstHash, '"'),
} as const;

/** The hashes of buckets, by their kinds and the bits that they leave out. */
const beginsOfBuckets: Readonly<Record<KeyBucket['kind'], readonly number[]>> = {
  number: beginsOf('number'),
  text: beginsOf('text'),
  boolean: beginsOf('boolean'),
  date: beginsOf('date'),
};

function beginsOf(kind: KeyBucket['kind']): readonly number[] {
  return Array.from({ length: 16 }, (_, bits) => beginOfBucket(kind, bits));
}

function beginOfBucket(kind: KeyBucket['kind'], bits: number): number {
  return hashed(firstHash, `~${kind} ${bits} `);
}

/** The hash of a text that continues the one whose hash is `before`. */
function hashed(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at += 1) hash = hashedUnit(hash, text.charCodeAt(at));
  return hash;
}

/** The hash behind the digits of a number from 0 to 65,535. */
function hashedNumber(before: number, number: number): number {
  let hash = before;
  let unit = 1;
  while (unit * 10 <= number) unit *= 10;
  for (let rest = number; unit >= 1; unit = (unit / 10) | 0) {
    const digit = (rest / unit) | 0;
    hash = hashedUnit(hash, zero + digit);
    rest -= digit * unit;
  }
  return hash;
}

function hashedBytes(before: number, bytes: Uint8Array): number {
  let hash = before;
  for (const byte of bytes) hash = hashedUnit(hash, byte);
  return hash;
}

function hashedUnit(before: number, unit: number): number {
  const hash = Math.imul(before ^ unit, 0x01000193);
  return hash ^ (hash >>> 15);
}

/** The term of a text with this hash. */
function termOf(hashOfText: number): Term {
  let hash = Math.imul(hashOfText ^ (hashOfText >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
