// What the documents of a collection may contain.
import { indexingTest } from '../documents/indexing.js';
import type { DocumentRules } from '../documents/read-document.js';
import type { Collection } from './collection.js';

const rulesOf = new WeakMap<Collection, DocumentRules>();

/** The rules by the settings of the collection. */
export function documentRules(collection: Collection): DocumentRules {
  let rules = rulesOf.get(collection);
  if (rules === undefined) {
    const { vector, lexical, indexing } = collection.collection;
    const { keyspace, name: table } = collection;
    rules = { vector, lexical: lexical !== undefined, isIndexed: indexingTest(indexing), keyspace, table };
    rulesOf.set(collection, rules);
  }
  return rules;
}
