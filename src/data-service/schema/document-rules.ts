// What the documents of a collection may contain.
import { indexingTest } from '../documents/indexing.js';
import type { DocumentRules } from '../documents/read-document.js';
import { type Collection, collectionColumns } from './collection.js';
import { anyTextIndexOn } from './table.js';

const rulesOf = new WeakMap<Collection, DocumentRules>();

/** The rules by the settings of the collection. */
export function documentRules(collection: Collection): DocumentRules {
  let rules = rulesOf.get(collection);
  if (rules === undefined) {
    const { vector, lexical, indexing } = collection.collection;
    const { keyspace, name: table } = collection;
    const { vector: vectorColumn, lexical: column } = collectionColumns(collection);
    rules = {
      keyspace,
      table,
      vector: vector && { ...vector, ...vectorColumn?.vectorLimits },
      lexical: lexical !== undefined,
      analyzer: column && anyTextIndexOn(collection, column)?.analyzer,
      isIndexed: indexingTest(indexing),
    };
    rulesOf.set(collection, rules);
  }
  return rules;
}
