// Errors about the filters, sorts and options of collections that tables do not have.
import { counted, entry } from './error-entry.js';

/** Family REQUEST, scope FILTER. */
export const collectionFilterErrors = {
  FILTER_ID_NOT_INDEXED: entry({
    title: 'Filter on an _id that is not indexed',
    when: 'A filter compares `_id` with an operator other than `$eq` and `$in`, and the option `indexing` of the collection does not index `_id`.',
    message: (p: { operator: string }) =>
      `The collection does not index "_id", so that ${p.operator} is not possible on it.\nUse $eq or $in on "_id".`,
  }),
  FILTER_MULTIPLE_ID_FILTER: entry({
    title: 'Several comparisons of _id',
    when: 'A filter on a collection compares `_id` more than once.',
    message: (_: object) =>
      'The filter compares "_id" more than once.\nUse one comparison, such as $in with all ids.',
  }),
  FILTER_PATH_UNINDEXED: entry({
    title: 'Filter on a path that is not indexed',
    when: 'A filter compares a path that the option `indexing` of the collection does not index; also a member of an object that it compares.',
    message: (p: { path: string }) =>
      `The collection does not index the path "${p.path}", so that filters cannot compare it.\n` +
      'Compare other paths, or create the collection with another "indexing".',
  }),
} as const;

/** Family REQUEST, scope SORT. */
export const collectionSortErrors = {
  SORT_CLAUSE_INVALID: entry({
    title: 'Sort not well-formed',
    when: 'The sort on a collection is not an object, has more than 64 paths, combines `$vector`, `$vectorize` or `$lexical` with other members, or has `$hybrid` outside of findAndRerank.',
    message: (p: { problem: string }) =>
      `The sort is not valid: ${p.problem}.\nExample: {"sort": {"name": 1, "address.city": -1}}`,
  }),
  SORT_CLAUSE_PATH_INVALID: entry({
    title: 'Sort path not valid',
    when: 'A path in the sort on a collection has an empty part, a part that begins with `$`, or an `&` before anything but `.` and `&`.',
    message: (p: { path: string; problem: string }) =>
      `The sort has the path "${p.path}", which is not valid: ${p.problem}.\nCorrect the path and send the command again.`,
  }),
  UNSUPPORTED_VECTORIZE_SORT_FOR_COLLECTION: entry({
    title: 'Hybrid search needs an embedding service',
    when: 'findAndRerank has a text for `$vectorize`, and the collection has no embedding service.',
    message: (p: { keyspace: string; table: string }) =>
      `The collection ${p.keyspace}.${p.table} has no embedding service for "$vectorize".\nUse "$vector" in "$hybrid".`,
  }),
  UNSUPPORTED_VECTOR_SORT_FOR_COLLECTION: entry({
    title: 'Hybrid search needs vectors',
    when: 'findAndRerank on a collection that was created without the option `vector`.',
    message: (p: { keyspace: string; table: string }) =>
      `The collection ${p.keyspace}.${p.table} was created without the option "vector".\nCreate a collection with it.`,
  }),
  SORT_CLAUSE_PATH_UNINDEXED: entry({
    title: 'Sort by a path that is not indexed',
    when: 'A sort names a path that the option `indexing` of the collection does not index.',
    message: (p: { path: string }) =>
      `The collection does not index the path "${p.path}", so that sorts cannot use it.\n` +
      'Sort by other paths, or create the collection with another "indexing".',
  }),
} as const;

/** A vector that does not fit its collection. */
interface VectorLength {
  readonly keyspace: string;
  readonly table: string;
  readonly dimension: number;
  readonly found: number;
}

/** Family REQUEST, scope DOCUMENT: values of documents, also in filters and sorts. */
export const collectionValueErrors = {
  INVALID_VECTOR_LENGTH: entry({
    title: 'Vector dimension differs from the collection',
    when: 'A `$vector` in a document or a sort does not have as many elements as the vectors of the collection.',
    message: (p: VectorLength) =>
      `The vectors of the collection ${p.keyspace}.${p.table} have ${counted(p.dimension, 'element')}, but the command has a vector of ${p.found}.`,
  }),
  SHRED_BAD_EJSON_VALUE: entry({
    title: 'Extended value not valid',
    when: 'The content of `$date`, `$uuid`, `$objectId` or `$binary` is not of its form.',
    message: (p: { problem: string }) =>
      `An extended value is not valid: ${p.problem}.\nCorrect the value and send the command again.`,
  }),
  SHRED_BAD_VECTOR_SIZE: entry({
    title: 'Vector empty',
    when: 'A `$vector` in a document or a sort has no elements.',
    message: (_: object) => 'A "$vector" must have at least one element.',
  }),
  SHRED_BAD_VECTOR_VALUE: entry({
    title: 'Vector element not usable',
    when: 'A `$vector` in a document or a sort has an element that is not a finite 32-bit float.',
    message: (p: { problem: string }) =>
      `The elements of a "$vector" must be numbers in the range of 32-bit floats: ${p.problem}.`,
  }),
} as const;

/** Family REQUEST, scope SCHEMA. */
export const collectionSchemaErrors = {
  EMBEDDING_SERVICE_NOT_CONFIGURED: entry({
    title: 'Collection without an embedding service',
    when: 'A document or a sort has `$vectorize`, and the collection has no embedding service.',
    message: (p: { table: string }) =>
      `The collection ${p.table} has no embedding service, so that "$vectorize" is not possible.\n` +
      'Use "$vector", or create the collection with a service in the option "vector".',
  }),
  INVALID_INDEXING_DEFINITION: entry({
    title: 'Option indexing not valid',
    when: 'The option `indexing` of createCollection is not exactly one of `allow` and `deny` with an array of different valid paths, or has `*` beside other paths.',
    message: (p: { problem: string }) =>
      `The option "indexing" is not valid: ${p.problem}.\n` +
      'Examples: {"allow": ["name", "address.city"]}, {"deny": ["notes"]}, {"deny": ["*"]}',
  }),
  LEXICAL_NOT_ENABLED_FOR_COLLECTION: entry({
    title: 'Text search not enabled for the collection',
    when: 'A document, a filter or a sort has `$lexical`, and the collection was created without text search.',
    message: (p: { keyspace: string; table: string }) =>
      `Text search is not enabled for the collection ${p.keyspace}.${p.table}.\n` +
      'Remove "$lexical", or create the collection with {"lexical": {"enabled": true}}.',
  }),
  VECTOR_SEARCH_NOT_SUPPORTED: entry({
    title: 'Collection without vectors',
    when: 'A document or a sort has `$vector`, and the collection was created without the option `vector`.',
    message: (p: { keyspace: string; table: string }) =>
      `The collection ${p.keyspace}.${p.table} was created without the option "vector".\n` +
      'Remove "$vector", or create a collection with that option.',
  }),
} as const;
