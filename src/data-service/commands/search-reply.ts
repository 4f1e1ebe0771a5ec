// What find and findOne have in common in replies to vector searches (wire: find, sortVector).
import type { VectorSearch } from '../query/vector-search.js';
import type { Reply } from './reply.js';

/** The reply with the vector that was searched for, as an array of numbers, whatever its form in the request. */
export function withSortVector(reply: Reply, { column, query }: VectorSearch): Reply {
  return { ...reply, status: [...(reply.status ?? []), ['sortVector', column.type.serialize(query)]] };
}
