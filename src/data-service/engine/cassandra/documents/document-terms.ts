// The terms of a document, which every write stores with it.
import type { JsonObject, JsonText } from '../../../../foundation/json/json-value.js';
import { parsedObject } from '../../../documents/document-columns.js';
import { addEntries, type IsIndexed } from '../../../documents/entries.js';
import type { Collection } from '../../../schema/collection.js';
import { documentRules } from '../../../schema/document-rules.js';
import { bucketTerm, presenceTerm, sizeTerm, type Term, termPath, valueTerm } from './entry-terms.js';
import { bucketsOf } from './key-buckets.js';

/** The column with the terms of documents, which has an index. */
export const termsColumn = 'terms';

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

/** The terms of a document in the form of the column. `text`: without the reserved members, as it is stored. */
export function termsValue(collection: Collection, text: JsonText): Buffer {
  return encodeTerms(documentTerms(parsedObject(text), documentRules(collection).isIndexed));
}

const bytesOfInt = 4;

/** The terms as a `set<int>` of the protocol. */
function encodeTerms(terms: ReadonlySet<Term>): Buffer {
  const bytes = Buffer.allocUnsafe(bytesOfInt + terms.size * 2 * bytesOfInt);
  let at = bytes.writeInt32BE(terms.size, 0);
  for (const term of terms) {
    at = bytes.writeInt32BE(bytesOfInt, at);
    at = bytes.writeInt32BE(term, at);
  }
  return bytes;
}
