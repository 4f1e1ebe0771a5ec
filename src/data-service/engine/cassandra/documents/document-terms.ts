// The terms of a document, which every write stores with it.
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import { addEntries, type IsIndexed } from '../../../documents/entries.js';
import { bucketTerm, presenceTerm, sizeTerm, type Term, termPath, valueTerm } from './entry-terms.js';
import { bucketsOf } from './key-buckets.js';

/** The terms of a document, each once, in any order. `isIndexed`: the test of the collection (`indexingTest`). */
export function documentTerms(document: JsonObject, isIndexed: IsIndexed): ReadonlySet<Term> {
  const terms = new Set<Term>();
  addEntries(document, isIndexed, (entryPath, key) => {
    const path = termPath(entryPath);
    terms.add(presenceTerm(path));
    terms.add(valueTerm(path, key));
    const size = sizeTerm(path, key);
    if (size !== undefined) terms.add(size);
    for (const bucket of bucketsOf(key)) terms.add(bucketTerm(path, bucket));
  });
  return terms;
}

const bytesOfInt = 4;

/** The terms in the form of the protocol: a `set<int>`. */
export function encodeTerms(terms: ReadonlySet<Term>): Buffer {
  const bytes = Buffer.allocUnsafe(bytesOfInt + terms.size * 2 * bytesOfInt);
  let at = bytes.writeInt32BE(terms.size, 0);
  for (const term of terms) {
    at = bytes.writeInt32BE(bytesOfInt, at);
    at = bytes.writeInt32BE(term, at);
  }
  return bytes;
}

/** One term in the form of the protocol. */
export function encodeTerm(term: Term): Buffer {
  const bytes = Buffer.allocUnsafe(bytesOfInt);
  bytes.writeInt32BE(term);
  return bytes;
}
