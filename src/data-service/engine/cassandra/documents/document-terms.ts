// The terms of a document, which every write stores with it.
import type { JsonObject } from '../../../../foundation/json/json-value.js';
import { addEntries, type IsIndexed } from '../../../documents/entries.js';
import type { Collection } from '../../../schema/collection.js';
import { documentRules } from '../../../schema/document-rules.js';
import type { Analyzer } from '../../../text-analysis/analyzer.js';
import {
  anyToken,
  bucketTerm,
  presenceTerm,
  sizeTerm,
  type Term,
  termPath,
  tokenTerm,
  valueTerm,
} from './entry-terms.js';
import { bucketsOf } from './key-buckets.js';

/** The column with the terms of documents, which has an index. */
export const termsColumn = 'terms';

/** The terms of the paths of a document, in any order. `isIndexed`: the test of the collection (`indexingTest`). */
export function documentTerms(document: JsonObject, isIndexed: IsIndexed): Set<Term> {
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

/** The terms of the `$lexical` of a document, in any order. */
export function lexicalTerms(lexical: string, analyzer: Analyzer): ReadonlySet<Term> {
  const terms = new Set([tokenTerm(anyToken)]);
  for (const token of analyzer.analyze(lexical)) terms.add(tokenTerm(token));
  return terms;
}

/** All terms of a document in the form of the column. `lexical`: the text of its `$lexical`. */
export function termsValue(collection: Collection, document: JsonObject, lexical: string | null): Buffer {
  const { isIndexed, analyzer } = documentRules(collection);
  const terms = documentTerms(document, isIndexed);
  if (lexical !== null && analyzer !== undefined)
    for (const term of lexicalTerms(lexical, analyzer)) terms.add(term);
  return encodeTerms(terms);
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
